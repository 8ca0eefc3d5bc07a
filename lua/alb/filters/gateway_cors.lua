--- Cross-origin resource sharing as Gateway API has it (HTTPCORSFilter): every preflight is answered here, an origin
-- that is not allowed gets no CORS header, and of what the backend says about it nothing is left.
-- May yield: no. Phases: preflight in access, response in header_filter.
local cors_policy = require("alb.filters.cors_policy")
local origin_list = require("alb.filters.origin")
local vary = require("alb.filters.vary")

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

-- Here `*` stands for any number of labels; in the list's own spelling that is `**`.
local function any_depth(origins)
    local patterns = {}
    for i = 1, #origins do
        patterns[i] = str_gsub(origins[i], "^([^:/]+://)%*([^*]*)$", "%1**%2")
    end
    return patterns
end

--- Makes a decoded Cors of this dialect ready.
function _M.prepare(cors)
    cors_policy.prepare(cors, any_depth(cors.origins))
end

-- Access-Control-Allow-Origin for this request; nil: the origin gets no permission.
local function permitted_origin(cors)
    local origin = var.http_origin
    if not origin or origin == "" or not origin_list.allowed(cors.matcher, origin) then
        return nil
    end
    return cors.varies and origin or "*"
end

-- With credentials `*` is a name for browsers, not a wildcard, and Gateway API forbids it: each header is named.
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

-- For actual responses and preflights.
local function permit(cors, origin, exposed)
    local header = ngx.header
    header["Access-Control-Expose-Headers"] = exposed
    header["Access-Control-Allow-Origin"] = origin
    header["Access-Control-Allow-Credentials"] = cors.credentials and "true" or nil
end

-- Fetch, 4.8.
local function is_preflight()
    return get_method() == "OPTIONS"
        and var.http_access_control_request_method ~= nil
        and var.http_origin ~= nil
end

--- Ends the request with 204 when it is a preflight, whoever asks.
function _M.preflight(cors)
    if not is_preflight() then
        return
    end
    local origin = permitted_origin(cors)
    if origin then
        permit(cors, origin, not exposes_all(cors) and cors.expose_headers or nil)
        cors_policy.put_lists(cors, ngx.header)
    end
    if cors.varies then
        vary.by_origin(ngx.header)
    end
    return ngx.exit(NO_CONTENT)
end

--- Puts the headers on a response in place of the backend's. A preflight has them already, and no backend sees one.
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
    if cors.varies then
        vary.by_origin(header)
    end
end

return _M
