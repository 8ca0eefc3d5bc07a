--- Cross-origin resource sharing as Gateway API has it (HTTPCORSFilter): every preflight is answered here, an origin
-- that is not allowed gets no CORS header, and of what the backend says about it nothing is left.
-- May yield: no. Phases: preflight in rewrite, response in header_filter.
local cors_policy = require("alb.filters.cors_policy")
local origin_list = require("alb.filters.origin")
local vary = require("alb.filters.vary")

local ngx = ngx
local var = ngx.var
local get_method = ngx.req.get_method
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

--- Makes a decoded PolicyCors of this dialect ready.
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

-- For actual responses and preflights.
local function permit(cors, origin)
    local header = ngx.header
    header["Access-Control-Allow-Origin"] = origin
    header["Access-Control-Allow-Credentials"] = cors.credentials and "true" or nil
    header["Access-Control-Expose-Headers"] = cors.expose_headers
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
        permit(cors, origin)
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
        permit(cors, origin)
    end
    if cors.varies then
        vary.by_origin(header)
    end
end

return _M
