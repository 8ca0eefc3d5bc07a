--- Lists of addresses and CIDRs: is the client in one of them?
-- Ranges are grouped by prefix length, so a lookup costs one hash lookup for each length in use.
-- May yield: no. Phases: any with a request.
local bit = require("bit")
local ip_address = require("alb.ip_address")

local var = ngx.var
local band, lshift = bit.band, bit.lshift
local str_byte = string.byte
local str_char = string.char
local str_sub = string.sub

local _M = {}

local V4, V6 = 4, 16
local MAPPED = "\0\0\0\0\0\0\0\0\0\0\255\255"

-- The leading bits of an address as a string to look up.
local function prefix_of(bytes, whole, rest)
    if rest == 0 then
        return str_sub(bytes, 1, whole)
    end
    local mask = band(lshift(255, 8 - rest), 255)
    return str_sub(bytes, 1, whole) .. str_char(band(str_byte(bytes, whole + 1), mask))
end

--- Makes a list ready for `contains`.
---@param texts string[] addresses and CIDRs
---@return table? ranges
---@return string? err the text that is neither
function _M.prepare(texts)
    local ranges = { [V4] = {}, [V6] = {} }
    local groups = {}
    for i = 1, #texts do
        local cidr = ip_address.parse_cidr(texts[i])
        if not cidr then
            return nil, texts[i]
        end
        local family = ranges[#cidr.bytes]
        local id = #cidr.bytes * 1000 + cidr.whole * 8 + cidr.rest
        local group = groups[id]
        if not group then
            group = { whole = cidr.whole, rest = cidr.rest, prefixes = {} }
            groups[id] = group
            family[#family + 1] = group
        end
        group.prefixes[prefix_of(cidr.bytes, cidr.whole, cidr.rest)] = true
    end
    return ranges
end

--- The client's address as 4 or 16 bytes; another length if it has none (a unix socket).
function _M.client()
    local bytes = var.binary_remote_addr or ""
    if #bytes == V6 and str_sub(bytes, 1, 12) == MAPPED then
        return str_sub(bytes, 13)
    end
    return bytes
end

--- Is the address, as bytes, in one of the ranges?
function _M.contains(ranges, bytes)
    local groups = ranges[#bytes]
    if not groups then
        return false
    end
    for i = 1, #groups do
        local group = groups[i]
        if group.prefixes[prefix_of(bytes, group.whole, group.rest)] then
            return true
        end
    end
    return false
end

return _M
