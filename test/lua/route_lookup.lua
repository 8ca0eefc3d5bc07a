--- Builds the table of a host from lists of bindings and looks up paths in it.
local candidates = require("alb.route.candidate")
local predicates = require("alb.route.predicates")
local host_table = require("alb.route.host_table")
local find = require("alb.route.select").find

local _M = {}

local function routes(built, paths)
    predicates.start()
    local found = {}
    for i = 1, #paths do
        local candidate = find(built, paths[i])
        found[i] = candidate and candidate[candidates.ID] or ""
    end
    return found
end

--- The route of each path, "" for none; and whether the path alone decides.
function _M.lookup(lists, paths)
    local built = host_table.build(lists)
    return routes(built, paths), host_table.is_simple(built)
end

--- The same by searching the index, even if the path alone decides.
function _M.search(lists, paths)
    return routes(host_table.index(lists), paths)
end

--- For each path: whether its rule can't be decided.
function _M.undecided(lists, paths)
    local built, found = host_table.build(lists), {}
    predicates.start()
    for i = 1, #paths do
        local candidate = find(built, paths[i])
        found[i] = candidate ~= nil and candidate.broken == true
    end
    return found
end

return _M
