--- What both dialects of CORS share: which origins a policy allows, its lists as header values, and Vary.
-- May yield: no. Phases: prepare in any; allows, put_lists and vary_by_origin in access and header_filter.
local ngx = ngx
local var = ngx.var
local concat = table.concat
local re_find = ngx.re.find
local str_find = string.find
local str_gsub = string.gsub
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub
local tostring = tostring
local type = type

local _M = {}

-- Browsers omit the scheme's default port (RFC 6454, 6.2).
local function without_default_port(origin)
    local text = str_gsub(origin, "^(http://.+):80$", "%1")
    return (str_gsub(text, "^(https://.+):443$", "%1"))
end

-- `*` must be a whole label; the host `*` alone means any host.
local function parse_wildcard(pattern)
    local scheme, stars, suffix = str_match(pattern, "^([^:/]+://)(%*%*?)(.*)$")
    if not scheme or not str_find(suffix, "^[.:]") and suffix ~= "" then
        return nil
    end
    local one_label = stars == "*" and str_find(suffix, "^%.") ~= nil
    return { scheme = scheme, suffix = suffix, foreign = one_label and "[^%w_-]" or "[^%w_.-]" }
end

local function prepare_origins(patterns)
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

-- A list as a header value; nil for an empty one.
local function joined(list)
    return list and #list > 0 and concat(list, ", ") or nil
end

--- Prepares a decoded Cors.
---@param cors table
---@param origins string[] `*`, an origin, or an origin whose host is `*` or begins with `*.` (one label) or `**.` (any
--- depth)
function _M.prepare(cors, origins)
    cors.matcher = prepare_origins(origins)
    cors.allow_methods = joined(cors.methods)
    cors.allow_headers = joined(cors.headers)
    cors.expose_headers = joined(cors.expose)
    cors.max_age = tostring(cors.maxAge)
    -- If any origin is allowed without credentials, the response is the same for all origins.
    cors.varies = cors.credentials or not cors.matcher.any
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

--- Returns whether the policy allows the value of an Origin header.
---@param cors table prepared
---@param value string
---@return boolean
function _M.allows(cors, value)
    local matcher = cors.matcher
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

-- With credentials, browsers take `*` for a name instead of a wildcard, so the requested names are allowed.
local function named(cors, list, requested)
    if list == "*" and cors.credentials then
        return requested
    end
    return list
end

--- Writes which methods and headers are allowed, and how long browsers may remember that.
---@param cors table prepared
---@param header table ngx.header
function _M.put_lists(cors, header)
    header["Access-Control-Allow-Methods"] =
        named(cors, cors.allow_methods, var.http_access_control_request_method)
    header["Access-Control-Allow-Headers"] =
        named(cors, cors.allow_headers, var.http_access_control_request_headers)
    header["Access-Control-Max-Age"] = cors.max_age
end

--- Adds Origin to Vary if the response depends on the origin, unless it is there (RFC 9110, 12.5.5).
---@param cors table prepared
---@param header table ngx.header
function _M.vary_by_origin(cors, header)
    if not cors.varies then
        return
    end
    local vary = header["Vary"]
    if type(vary) == "table" then
        vary = concat(vary, ", ")
    end
    if not vary or vary == "" then
        header["Vary"] = "Origin"
    elseif not re_find(vary, [[(?:^|,)\s*(?:origin|\*)\s*(?:,|$)]], "ijo") then
        header["Vary"] = vary .. ", Origin"
    end
end

return _M
