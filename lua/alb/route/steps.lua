--- Says at decode time which steps a route needs, so that the request path only tests flags.
-- May yield: no. Pure.
local str_match = string.match

local _M = {}

-- Fields that make a request more than "authenticate, then send to the one upstream".
local STEPS = {
    "refuse",
    "redirect",
    "cors",
    "bodyLimit",
    "rewrite",
    "host",
    "requestHeaders",
    "responseHeaders",
    "mirrors",
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

-- Do source ranges or auth come first?
local function is_checked(holder)
    return #holder.auths > 0 or holder.allow ~= nil or holder.deny ~= nil
end

-- Does the response need work?
local function responds(holder)
    return holder.cors ~= nil
        or holder.responseHeaders ~= nil
        or holder.session ~= nil
        or holder.deadlines ~= nil
end

--- Adds to a decoded route: `checked` (source ranges or auth come first), `responds` (the response needs work), `fixed`
--- (upstream id of a route without any choice or filter), `plain` (fixed and not checked).
function _M.prepare(route)
    route.checked = is_checked(route)
    route.responds = responds(route)
    route.fixed = not has_steps(route) and only_upstream(route) or nil
    route.plain = route.fixed ~= nil and not route.checked
end

--- Adds `checked` and `responds` to the filters of a backend, and `choice` to the backend: what finds its filters again
--- when the response comes.
---@param position integer in the route's list
function _M.prepare_backend(backend, position)
    local filters = backend.filters
    filters.checked = is_checked(filters)
    filters.responds = responds(filters)
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
