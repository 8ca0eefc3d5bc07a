--- From a host's table and a path to the candidate.
-- May yield: no. Phases: access.
local prefix = require("alb.route.prefix")
local select_candidate = require("alb.route.select").select

local longest_prefix = prefix.longest
local DEPTH, EXACT = prefix.DEPTH, prefix.EXACT

local _M = {}

--- The candidate for a path in a table that host_table.lua built; nil when there is none.
---@param path string normalised path
function _M.find(built, path)
    local depth = built[DEPTH]
    if not depth then
        return select_candidate(built, path)
    end
    local exact = built[EXACT]
    return exact and exact[path] or longest_prefix(built, depth, path)
end

return _M
