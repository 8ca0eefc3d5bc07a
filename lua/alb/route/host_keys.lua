--- Hosts, and host keys of the policy: "" (any host), "a.example", "*.example" (one label), "**.example" (any depth).
-- May yield: no. Pure.
local re_find = ngx.re.find
local str_find = string.find
local str_sub = string.sub

local _M = {}

-- A DNS name (RFC 1035, 2.3.4) of letters, digits, "-" and "_", an IPv4 address, or an IPv6 address in brackets.
local NAME = [[(?=.{1,253}\z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*]]
local HOST = [[\A(?:]] .. NAME .. [[|\[[0-9a-f:.]{2,45}\])\z]]

--- Can a request be for this host? Backends read other texts in their own ways, so no key could say whose they are.
---@param host string lower case, without port and trailing dot
function _M.is_host(host)
    return re_find(host, HOST, "jo") ~= nil
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

--- Does one key match the host?
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
