--- Enters the nginx location that proxies a request to its backend (templates/partials/server.conf.hbs).
-- May yield: yes (a body that must be held). Phases: access.
local body = require("alb.body")
local errors = require("alb.errors")
local has = require("alb.known_locations").has
local paged_location = require("alb.error_pages").location
local wants_events = require("alb.unusual").wants_events

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local hold = body.hold
local read_body = ngx.req.read_body
local str_find = string.find
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

local scheme_of = {
    http = "http://albc_http",
    https = "https://albc_https",
    grpc = "grpc://albc_grpc",
    grpcs = "grpcs://albc_grpcs",
    h2c = "grpc://albc_grpc",
}

local ADAPTOR = "http://albc_adaptor"
local MOST_HELD = body.MOST_HELD

local plain_location = {
    http = "@http",
    https = "@http",
    grpc = "@grpc",
    grpcs = "@grpc",
    h2c = "@h2c",
}

--- Returns whether the location sends the request's own URI, because it takes no other.
function _M.takes_uri_of_request(protocol)
    return plain_location[protocol] ~= "@http"
end

--- Called by rewrite_by_lua of the location that holds bodies without a declared length.
function _M.read()
    read_body()
    local next_one = var.albc_next
    local blank = str_find(next_one, " ", 1, true)
    if not blank then
        return exec(next_one)
    end
    if body.size() > tonumber(str_sub(next_one, 1, blank - 1)) then
        return errors.exit(413, errors.reasons.body_too_large)
    end
    return exec(str_sub(next_one, blank + 1))
end

-- `ending`: of the names of locations with the same limit, or empty.
local function name_of(route, backend, ending)
    local protocol = backend.protocol
    local name = backend.try or plain_location[protocol]
    if name == "@http" and route.largeHeaders and has("@large" .. ending) then
        name = "@large"
    elseif name == "@http" and (route.streamed or wants_events()) then
        name = "@stream"
    end
    return paged_location(name, route, protocol, ending)
end

-- A gRPC stream may never end, and has no limit.
local function is_limited(protocol)
    return protocol ~= "grpc" and protocol ~= "grpcs"
end

-- Where nginx counts the body while it streams it. Without that location (known_locations.lua), the body is held in the
-- location of all limits, and compared with the limit afterwards.
local function enter_counting(route, backend, limit)
    local ending = "_limit_" .. limit
    local counting = not route.holdsBody and name_of(route, backend, ending)
    if counting and has(counting) then
        return exec(counting)
    end
    var.albc_next = limit .. " " .. name_of(route, backend, "")
    return exec("@held")
end

--- Enters the location.
---@param route table prepared
---@param backend table of the route
---@param uri string? path and query for the backend; nil: the request's own
---@param counted_limit integer? maximum bytes of a body without a declared length
function _M.enter(route, backend, uri, counted_limit)
    local protocol = backend.protocol
    local is_http = not _M.takes_uri_of_request(protocol)
    local request_uri = var.request_uri
    local upstream = backend.adapted and ADAPTOR or scheme_of[protocol]
    var.albc_pass = upstream .. (is_http and (uri or request_uri) or "")
    if uri and var.albc_original_uri == "" then
        var.albc_original_uri = request_uri
    end
    if counted_limit and is_limited(protocol) then
        return enter_counting(route, backend, counted_limit)
    end
    if route.repeats or backend.adapted then
        -- nginx sends a body again only if it holds it. By the adaptor even an endpoint that can't be reached has
        -- taken it.
        hold(MOST_HELD)
    end
    return exec(name_of(route, backend, ""))
end

return _M
