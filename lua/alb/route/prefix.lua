--- Longest element prefix of a path: `/a` covers `/a`, `/a/` and `/a/b`, not `/ab`.
-- One table has all that is needed to find a path's winner: its keys are the prefixes, its first two slots are DEPTH
-- and EXACT. May yield: no. Pure.
local bytes = require("alb.bytes")
local ffi = require("ffi")

local bytes_of = bytes.of
local find_byte = bytes.find
local ffi_str = ffi.string

local SLASH = 47

local _M = {
    --- The maximum number of elements of a prefix.
    DEPTH = 1,
    --- Winners of exact paths; false if there are none.
    EXACT = 2,
}

-- A tail call instead of a loop: LuaJIT compiles no trace that starts outside a loop and enters it.
local function deep(winners, left, path, length, slash, found)
    if left == 0 then
        return found
    end
    slash = find_byte(path, slash + 1, length, SLASH)
    if not slash then
        return winners[ffi_str(path, length)] or found
    end
    return deep(winners, left - 1, path, length, slash, winners[ffi_str(path, slash)] or found)
end

--- The winner of a path; nil if there is none. Creates strings only of the first `depth` elements.
---@param winners table<string, table> by prefix without trailing slash; `[""]` is the prefix `/`
---@param depth integer the maximum number of elements of a prefix
---@param path ffi.cdata* its bytes
---@param length integer number of bytes
function _M.longest_of(winners, depth, path, length)
    if depth == 0 then
        return winners[""]
    end
    local slash = find_byte(path, 1, length, SLASH)
    if not slash then
        return winners[ffi_str(path, length)] or winners[""]
    end
    local found = winners[ffi_str(path, slash)]
    if depth == 1 then
        return found or winners[""]
    end
    return deep(winners, depth - 1, path, length, slash, found) or winners[""]
end

--- The same for a path that is a string.
---@param winners table<string, table>
---@param depth integer
---@param path string
function _M.longest(winners, depth, path)
    return _M.longest_of(winners, depth, bytes_of(path), #path)
end

return _M
