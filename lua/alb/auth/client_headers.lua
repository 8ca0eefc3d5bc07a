--- The client's headers as nginx holds them: read in place and in order, without a limit on their number.
-- May yield: no; what `read` gives is valid until the next yield. Phases: access.
local base = require("resty.core.base")
local ffi = require("ffi")
local headers = require("alb.headers")
require("resty.core.request")

local C = ffi.C
local ffi_new = ffi.new
local ffi_str = ffi.string
local prefixes = headers.prefixes
local special = headers.special
local get_request = base.get_request
local clear_header = ngx.req.clear_header
local str_find = string.find
local str_gmatch = string.gmatch
local str_gsub = string.gsub
local str_lower = string.lower
local str_sub = string.sub
local var = ngx.var

local _M = {
    --- Headers that say where a request came from, and how, with the variables of the values that backends get: never
    -- what a client claims, unless it is a trusted proxy.
    ORIGIN = {
        { "X-Real-IP", "remote_addr" },
        { "X-Forwarded-For", "albc_xff" },
        { "X-Forwarded-Proto", "albc_scheme" },
        { "X-Forwarded-Host", "albc_fwd_host" },
        { "X-Forwarded-Port", "albc_fwd_port" },
        { "X-Scheme", "albc_scheme" },
        { "X-Original-URI", "request_uri" },
    },
}

local UNLIMITED, LOWER_CASE = 0, 0

local capacity = 64
local elements = ffi_new("ngx_http_lua_ffi_table_elt_t[?]", capacity)
local truncated = ffi_new("int[1]")

--- All header lines: an array of `key` and `value`, each with `data` and `len`; keys in lower case.
---@return ffi.cdata* elements
---@return integer count
function _M.read()
    local request = get_request()
    local count = C.ngx_http_lua_ffi_req_get_headers_count(request, UNLIMITED, truncated)
    if count > capacity then
        capacity = count
        elements = ffi_new("ngx_http_lua_ffi_table_elt_t[?]", capacity)
    end
    if count > 0 then
        C.ngx_http_lua_ffi_req_get_headers(request, elements, count, LOWER_CASE)
    end
    return elements, count
end

--- The name with hyphens, as read by servers that do not distinguish `_` from `-` (all that follow CGI).
function _M.fold(name)
    if str_find(name, "_", 1, true) then
        return (str_gsub(name, "_", "-"))
    end
    return name
end

--- The set of `headers` for which the name stands because it begins like others of it.
---@param name string folded
---@return string?
function _M.prefix_set(name)
    for i = 1, #prefixes do
        local prefix = prefixes[i][1]
        if str_sub(name, 1, #prefix) == prefix then
            return prefixes[i][2]
        end
    end
end

--- Removes the named headers, and those that a server which folds names takes for them.
---@param names table<string, true> lower case and folded
function _M.clear(names)
    local lines, count = _M.read()
    local found
    for i = 0, count - 1 do
        local key = lines[i].key
        local name = ffi_str(key.data, key.len)
        if names[_M.fold(name)] then
            found = found or {}
            found[#found + 1] = name
        end
    end
    for i = 1, found and #found or 0 do
        clear_header(found[i])
    end
end

-- Values of Connection that name no other header.
local usual = {
    [""] = true,
    close = true,
    ["keep-alive"] = true,
    upgrade = true,
    ["keep-alive, upgrade"] = true,
}

--- What `declared` returns for almost all requests.
_M.NONE = {}
local NONE = _M.NONE

-- A client must not remove the headers that say where a request came from.
local function is_kept(name)
    return special[name] or _M.prefix_set(name) or str_sub(name, 1, 12) == "x-forwarded-"
end

-- The names of the headers that the request has.
local function present()
    local lines, count = _M.read()
    local names = {}
    for i = 0, count - 1 do
        local key = lines[i].key
        names[ffi_str(key.data, key.len)] = true
    end
    return names
end

--- Names of its headers that the client's Connection header declares to be hop-by-hop (RFC 9110, 7.6.1), in lower case.
--- Thousands of names that it does not have cost no more than reading them.
---@return table<string, true> set not to be changed
function _M.declared()
    local connection = var.http_connection
    if not connection or usual[str_lower(connection)] then
        return NONE
    end
    local set, names = {}, present()
    for name in str_gmatch(str_lower(connection), "[^,%s]+") do
        if names[name] and not is_kept(name) then
            set[name] = true
        end
    end
    return set
end

return _M
