--- Endpoints of an upstream, used round robin by each worker. Those that are out (outages.lua) get no turns.
-- In a prepared upstream addresses and ports alternate: the first endpoint is `[1]`, `[2]`. So reading a single
-- endpoint needs no further table. May yield: no. Phases: access, balancer.
local index = require("alb.policy.index")
local outages = require("alb.upstream.outages")

local math_random = math.random
local str_find = string.find

local _M = {}

--- Prepares a decoded upstream: IPv6 addresses in brackets, as nginx and sockets require; a random start, so that
--- workers don't choose the same endpoints at the same time.
---@param id string
function _M.prepare(upstream, id)
    local endpoints = upstream.endpoints or {}
    local count = #endpoints
    for i = 1, count do
        local address = endpoints[i][1]
        upstream[2 * i - 1] = str_find(address, ":", 1, true) and "[" .. address .. "]" or address
        upstream[2 * i] = endpoints[i][2]
    end
    upstream.endpoints, upstream.count, upstream.id = nil, count, id
    upstream.last = count > 0 and math_random(count) or 0
    upstream.last_again = upstream.last
    outages.apply(upstream)
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

--- Whether the endpoint at a position gets no requests now.
function _M.is_out(upstream, position)
    local out = upstream.out
    return out ~= nil and out[position] == true
end

local function after(upstream, position)
    if position < upstream.count then
        return position + 1
    end
    return upstream.count > 0 and 1 or 0
end

-- The next position that is not out, of which there is one; 0 if there is no endpoint.
local function living_after(upstream, position)
    local out = upstream.out
    position = after(upstream, position)
    -- LuaJIT would give up on a loop that does nothing.
    if out and out[position] then
        repeat
            position = after(upstream, position)
        until not out[position]
    end
    return position
end

--- Position of the next endpoint.
---@return integer position 0 if there is none
function _M.next_position(upstream)
    local i = living_after(upstream, upstream.last)
    upstream.last = i
    return i
end

--- The next endpoint.
---@return string? address nil if there is none
---@return integer? port
function _M.next(upstream)
    local i = _M.next_position(upstream)
    return upstream[2 * i - 1], upstream[2 * i]
end

--- The next endpoint for another try. These have turns of their own: otherwise the request after a failed one would
--- begin with the failed endpoint.
---@return string address
---@return integer port
function _M.again(upstream)
    local i = living_after(upstream, upstream.last_again)
    upstream.last_again = i
    return upstream[2 * i - 1], upstream[2 * i]
end

--- The next endpoint of the upstream with an id.
---@return string? address
---@return integer? port
---@return table? upstream
function _M.pick(id)
    local upstream = _M.upstream(id)
    if not upstream then
        return nil
    end
    local address, port = _M.next(upstream)
    return address, port, upstream
end

return _M
