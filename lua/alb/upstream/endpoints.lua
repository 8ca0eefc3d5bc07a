--- Endpoints of an upstream, taken in turn by each worker.
-- May yield: no. Phases: rewrite, balancer.
local index = require("alb.policy.index")

local math_random = math.random

local _M = {}

--- Makes a decoded upstream shard ready: addresses and ports side by side, a random start so that workers don't march
-- in step.
function _M.prepare(upstream)
    local endpoints = upstream.endpoints or {}
    local addresses, ports = {}, {}
    for i = 1, #endpoints do
        addresses[i], ports[i] = endpoints[i][1], endpoints[i][2]
    end
    upstream.addresses, upstream.ports, upstream.count = addresses, ports, #endpoints
    upstream.last = #endpoints > 0 and math_random(#endpoints) or 0
end

--- The decoded upstream, or nil.
function _M.upstream(id)
    return index.get("upstreams", id)
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
    return upstream.addresses[i], upstream.ports[i]
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
