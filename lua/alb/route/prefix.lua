--- The winner of a path where the path alone decides.
-- One table has all that is needed: its keys are element prefixes (`/a` covers `/a`, `/a/` and `/a/b`, not `/ab`), its
-- first three slots are DEPTH, EXACT and STARTS. May yield: no. Pure.
local bytes = require("alb.bytes")
local ffi = require("ffi")

local bytes_of = bytes.of
local find_byte = bytes.find
local ffi_str = ffi.string

local SLASH = 47

local _M = {
    --- The maximum number of elements of an element prefix.
    DEPTH = 1,
    --- Winners of exact paths, not counting STARTS; false if there are none.
    EXACT = 2,
    --- Winners by string prefix, the shorter ones counted, and the lengths of these prefixes in descending order; false
    --- if there are none.
    STARTS = 3,
}
local DEPTH, EXACT, STARTS = _M.DEPTH, _M.EXACT, _M.STARTS

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

-- Creates strings only of the first elements.
local function longest(winners, path, length)
    local depth = winners[DEPTH]
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

-- No loop, as above.
local function longest_start(starts, i, path, length)
    local size = starts[i]
    if not size then
        return nil
    end
    return size <= length and starts[ffi_str(path, size)]
        or longest_start(starts, i + 1, path, length)
end

--- The earlier one of two candidates, either of which may be nil.
function _M.earlier(a, b)
    if a and (not b or a.rank < b.rank) then
        return a
    end
    return b
end
local earlier = _M.earlier

--- The best of the element prefixes of a path; nil if there is none.
---@param winners table
---@param path string
function _M.longest(winners, path)
    return longest(winners, bytes_of(path), #path)
end

--- The winner of a path; nil if there is none.
---@param winners table
---@param path ffi.cdata* its bytes
---@param length integer number of bytes
function _M.winner(winners, path, length)
    local exact = winners[EXACT]
    local found = exact and exact[ffi_str(path, length)] or longest(winners, path, length)
    local starts = winners[STARTS]
    return starts and earlier(found, longest_start(starts, 1, path, length)) or found
end

return _M
