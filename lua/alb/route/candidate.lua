--- One rule at one place of a host's table, and what is known of its route.
--
-- What every request reads stands in the array part of the table, side by side in memory: with thousands of routes in
-- use most of a request's time in Lua is waiting for memory. May yield: no. Pure.
local _M = {
    --- Number of the commit as of which ROUTE and UPSTREAM hold; 0: not looked up yet.
    SEQ = 1,
    --- Route id.
    ID = 2,
    --- The prepared route; false when the commit has none.
    ROUTE = 3,
    --- The prepared upstream, if that is all there is to decide about a request; else false.
    UPSTREAM = 4,
}

--- A candidate of rank `rank` (its place in the order of the bindings). `when` (conditions) and `expression` are
--- added by host_table.lua where there are any. What ends at a `broken` one is refused.
---@param rank integer
---@param route_id string
---@param listener string? from which the route inherits auth
function _M.new(rank, route_id, listener)
    return { 0, route_id, false, false, rank = rank, listener = listener }
end

--- What a request meets whose rule can not be decided: the same rule, broken. Were it passed over, a wider rule would
--- serve what it may protect.
function _M.undecided(candidate)
    local broken = candidate.undecided
    if not broken then
        broken = _M.new(candidate.rank, candidate[_M.ID])
        broken.broken = true
        candidate.undecided = broken
    end
    return broken
end

return _M
