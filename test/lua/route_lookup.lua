--- Asks the router for tests: builds a host's table from lists of bindings and looks paths up in it.
local host_table = require("alb.route.host_table")
local prefix = require("alb.route.prefix")
local select_candidate = require("alb.route.select").select

local _M = {}

--- The route of each path, "" for none; and whether the table needed no search.
function _M.lookup(lists, paths)
    local built = host_table.build(lists)
    local found = {}
    for i = 1, #paths do
        local candidate
        if built.simple then
            candidate = built.exact_winners[paths[i]]
                or prefix.longest(built.winners, built.depth, paths[i])
        else
            candidate = select_candidate(built, paths[i])
        end
        found[i] = candidate and candidate.route or ""
    end
    return found, built.simple
end

--- The result of a lookup in the general way, whatever kind of table it is.
function _M.search(lists, paths)
    local built = host_table.build(lists)
    local found = {}
    for i = 1, #paths do
        local candidate = select_candidate(built, paths[i])
        found[i] = candidate and candidate.route or ""
    end
    return found
end

return _M
