--- The nginx location in which a request goes to its backend (templates/partials/server.conf.hbs), and the way there.
-- May yield: yes (a body that must be held). Phases: access.
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

-- With deadlines or retries of the route's own.
local try_location = {
    http = "@try",
    https = "@try",
    grpc = "@grpc_try",
    grpcs = "@grpc_try",
    h2c = "@h2c_try",
}

--- Is the request's path given to nginx as its own, because the location can't be told another?
function _M.takes_uri_of_request(protocol)
    return plain_location[protocol] ~= "@http"
end

--- Called by rewrite_by_lua of the locations that count a body without a length while it is read.
function _M.read()
    read_body()
    return exec(var.albc_next)
end

local function name_of(route, protocol)
    if route.tries then
        return try_location[protocol] .. route.try_suffix
    end
    return plain_location[protocol]
end

-- A stream of gRPC has no end that could be waited for, unless it is to be sent again.
local function must_be_counted(route, protocol)
    return route.repeats or protocol ~= "grpc" and protocol ~= "grpcs"
end

--- Goes there.
---@param route table prepared
---@param protocol string of the backend
---@param target string? path and query for the backend; nil: the request's own
---@param counted_limit integer? bytes that a body without a length may have
---@param hop string? where to instead of the endpoint, see backend_tls/relay.lua
function _M.enter(route, protocol, target, counted_limit, hop)
    local name = name_of(route, protocol)
    local is_http = not _M.takes_uri_of_request(protocol)
    var.albc_pass = (hop or scheme_of[protocol]) .. (is_http and target or "")
    var.albc_original_uri = var.request_uri
    if counted_limit and name == "@http" then
        return exec("@http_" .. counted_limit)
    end
    if counted_limit and must_be_counted(route, protocol) then
        var.albc_next = name
        return exec("@read_" .. counted_limit)
    end
    if route.repeats then
        -- What was sent once must be there to be sent again.
        read_body()
    end
    return exec(name)
end

return _M
