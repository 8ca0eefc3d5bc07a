--- Cross-origin resource sharing (https://fetch.spec.whatwg.org/#http-cors-protocol).
-- As ingress-nginx has it: every OPTIONS request of an allowed origin is answered, and actual
-- responses carry the headers too, whatever their status. Differences: where every origin is allowed,
-- none gets credentials, and responses that depend on the origin say so in Vary.
-- Policies of Gateway API's dialect go to gateway_cors.lua.
-- May yield: no. Phases: request in access, response in header_filter.
local cors_policy = require("alb.filters.cors_policy")
local gateway_cors = require("alb.filters.gateway_cors")
local origin_list = require("alb.filters.origin")
local vary = require("alb.filters.vary")

local ngx = ngx
local var = ngx.var
local get_method = ngx.req.get_method

local _M = { field = "cors" }

local NO_CONTENT = 204

--- Called once for each decoded route.
function _M.prepare(route)
    local cors = route.cors
    if cors.dialect == "gateway" then
        return gateway_cors.prepare(cors)
    end
    cors_policy.prepare(cors, cors.origins)
    if cors.matcher.any then
        -- Browsers take `*` only without credentials. Naming the asking origin instead would let every site read as
        -- the user.
        cors.credentials, cors.varies = nil, false
    end
end

-- Access-Control-Allow-Origin for this request; nil: the origin gets no permission.
local function permitted_origin(cors)
    if not cors.varies then
        return "*"
    end
    local origin = var.http_origin
    if not origin or origin == "" then
        return nil
    end
    return origin_list.allowed(cors.matcher, origin) and origin or nil
end

-- Replaces what the backend said: two policies in one response would be neither.
local function write(cors, origin)
    local header = ngx.header
    header["Access-Control-Allow-Origin"] = origin
    header["Access-Control-Allow-Credentials"] = cors.credentials and "true" or nil
    header["Access-Control-Expose-Headers"] = cors.expose_headers
    cors_policy.put_lists(cors, header)
end

--- Ends the request with 204 when it asks for permission and gets it. Anything else goes on: an
-- OPTIONS request of a stranger is a request like any other.
function _M.request(route)
    local cors = route.cors
    if cors.dialect == "gateway" then
        return gateway_cors.preflight(cors)
    end
    if get_method() ~= "OPTIONS" then
        return
    end
    local origin = permitted_origin(cors)
    if not origin then
        return
    end
    write(cors, origin)
    if cors.varies then
        vary.by_origin(ngx.header)
    end
    return ngx.exit(NO_CONTENT)
end

--- Adds the headers to a response, whoever made it.
function _M.response(route)
    local cors = route.cors
    if cors.dialect == "gateway" then
        return gateway_cors.response(cors)
    end
    local origin = permitted_origin(cors)
    if origin then
        write(cors, origin)
    end
    if cors.varies then
        vary.by_origin(ngx.header)
    end
end

return _M
