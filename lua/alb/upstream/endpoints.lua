--- Endpoints of an upstream, used round robin by each worker.
-- In a prepared upstream addresses and ports alternate: the first endpoint is `[1]`, `[2]`. So reading a single
-- endpoint needs no further table. May yield: no. Phases: access, balancer.
local index = require("alb.policy.index")

local math_random = math.random
local str_find = string.find

local _M = {}

--- Prepares a decoded upstream: IPv6 addresses in brackets, as nginx and sockets require; a random start, so that
--- workers don't choose the same endpoints at the same time.
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
    upstream.last_again = upstream.last
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

--- Position of the next endpoint, for callers that need it before the try.
---@return integer position 0 if there is none
function _M.next_position(upstream)
    _M.next(upstream)
    return upstream.last
end

--- The next endpoint.
---@return string? address nil if there is none
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

--- The next endpoint for another try. These have turns of their own: otherwise the request after a failed one would
--- begin with the failed endpoint.
---@return string address
---@return integer port
function _M.again(upstream)
    local i = upstream.last_again % upstream.count + 1
    upstream.last_again = i
    return upstream[2 * i - 1], upstream[2 * i]
end

--- The next endpoint of the upstream with an id.
function _M.pick(id)
    local upstream = _M.upstream(id)
    if not upstream then
        return nil
    end
    return _M.next(upstream)
end

return _M
