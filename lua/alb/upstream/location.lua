--- Enters the nginx location that proxies a request to its backend (templates/partials/server.conf.hbs).
-- May yield: yes (a body that must be held). Phases: access.
local paged_location = require("alb.error_pages").location
local wants_events = require("alb.unusual").wants_events

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local read_body = ngx.req.read_body

local _M = {}

local scheme_of = {
    http = "http://albc_http",
    https = "https://albc_https",
    grpc = "grpc://albc_grpc",
    grpcs = "grpcs://albc_grpcs",
    h2c = "grpc://albc_grpc",
}

local plain_location = {
    http = "@http",
    https = "@http",
    grpc = "@grpc",
    grpcs = "@grpc",
    h2c = "@h2c",
}

-- For routes with deadlines or retries.
local try_location = {
    http = "@try",
    https = "@try",
    grpc = "@grpc_try",
    grpcs = "@grpc_try",
    h2c = "@h2c_try",
}

--- Returns whether the location sends the request's own URI, because it takes no other.
function _M.takes_uri_of_request(protocol)
    return plain_location[protocol] ~= "@http"
end

--- Called by rewrite_by_lua of the locations that count a body without a declared length while reading it.
function _M.read()
    read_body()
    return exec(var.albc_next)
end

local function name_of(route, protocol)
    if route.tries then
        return paged_location(try_location[protocol] .. route.try_suffix, route, protocol)
    end
    local name = plain_location[protocol]
    if name == "@http" and (route.streamed or wants_events()) then
        name = "@stream"
    end
    return paged_location(name, route, protocol)
end

-- A gRPC stream may never end, so its end is awaited only if it may have to be sent again.
local function must_be_counted(route, protocol)
    return route.repeats or protocol ~= "grpc" and protocol ~= "grpcs"
end

--- Enters the location.
---@param route table prepared
---@param protocol string of the backend
---@param uri string? path and query for the backend; nil: the request's own
---@param counted_limit integer? maximum bytes of a body without a declared length
---@param hop string? replaces the endpoint, see backend_tls/relay.lua
function _M.enter(route, protocol, uri, counted_limit, hop)
    local name = name_of(route, protocol)
    local is_http = not _M.takes_uri_of_request(protocol)
    local request_uri = var.request_uri
    var.albc_pass = (hop or scheme_of[protocol]) .. (is_http and (uri or request_uri) or "")
    if uri then
        var.albc_original_uri = request_uri
    end
    if counted_limit and (name == "@http" or name == "@stream") then
        return exec(name .. "_" .. counted_limit)
    end
    if counted_limit and must_be_counted(route, protocol) then
        var.albc_next = name
        return exec("@read_" .. counted_limit)
    end
    if route.repeats then
        -- The body must be stored to be sent again.
        read_body()
    end
    return exec(name)
end

return _M
