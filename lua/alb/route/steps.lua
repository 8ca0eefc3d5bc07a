--- Says at decode time which steps a route needs, so that the request path only tests flags.
-- May yield: no. Pure.
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
    "affinity",
    "timeouts",
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
        and only.weight > 0
        and only.protocol == "http"
    then
        return only.upstream
    end
    return nil
end

--- Adds to a decoded route: `checked` (source ranges or auth come first), `responds` (the response needs work), `fixed`
--- (upstream id of a route without any choice or filter), `plain` (fixed and not checked).
function _M.prepare(route)
    route.checked = #route.auths > 0 or route.allow ~= nil or route.deny ~= nil
    route.responds = route.cors ~= nil or route.responseHeaders ~= nil
    route.fixed = not has_steps(route) and only_upstream(route) or nil
    route.plain = route.fixed ~= nil and not route.checked
end

return _M
