--- Hosts, and the host keys of the policy: "" (any host), "a.example", "*.example" (one label), "**.example" (any
-- depth).
-- May yield: no. Pure.
local ip_address = require("alb.ip_address")

local re_find = ngx.re.find
local str_byte = string.byte
local str_find = string.find
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub

local _M = {}

local DOT = 46

-- A DNS name (RFC 1035, 2.3.4) of letters, digits, "-" and "_".
local NAME = [[\A(?=.{1,253}\z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\z]]
-- Text that some servers read as an IPv4 address: `127.1`, `0x7f000001` (URL Standard, 3.5).
local NUMBERS = [[\A(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}\z]]

--- The spelling in which hosts are compared: a DNS name, an IPv4 address, or an IPv6 address in brackets.
-- Backends interpret other texts differently, so no key could name their owner.
---@param host string lower case, without port and trailing dot
---@return string? host nil if no key can match it
function _M.canonical(host)
    local address = str_match(host, "^%[(.*:.*)%]$")
    if address or re_find(host, NUMBERS, "jo") then
        local bytes = ip_address.parse(address or host)
        return bytes and ip_address.format(bytes)
    end
    return re_find(host, NAME, "jo") and host or nil
end

--- The server name of a TLS handshake (RFC 6066, 3) in the spelling in which hosts are compared: lower case, without
--- trailing dot; "" if the client sent none.
---@param name string?
---@return string
function _M.of_server_name(name)
    if not name or name == "" then
        return ""
    end
    if str_byte(name, -1) == DOT then
        name = str_sub(name, 1, -2)
    end
    return str_lower(name)
end

--- Every key that matches the host, the most specific first.
---@param host string lower case, without port and trailing dot
---@return string[]
function _M.matching(host)
    local keys, n = { host }, 1
    local dot = str_find(host, ".", 1, true)
    if dot then
        n = n + 1
        keys[n] = "*" .. str_sub(host, dot)
    end
    while dot do
        n = n + 1
        keys[n] = "**" .. str_sub(host, dot)
        dot = str_find(host, ".", dot + 1, true)
    end
    keys[n + 1] = ""
    return keys
end

--- Returns whether a key matches the host.
function _M.covers(key, host)
    if key == "" or key == host then
        return true
    end
    if str_sub(key, 1, 2) == "**" then
        local tail = str_sub(key, 3)
        return str_sub(host, -#tail) == tail
    end
    if str_sub(key, 1, 1) == "*" then
        local dot = str_find(host, ".", 1, true)
        return dot ~= nil and str_sub(host, dot) == str_sub(key, 2)
    end
    return false
end

return _M
