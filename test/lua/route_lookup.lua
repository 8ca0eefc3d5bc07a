--- Asks the router for tests: builds a host's table from lists of bindings and looks paths up in it.
local candidates = require("alb.route.candidate")
local predicates = require("alb.route.predicates")
local host_table = require("alb.route.host_table")
local lookup = require("alb.route.lookup")
local select_candidate = require("alb.route.select").select

local _M = {}

local function routes(built, find, paths)
    predicates.start()
    local found = {}
    for i = 1, #paths do
        local candidate = find(built, paths[i])
        found[i] = candidate and candidate[candidates.ID] or ""
    end
    return found
end

--- The route of each path, "" for none; and whether the table needed no search.
function _M.lookup(lists, paths)
    local built = host_table.build(lists)
    return routes(built, lookup.find, paths), host_table.is_simple(built)
end

--- The result of a lookup in the general way, whatever kind of table it is.
function _M.search(lists, paths)
    return routes(host_table.index(lists), select_candidate, paths)
end

--- For each path: is the rule that it meets one that can not be decided?
function _M.undecided(lists, paths)
    local built, found = host_table.build(lists), {}
    predicates.start()
    for i = 1, #paths do
        local candidate = lookup.find(built, paths[i])
        found[i] = candidate ~= nil and candidate.broken == true
    end
    return found
end

return _M
