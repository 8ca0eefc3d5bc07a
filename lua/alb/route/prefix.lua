--- Longest element prefix of a path: `/a` covers `/a`, `/a/` and `/a/b`, not `/ab`.
-- All that a path's winner takes is in one table: prefixes are its keys, and its first slots hold two more things.
-- May yield: no. Pure.
local str_find = string.find
local str_sub = string.sub

local _M = {
    --- The most elements of a prefix.
    DEPTH = 1,
    --- Winners of exact paths; false when there are none.
    EXACT = 2,
}

-- A tail call and no loop: LuaJIT compiles no trace that begins outside of a loop and meets one.
local function deep(winners, left, path, slash, found)
    if left == 0 then
        return found
    end
    slash = str_find(path, "/", slash + 1, true)
    if not slash then
        return winners[path] or found
    end
    return deep(winners, left - 1, path, slash, winners[str_sub(path, 1, slash - 1)] or found)
end

--- The winner of a path; nil when there is none.
---@param winners table<string, table> by prefix without trailing slash; `[""]` is the prefix `/`
---@param depth integer the most elements of a prefix
---@param path string
function _M.longest(winners, depth, path)
    if depth == 0 then
        return winners[""]
    end
    local slash = str_find(path, "/", 2, true)
    if not slash then
        return winners[path] or winners[""]
    end
    local found = winners[str_sub(path, 1, slash - 1)]
    if depth == 1 then
        return found or winners[""]
    end
    return deep(winners, depth - 1, path, slash, found) or winners[""]
end

return _M
