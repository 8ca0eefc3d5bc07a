--- Cross-origin resource sharing in the dialect of Gateway API (HTTPCORSFilter): every preflight is answered, an origin
-- that is not allowed gets no CORS header, and CORS headers of the backend are removed.
-- May yield: no. Phases: request in access, response in header_filter.
local cors_policy = require("alb.filters.cors_policy")

local ngx = ngx
local var = ngx.var
local concat = table.concat
local get_method = ngx.req.get_method
local get_response_headers = ngx.resp.get_headers
local pairs = pairs
local sort = table.sort
local str_gsub = string.gsub

local _M = {}

local NO_CONTENT = 204

local NAMES = {
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers",
    "Access-Control-Expose-Headers",
    "Access-Control-Max-Age",
}

-- Gateway API's `*` stands for any number of labels, which cors_policy spells `**`.
local function any_depth(origins)
    local patterns = {}
    for i = 1, #origins do
        patterns[i] = str_gsub(origins[i], "^([^:/]+://)%*([^*]*)$", "%1**%2")
    end
    return patterns
end

--- Prepares a decoded Cors.
function _M.prepare(cors)
    cors_policy.prepare(cors, any_depth(cors.origins))
end

-- Access-Control-Allow-Origin for this request; nil if the origin is not allowed.
local function permitted_origin(cors)
    local origin = var.http_origin
    if not origin or origin == "" or not cors_policy.allows(cors, origin) then
        return nil
    end
    return cors.varies and origin or "*"
end

-- With credentials, browsers take `*` for a name instead of a wildcard, and Gateway API forbids it: lists each header.
local function names_of_response()
    local names = {}
    for name in pairs(get_response_headers(0)) do
        names[#names + 1] = name
    end
    sort(names)
    return concat(names, ", ")
end

local function exposes_all(cors)
    return cors.credentials and cors.expose_headers == "*"
end

local function permit(cors, origin, exposed)
    local header = ngx.header
    header["Access-Control-Expose-Headers"] = exposed
    header["Access-Control-Allow-Origin"] = origin
    header["Access-Control-Allow-Credentials"] = cors.credentials and "true" or nil
end

-- https://fetch.spec.whatwg.org/#cors-preflight-request
local function is_preflight()
    return get_method() == "OPTIONS"
        and var.http_access_control_request_method ~= nil
        and var.http_origin ~= nil
end

--- Ends a preflight from any origin with 204.
function _M.request(cors)
    if not is_preflight() then
        return
    end
    local origin = permitted_origin(cors)
    if origin then
        permit(cors, origin, not exposes_all(cors) and cors.expose_headers or nil)
        cors_policy.put_lists(cors, ngx.header)
    end
    cors_policy.vary_by_origin(cors, ngx.header)
    return ngx.exit(NO_CONTENT)
end

--- Replaces the backend's headers. A preflight has its headers already and never reaches a backend.
function _M.response(cors)
    if is_preflight() then
        return
    end
    local header = ngx.header
    for i = 1, #NAMES do
        header[NAMES[i]] = nil
    end
    local origin = permitted_origin(cors)
    if origin then
        permit(cors, origin, exposes_all(cors) and names_of_response() or cors.expose_headers)
    end
    cors_policy.vary_by_origin(cors, header)
end

return _M
