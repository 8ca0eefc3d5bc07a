--- Longest element prefix of a path: `/a` covers `/a`, `/a/` and `/a/b`, not `/ab`.
-- May yield: no. Pure.
local str_find = string.find
local str_sub = string.sub

local _M = {}

local function deep(winners, left, path, slash, found)
    for _ = 1, left do
        slash = str_find(path, "/", slash + 1, true)
        if not slash then
            return winners[path] or found
        end
        found = winners[str_sub(path, 1, slash - 1)] or found
    end
    return found
end

--- The entry of the longest element prefix of `path`; `winners[""]` when none is longer.
-- The first two elements are written out: a loop here would keep LuaJIT from compiling the router into one trace.
---@param winners table<string, table> by prefix without trailing slash
---@param depth integer the most elements of a prefix
---@param path string
function _M.longest(winners, depth, path)
    local found = winners[""]
    if depth == 0 then
        return found
    end
    local slash = str_find(path, "/", 2, true)
    if not slash then
        return winners[path] or found
    end
    found = winners[str_sub(path, 1, slash - 1)] or found
    if depth == 1 then
        return found
    end
    slash = str_find(path, "/", slash + 1, true)
    if not slash then
        return winners[path] or found
    end
    found = winners[str_sub(path, 1, slash - 1)] or found
    if depth == 2 then
        return found
    end
    return deep(winners, depth - 2, path, slash, found)
end

return _M
