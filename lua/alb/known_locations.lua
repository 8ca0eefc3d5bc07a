--- The locations of nginx.conf that exist only because a route's settings need them (templates/partials/lua.conf.hbs).
--
-- A worker of before a reload may already have the policy of a route whose locations that reload brings. Then it does
-- less for the request, never more: see what calls `has`.
-- May yield: no. Phases: start in init; has in any.
local _M = {}

local known = {}

--- Called by init_by_lua of each configuration.
---@param names string[]
function _M.start(names)
    for i = 1, #names do
        known[names[i]] = true
    end
end

---@param name string
---@return boolean
function _M.has(name)
    return known[name] == true
end

return _M
