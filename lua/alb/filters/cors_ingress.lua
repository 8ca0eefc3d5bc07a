--- Cross-origin resource sharing in the dialect of ingress-nginx, for the annotations of Ingresses and for Rules:
-- every OPTIONS request from an allowed origin is answered, and responses of any status carry the headers. Unlike
-- ingress-nginx, a policy that allows every origin grants no credentials, and responses that depend on the origin have
-- it in Vary.
-- May yield: no. Phases: request in access, response in header_filter.
local cors_policy = require("alb.filters.cors_policy")

local ngx = ngx
local var = ngx.var

local _M = {}

local NO_CONTENT = 204

--- Prepares a decoded Cors.
function _M.prepare(cors)
    cors_policy.prepare(cors, cors.origins)
    if cors.matcher.any then
        -- Browsers accept `*` only without credentials. Returning the request's origin instead would let every site
        -- read with the user's credentials.
        cors.credentials, cors.varies = nil, false
    end
end

-- Access-Control-Allow-Origin for this request; nil if the origin is not allowed.
local function permitted_origin(cors)
    if not cors.varies then
        return "*"
    end
    local origin = var.http_origin
    if not origin or origin == "" then
        return nil
    end
    return cors_policy.allows(cors, origin) and origin or nil
end

-- Replaces the backend's headers: a response can't have two policies.
local function write(cors, origin)
    local header = ngx.header
    header["Access-Control-Allow-Origin"] = origin
    header["Access-Control-Allow-Credentials"] = cors.credentials and "true" or nil
    header["Access-Control-Expose-Headers"] = cors.expose_headers
    cors_policy.put_lists(cors, header)
end

--- Ends an OPTIONS request from an allowed origin with 204. Those from other origins continue.
function _M.request(cors)
    local origin = permitted_origin(cors)
    if not origin then
        return
    end
    write(cors, origin)
    cors_policy.vary_by_origin(cors, ngx.header)
    return ngx.exit(NO_CONTENT)
end

--- Adds the headers to a response of the backend or the gateway.
function _M.response(cors)
    local origin = permitted_origin(cors)
    if origin then
        write(cors, origin)
    end
    cors_policy.vary_by_origin(cors, ngx.header)
end

return _M
