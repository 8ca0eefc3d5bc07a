--- Prepares a decoded route at its first use, so requests only test flags. Each module adds the fields that it needs.
-- May yield: no. Phases: any but init.
local access = require("alb.auth.access")
local affinity = require("alb.upstream.affinity")
local chain = require("alb.filters.chain")
local error_pages = require("alb.error_pages")
local flow = require("alb.filters.flow")
local index = require("alb.policy.index")
local rows = require("alb.rows")
local session = require("alb.upstream.session")
local trace = require("alb.trace")
local tries = require("alb.upstream.tries")
local weighted = require("alb.upstream.weighted")

local max = math.max

local _M = {}

-- Fields of a route, besides those of filters, that require more than forwarding to its only upstream.
local SPECIAL = {
    "refuse",
    "host",
    "affinity",
    "hashBy",
    "session",
    "timeouts",
    "deadlines",
    "retry",
    "streamed",
    "hostFlow",
    "flow",
    "largeHeaders",
    "outageErrors",
    "page_suffix",
}

local function is_special(route)
    for i = 1, #SPECIAL do
        if route[SPECIAL[i]] ~= nil then
            return true
        end
    end
    return false
end

-- The upstream of a route with a single backend that needs nothing else; nil for other routes.
local function only_upstream(route)
    local backends = route.backends or {}
    local only = backends[1]
    if
        #backends == 1
        and only.upstream
        and not only.refuse
        and not only.filters
        and only.weight > 0
        and only.protocol == "http"
    then
        return only.upstream
    end
    return nil
end

-- Adds `fixed` (the upstream id of a route without choices and filters) and `plain` (fixed, not checked, and sampled as
-- the gateway samples).
local function prepare_flags(route)
    local has_more = route.filtered or is_special(route)
    route.fixed = not has_more and only_upstream(route) or nil
    local is_sampled_apart = trace.on and route.traceRate ~= nil
    route.plain = route.fixed ~= nil and not route.checked and not is_sampled_apart
end

-- `holder` is the route, or the filters of a backend.
local function prepare_filters(holder, id)
    holder.id = id
    holder.auths = {}
    for i, auth_id in ipairs(holder.auth or {}) do
        -- A missing policy must not open the path.
        holder.auths[i] = index.get("auths", auth_id)
            or { invalid = "policy " .. auth_id .. " is missing" }
    end
    holder.authFirst = holder.authFirst and #holder.auths > 0
    chain.prepare(holder)
    access.prepare_rows(holder)
end

-- Whether the auth of a holder reads the client's body.
local function reads_body(holder)
    for i = 1, #holder.auths do
        local external = holder.auths[i].external
        if external and external.maxBody > 0 then
            return true
        end
    end
    return false
end

-- Adds `reads` to backends whose own auth reads the client's body, and `backend_reads` to the route if it has such one.
local function prepare_backends(route, id)
    for _, backend in ipairs(route.backends or {}) do
        if backend.filters then
            -- Their tries end at the route's deadlines.
            backend.filters.deadlines = route.deadlines
            prepare_filters(backend.filters, id)
            backend.reads = reads_body(backend.filters)
            route.backend_reads = route.backend_reads or backend.reads
        end
    end
end

-- Inherits from the listener: a refusal, auth before the route's own, and default auth if the route has none.
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

-- How many requests to auth services the auth of a holder is.
local function questions_of(holder)
    local count = 0
    for i = 1, #holder.auths do
        local auth = holder.auths[i]
        count = count + (auth.forward and 1 or 0) + (auth.external and 1 or 0)
    end
    return count
end

-- Routes may share a policy; the largest number counts.
local function note_questions(holder, count)
    for i = 1, #holder.auths do
        local auth = holder.auths[i]
        for _, settings in pairs({ auth.forward, auth.external }) do
            settings.questions = max(settings.questions or 0, count)
        end
    end
end

-- Adds `questions`, the most that one request is, to the route and to the settings of its auth (turns.lua).
local function count_questions(route)
    local backends, most = route.backends or {}, 0
    for i = 1, #backends do
        local filters = backends[i].filters
        most = max(most, filters and questions_of(filters) or 0)
    end
    route.questions = questions_of(route) + most
    note_questions(route, route.questions)
    for i = 1, #backends do
        if backends[i].filters then
            note_questions(backends[i].filters, route.questions)
        end
    end
end

--- Called once for each decoded route.
---@param route table PolicyRoute
---@param id string
---@param listener string? id of the listener that it inherits auth from
function _M.prepare(route, id, listener)
    if listener then
        inherit(route, listener)
    end
    prepare_backends(route, id)
    prepare_filters(route, id)
    flow.prepare(route)
    count_questions(route)
    weighted.prepare(route)
    affinity.prepare(route)
    session.prepare(route)
    tries.prepare(route)
    error_pages.prepare(route)
    route.row = rows.of(rows.REQUESTS, id)
    prepare_flags(route)
end

return _M
