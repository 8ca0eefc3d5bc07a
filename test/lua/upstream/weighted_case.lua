--- What alb.upstream.weighted chooses.
local weighted = require("alb.upstream.weighted")

local _M = {}

--- How often each backend is chosen.
function _M.count(weights, times)
    local route = { backends = {} }
    for i = 1, #weights do
        route.backends[i] = { weight = weights[i], number = i }
    end
    weighted.prepare(route)
    local counts = {}
    for i = 1, #weights do
        counts[i] = 0
    end
    for _ = 1, times do
        local number = weighted.choose(route).number
        counts[number] = counts[number] + 1
    end
    return counts
end

return _M
