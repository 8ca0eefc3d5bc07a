--- Endpoints of an upstream, taken in turn by each worker.
-- A prepared upstream is a list of addresses and ports in turn: the first endpoint is `[1]`, `[2]`, so an upstream
-- with just one is read without another look into memory. May yield: no. Phases: access, balancer.
local index = require("alb.policy.index")

local math_random = math.random
local str_find = string.find

local _M = {}

--- Makes a decoded upstream shard ready: IPv6 addresses in brackets, as nginx and sockets take them; a random start so
-- that workers don't march in step.
function _M.prepare(upstream)
    local endpoints = upstream.endpoints or {}
    local count = #endpoints
    for i = 1, count do
        local address = endpoints[i][1]
        upstream[2 * i - 1] = str_find(address, ":", 1, true) and "[" .. address .. "]" or address
        upstream[2 * i] = endpoints[i][2]
    end
    upstream.endpoints, upstream.count = nil, count
    upstream.last = count > 0 and math_random(count) or 0
end

--- The decoded upstream, or nil.
function _M.upstream(id)
    return index.get("upstreams", id)
end

--- Address and port of the endpoint at a position from 1 to `upstream.count`.
---@return string address
---@return integer port
function _M.at(upstream, position)
    return upstream[2 * position - 1], upstream[2 * position]
end

--- Position of the next endpoint in turn, for those who must know it before a try is made.
---@return integer position 0 when there is none
function _M.next_position(upstream)
    _M.next(upstream)
    return upstream.last
end

--- The next endpoint in turn.
---@return string? address nil when there is none
---@return integer? port
function _M.next(upstream)
    local count = upstream.count
    if count == 0 then
        return nil
    end
    local i = upstream.last + 1
    if i > count then
        i = 1
    end
    upstream.last = i
    return upstream[2 * i - 1], upstream[2 * i]
end

--- The next endpoint of an upstream by id.
function _M.pick(id)
    local upstream = _M.upstream(id)
    if not upstream then
        return nil
    end
    return _M.next(upstream)
end

return _M
