--- Makes a decoded route ready: each module adds what it needs.
-- May yield: no. Phases: any but init.
local affinity = require("alb.upstream.affinity")
local filters = require("alb.filters.steps")
local index = require("alb.policy.index")
local session = require("alb.upstream.session")
local steps = require("alb.route.steps")
local tries = require("alb.upstream.tries")
local weighted = require("alb.upstream.weighted")

local _M = {}

-- What routes and backends have in common; `holder` is the route or the filters of a backend.
local function prepare_filters(holder, id)
    holder.id = id
    holder.auths = {}
    for i, auth_id in ipairs(holder.auth or {}) do
        -- An id without its policy must not open the path.
        holder.auths[i] = index.get("auths", auth_id)
            or { invalid = "policy " .. auth_id .. " is missing" }
    end
    holder.authFirst = holder.authFirst and #holder.auths > 0
    filters.prepare(holder)
end

-- What the route has from its listener: refusal, auth before its own, auth in place of none.
local function inherit(route, listener)
    local inherited = index.get("inherited", listener) or {}
    route.refuse = inherited.refuse or route.refuse
    local auth = {}
    for _, auth_id in ipairs(inherited.filters or {}) do
        auth[#auth + 1] = auth_id
    end
    local own = route.auth or not route.ownAuth and inherited.policies
    for _, auth_id in ipairs(own or {}) do
        auth[#auth + 1] = auth_id
    end
    route.auth = auth
end

--- Called once for each decoded route.
---@param route table PolicyRoute
---@param id string
---@param listener string? from which it inherits auth
function _M.prepare(route, id, listener)
    if listener then
        inherit(route, listener)
    end
    prepare_filters(route, id)
    for position, backend in ipairs(route.backends or {}) do
        if backend.filters then
            -- They end with the route's.
            backend.filters.deadlines = route.deadlines
            prepare_filters(backend.filters, id)
            steps.prepare_backend(backend, position)
        end
    end
    weighted.prepare(route)
    affinity.prepare(route)
    session.prepare(route)
    tries.prepare(route)
    steps.prepare(route)
end

return _M
