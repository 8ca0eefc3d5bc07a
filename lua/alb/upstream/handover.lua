--- What the access phase tells the balancer of the same request when it has decided on an upstream at once.
--
-- Nothing lies between the two phases of such a request, so one slot for the worker is enough, and cheaper than a
-- variable. It holds for the first try; further ones find the route by its id in $albc_route. Every request that
-- reaches a balancer was seen by `give` or `clear` before, so one whose memory was another's finds nothing of that one.
-- May yield: no. Phases: access gives, balancer takes.
local ffi = require("ffi")
local get_request = require("resty.core.base").get_request

local cast = ffi.cast
local tonumber = tonumber

local _M = {}

local owner, given = 0, nil

-- A number, because a pointer kept in an upvalue would be an object for the garbage collector.
local function address_of_request()
    return tonumber(cast("intptr_t", get_request()))
end

--- Leaves an upstream for the balancer of this request.
function _M.give(upstream)
    owner, given = address_of_request(), upstream
end

--- Says that this request has nothing to hand over.
function _M.clear()
    owner = 0
end

--- What was left for this request, once.
---@return table? upstream
function _M.take()
    if owner ~= address_of_request() then
        return nil
    end
    owner = 0
    return given
end

return _M
