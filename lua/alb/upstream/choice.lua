--- The backend of a request: that of its session, of its affinity, or the next by weight.
--
-- A choice is kept as text in $albc_choice, since nothing else survives a request that begins again. Two kinds: what is
-- chosen early, for `backend` to find, and what the request is forwarded to, for header_filter to find.
-- May yield: no. Phases: early, backend and enter in access; filters in header_filter.
local affinity = require("alb.upstream.affinity")
local session = require("alb.upstream.session")
local weighted = require("alb.upstream.weighted")

local ngx = ngx
local var = ngx.var
local str_match = string.match
local tonumber = tonumber

local _M = {}

-- Its position in the route and its upstream, which tells whether the route has changed since.
local function name_of(route, backend)
    local backends = route.backends
    for i = 1, #backends do
        if backends[i] == backend then
            return i .. " " .. (backend.upstream or "")
        end
    end
end

local function named(route, position, upstream)
    local backend = position and route.backends and route.backends[tonumber(position)]
    return backend and (backend.upstream or "") == upstream and backend or nil
end

-- The backend and position of the session's endpoint.
local function resume(route, early)
    local backend, position = session.resume(route)
    if backend and early and backend.reads and not early.reads then
        -- The rule's filters have named another session, and it is too late to await a body for its backend.
        session.forget()
        return nil
    end
    return backend, position
end

--- The backend that the request goes to, unless what follows ends it.
---@param route table prepared
---@return table? backend nil if none has a weight
---@return integer? position of the session's endpoint in its upstream
---@return string? key affinity key
function _M.backend(route)
    local early = route.backend_reads
        and named(route, str_match(var.albc_choice, "^early (%d+) (%S*)$"))
    if route.session then
        local backend, position = resume(route, early)
        if backend then
            return backend, position
        end
    end
    if early then
        return early
    end
    local key = (route.affinity or route.hashBy) and affinity.key(route) or nil
    return key and affinity.backend(key, route) or weighted.choose(route), nil, key
end

--- Chooses before the filters of the rule change the request; `backend` chooses the same one, also if the request
--- begins again.
---@param route table prepared, with `backend_reads`; HTTPRoutes have no affinity, so there is no key to remember
---@return table? backend nil if none has a weight
function _M.early(route)
    local backend = _M.backend(route)
    if route.session then
        -- The rule's filters may still change it.
        session.forget()
    end
    if backend then
        var.albc_choice = "early " .. name_of(route, backend)
    end
    return backend
end

--- Remembers what the request is forwarded to, for `filters`.
function _M.enter(route, backend)
    var.albc_choice = name_of(route, backend)
end

--- The filters of the backend that the request has entered; nil if there is none, or if the route has changed since.
---@param route table prepared
---@return table? filters
function _M.filters(route)
    local text = var.albc_choice
    if text == "" then
        return nil
    end
    local backend = named(route, str_match(text, "^(%d+) (%S*)$"))
    return backend and backend.filters or nil
end

return _M
