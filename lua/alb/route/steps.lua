--- Says at decode time which steps a route needs, so that the request path only tests flags.
-- May yield: no. Pure.
local str_match = string.match

local _M = {}

-- Fields that make a request more than "authenticate, then send to the one upstream", besides the filters'.
local STEPS = {
    "refuse",
    "host",
    "affinity",
    "session",
    "timeouts",
    "deadlines",
    "retry",
}

local function has_steps(route)
    for i = 1, #STEPS do
        if route[STEPS[i]] ~= nil then
            return true
        end
    end
    return false
end

-- The only upstream of a route that has no choice to make.
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

--- Adds to a route whose filters are prepared: `fixed` (upstream id of a route without any choice or filter), `plain`
--- (fixed and not checked).
function _M.prepare(route)
    local has_more = route.filtered or has_steps(route)
    route.fixed = not has_more and only_upstream(route) or nil
    route.plain = route.fixed ~= nil and not route.checked
end

--- Adds `choice` to a backend: what finds its filters again when the response comes.
---@param position integer in the route's list
function _M.prepare_backend(backend, position)
    backend.choice = position .. " " .. (backend.upstream or "")
end

--- The filters of the backend that a choice names; nil when the route has changed since.
---@param choice string
---@return table? filters
function _M.chosen_filters(route, choice)
    local position = tonumber(str_match(choice, "^%d+"))
    local backend = route.backends and route.backends[position]
    return backend and backend.choice == choice and backend.filters or nil
end

return _M
