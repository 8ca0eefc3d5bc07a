--- Which origins a CORS policy allows.
-- Patterns: `*`, an origin, or one whose host begins with `*.` (one label) or `**.` (any depth).
-- The host `*` alone stands for all of a scheme. May yield: no. Pure.
local str_find = string.find
local str_gsub = string.gsub
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub

local _M = {}

-- Browsers leave the scheme's own port out (RFC 6454, 6.2).
local function without_default_port(origin)
    local text = str_gsub(origin, "^(http://.+):80$", "%1")
    return (str_gsub(text, "^(https://.+):443$", "%1"))
end

-- `*` must be a whole label; a host that is nothing but `*` is any host.
local function parse_wildcard(pattern)
    local scheme, stars, suffix = str_match(pattern, "^([^:/]+://)(%*%*?)(.*)$")
    if not scheme or not str_find(suffix, "^[.:]") and suffix ~= "" then
        return nil
    end
    local one_label = stars == "*" and str_find(suffix, "^%.") ~= nil
    return { scheme = scheme, suffix = suffix, foreign = one_label and "[^%w_-]" or "[^%w_.-]" }
end

--- Prepares a list of patterns.
---@param patterns string[]
---@return table matcher
function _M.prepare(patterns)
    local matcher = { any = false, exact = {}, wildcards = {} }
    for i = 1, #patterns do
        local pattern = without_default_port(str_lower(patterns[i]))
        local wildcard = parse_wildcard(pattern)
        if pattern == "*" then
            matcher.any = true
        elseif wildcard then
            matcher.wildcards[#matcher.wildcards + 1] = wildcard
        else
            matcher.exact[pattern] = true
        end
    end
    return matcher
end

local function covers(wildcard, origin)
    local scheme, suffix = wildcard.scheme, wildcard.suffix
    if #origin <= #scheme + #suffix or str_sub(origin, 1, #scheme) ~= scheme then
        return false
    end
    if suffix ~= "" and str_sub(origin, -#suffix) ~= suffix then
        return false
    end
    return not str_find(str_sub(origin, #scheme + 1, -#suffix - 1), wildcard.foreign)
end

--- Is the value of an Origin header allowed?
---@param matcher table
---@param value string
---@return boolean
function _M.allowed(matcher, value)
    if matcher.any then
        return true
    end
    local origin = without_default_port(str_lower(value))
    if matcher.exact[origin] then
        return true
    end
    local wildcards = matcher.wildcards
    for i = 1, #wildcards do
        if covers(wildcards[i], origin) then
            return true
        end
    end
    return false
end

return _M
