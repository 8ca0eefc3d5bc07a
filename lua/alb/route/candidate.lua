--- A candidate: one binding in a host's table, with its route once that has been looked up.
--
-- The fields that every request reads are in the array part of the table, adjacent in memory: with thousands of routes
-- in use, a request spends most of its time in Lua waiting for memory. May yield: no. Pure.
local _M = {
    --- Number of the commit for which ROUTE and UPSTREAM are valid; 0: not looked up yet.
    SEQ = 1,
    --- Route id.
    ID = 2,
    --- The prepared route; false if the commit has none.
    ROUTE = 3,
    --- The prepared upstream of a plain route; false for other routes.
    UPSTREAM = 4,
    --- Address and port of the only endpoint of UPSTREAM; false if it has several.
    ADDRESS = 5,
    PORT = 6,
    --- Row in which the route's requests are counted; false if nothing is counted.
    ROW = 7,
}

--- Creates a candidate. host_table.lua adds `when` (conditions) and `expression` if the binding has them. A request
--- whose candidate is `broken` is refused.
---@param rank integer its position in the order of the bindings
---@param route_id string
---@param listener string? from which the route inherits auth
function _M.new(rank, route_id, listener)
    return { 0, route_id, false, false, false, false, false, rank = rank, listener = listener }
end

--- The broken copy of a candidate whose conditions can't be decided. Skipping the candidate instead could let a wider
--- rule serve a request that this one protects.
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
