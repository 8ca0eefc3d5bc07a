--- IPv4 and IPv6 addresses as byte strings, and CIDRs.
-- May yield: no. Pure.
local bit = require("bit")

local str_byte = string.byte
local str_char = string.char
local str_find = string.find
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber
local concat = table.concat

local _M = {}

local function parse_v4(text)
    local a, b, c, d = str_match(text, "^(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)$")
    if not a or str_find("." .. text, "%.0%d") then
        return nil
    end
    a, b, c, d = tonumber(a), tonumber(b), tonumber(c), tonumber(d)
    if a > 255 or b > 255 or c > 255 or d > 255 then
        return nil
    end
    return str_char(a, b, c, d)
end

-- Bytes of colon-separated groups; the last group may be an IPv4 address if the text ends with it.
local function parse_groups(text, is_end)
    if text == "" then
        return ""
    end
    local bytes, n, pos = {}, 0, 1
    while true do
        local colon = str_find(text, ":", pos, true)
        local group = str_sub(text, pos, (colon or 0) - 1)
        n = n + 1
        if str_match(group, "^%x%x?%x?%x?$") then
            local value = tonumber(group, 16)
            bytes[n] = str_char(bit.rshift(value, 8), bit.band(value, 255))
        elseif is_end and not colon and parse_v4(group) then
            bytes[n] = parse_v4(group)
        else
            return nil
        end
        if not colon then
            return concat(bytes)
        end
        pos = colon + 1
    end
end

local function parse_v6(text)
    local gap = str_find(text, "::", 1, true)
    if not gap then
        local bytes = parse_groups(text, true)
        return bytes and #bytes == 16 and bytes or nil
    end
    local head = parse_groups(str_sub(text, 1, gap - 1), false)
    local tail = parse_groups(str_sub(text, gap + 2), true)
    if not head or not tail or #head + #tail > 14 then
        return nil
    end
    return head .. ("\0"):rep(16 - #head - #tail) .. tail
end

--- Returns the 4 or 16 bytes of an address, 4 for an IPv4-mapped IPv6 address; nil for any other text.
function _M.parse(text)
    if not str_find(text, ":", 1, true) then
        return parse_v4(text)
    end
    local bytes = parse_v6(text)
    if bytes and str_sub(bytes, 1, 12) == "\0\0\0\0\0\0\0\0\0\0\255\255" then
        return str_sub(bytes, 13)
    end
    return bytes
end

-- Start and length of the longest run of zeros, the first of several (RFC 5952, 4.2); length 1 means none.
local function longest_gap(groups)
    local first, longest, length = 0, 1, 0
    for i = 1, #groups do
        length = groups[i] == "0" and length + 1 or 0
        if length > longest then
            first, longest = i - length + 1, length
        end
    end
    return first, longest
end

--- Returns the text of an address's bytes (see parse); IPv6 as in RFC 5952, in brackets.
function _M.format(bytes)
    if #bytes == 4 then
        return concat({ str_byte(bytes, 1, 4) }, ".")
    end
    local groups = {}
    for i = 1, 8 do
        local high, low = str_byte(bytes, 2 * i - 1, 2 * i)
        groups[i] = ("%x"):format(high * 256 + low)
    end
    local first, length = longest_gap(groups)
    if length == 1 then
        return "[" .. concat(groups, ":") .. "]"
    end
    return "["
        .. concat(groups, ":", 1, first - 1)
        .. "::"
        .. concat(groups, ":", first + length)
        .. "]"
end

--- Prepares an address or CIDR for `contains`; nil for any other text.
function _M.parse_cidr(text)
    local slash = str_find(text, "/", 1, true)
    local bytes = _M.parse(slash and str_sub(text, 1, slash - 1) or text)
    if not bytes then
        return nil
    end
    local length = #bytes * 8
    if slash then
        local digits = str_match(text, "^%d+$", slash + 1)
        length = tonumber(digits)
        if not length or length > #bytes * 8 then
            return nil
        end
    end
    return { bytes = bytes, whole = math.floor(length / 8), rest = length % 8 }
end

--- Returns whether the bytes of an address (see parse) are inside the CIDR.
function _M.contains_bytes(cidr, bytes)
    if
        #bytes ~= #cidr.bytes
        or str_sub(bytes, 1, cidr.whole) ~= str_sub(cidr.bytes, 1, cidr.whole)
    then
        return false
    end
    if cidr.rest == 0 then
        return true
    end
    local shift = 8 - cidr.rest
    local a, b = str_byte(bytes, cidr.whole + 1), str_byte(cidr.bytes, cidr.whole + 1)
    return bit.rshift(a, shift) == bit.rshift(b, shift)
end

--- Returns whether the address, given as text, is inside the CIDR. False for a nil CIDR or text that is no address.
function _M.contains(cidr, text)
    local bytes = cidr and _M.parse(text)
    return bytes ~= nil and bytes ~= false and _M.contains_bytes(cidr, bytes)
end

return _M
