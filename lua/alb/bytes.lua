--- Searches and compares bytes that are not Lua strings.
-- May yield: no. Pure.
local ffi = require("ffi")

ffi.cdef([[
int memcmp(const void *a, const void *b, size_t length);
void *memchr(const void *bytes, int byte, size_t length);
void *memmem(const void *bytes, size_t length, const void *part, size_t part_length);
uintptr_t ngx_escape_uri(unsigned char *to, const unsigned char *bytes, size_t length, unsigned int type);
]])

local C = ffi.C
local cast = ffi.cast
local const_bytes = ffi.typeof("const unsigned char *")
local tonumber = tonumber
local NGX_ESCAPE_URI = 0

local _M = {}

--- Offset of the first occurrence of a byte; nil if there is none.
---@param bytes ffi.cdata*
---@param first integer offset where the search begins
---@param length integer number of all bytes
---@param byte integer
---@return integer?
function _M.find(bytes, first, length, byte)
    if first >= length then
        return nil
    end
    local found = C.memchr(bytes + first, byte, length - first)
    if found == nil then
        return nil
    end
    return tonumber(cast(const_bytes, found) - cast(const_bytes, bytes))
end

--- Returns whether the bytes contain those of a Lua string.
---@param bytes ffi.cdata*
---@param length integer
---@param text string
function _M.contain(bytes, length, text)
    return C.memmem(bytes, length, text, #text) ~= nil
end

--- Returns whether the first `length` bytes are equal.
---@param a ffi.cdata*
---@param b ffi.cdata*
---@param length integer
function _M.equal(a, b, length)
    return a == b or C.memcmp(a, b, length) == 0
end

--- Returns whether a path holds only bytes that nginx would write into a URI as they are: no blank, control byte, byte
--- above 126, `%`, `?`, `#` or `\`, and a few others.
---@param bytes ffi.cdata*
---@param length integer
function _M.are_plain(bytes, length)
    -- Without a place to write to, it returns the number of bytes to escape.
    return C.ngx_escape_uri(nil, bytes, length, NGX_ESCAPE_URI) == 0
end

--- The bytes of a Lua string; valid as long as the string is referenced.
---@param text string
function _M.of(text)
    return cast(const_bytes, text)
end

--- The two hexadecimal digits of each byte, as they stand in memory.
_M.digits = ffi.new("uint16_t[256]")
for byte = 0, 255 do
    ffi.copy(_M.digits + byte, string.format("%02x", byte), 2)
end

return _M
