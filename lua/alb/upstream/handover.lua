--- Hands the upstream of a plain route from the access phase to the balancer.
--
-- Nothing runs between these two phases of such a request, so one slot for each worker is enough, and cheaper than a
-- variable. It is valid for the first try; further tries find the route by its id in $albc_route, or take the only
-- endpoint again. Every request calls `give` or `clear` before its balancer, so a request that reuses the memory of
-- another finds nothing of that one.
-- May yield: no. Phases: give and clear in access; take in balancer.
local address_of_request = require("alb.nginx_request").address

local _M = {}

local owner, given, given_port = 0, nil, nil

--- Stores the upstream for this request's balancer.
---@param upstream table|string prepared, or the address of its only endpoint
---@param port integer? of that
function _M.give(upstream, port)
    owner, given, given_port = address_of_request(), upstream, port
end

--- Marks that this request hands over nothing.
function _M.clear()
    owner = 0
end

--- Returns what this request's access phase gave, once.
---@return table|string|nil upstream
---@return integer? port
function _M.take()
    if owner ~= address_of_request() then
        return nil
    end
    owner = 0
    return given, given_port
end

return _M
