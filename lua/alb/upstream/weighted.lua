--- Chooses the backend of a request by smooth weighted round robin, so shares are exact and evenly spread.
-- May yield: no. Phases: access.
local math_random = math.random

local _M = {}

--- Prepares the backends of a decoded route. Backends of weight 0 get nothing; the start is random in each worker.
function _M.prepare(route)
    local backends = route.backends or {}
    local wheel, total = {}, 0
    for i = 1, #backends do
        local backend = backends[i]
        if backend.weight > 0 then
            total = total + backend.weight
            wheel[#wheel + 1] = backend
        end
    end
    route.wheel, route.total_weight = wheel, total
    for i = 1, #wheel do
        wheel[i].credit = 0
    end
    for _ = 1, #wheel > 1 and math_random(0, 100) or 0 do
        _M.choose(route)
    end
end

--- The next backend; nil if none has a weight.
function _M.choose(route)
    local wheel = route.wheel
    local count = #wheel
    if count <= 1 then
        return wheel[1]
    end
    local best = wheel[1]
    for i = 1, count do
        local backend = wheel[i]
        backend.credit = backend.credit + backend.weight
        if backend.credit > best.credit then
            best = backend
        end
    end
    best.credit = best.credit - route.total_weight
    return best
end

return _M
