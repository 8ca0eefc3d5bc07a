--- Lets a test ask what affinity chooses.
local cjson = require("cjson")
local affinity = require("alb.upstream.affinity")
local endpoints = require("alb.upstream.endpoints")
local weighted = require("alb.upstream.weighted")

local _M = {}

local function upstream_of(list)
    local upstream = { endpoints = list }
    endpoints.prepare(upstream)
    return upstream
end

local function route_of(setup)
    local route = { affinity = setup.affinity, backends = setup.backends }
    weighted.prepare(route)
    affinity.prepare(route)
    return route
end

--- `address:port` for each of `count` clients.
function _M.place(list, count)
    local upstream, names = upstream_of(list), {}
    for i = 1, count do
        local position = affinity.position("client-" .. i, upstream)
        local address, port = endpoints.at(upstream, position)
        names[i] = address .. ":" .. port
    end
    return names
end

--- Upstream for each of `count` clients of a route with these weights.
function _M.place_backends(weights, count)
    local backends, names = {}, {}
    for upstream, weight in pairs(weights) do
        backends[#backends + 1] = { upstream = upstream, weight = weight }
    end
    local route = route_of({ affinity = { "header", "x-client" }, backends = backends })
    for i = 1, count do
        names[i] = affinity.backend("client-" .. i, route).upstream
    end
    return names
end

function _M.run()
    local setup = cjson.decode(ngx.var.http_x_test_setup)
    local route = route_of(setup)
    local key = affinity.key(route)
    local backend = key and affinity.backend(key, route)
    local position = key and affinity.position(key, upstream_of(setup.endpoints))
    ngx.say(cjson.encode({
        backend = backend and backend.upstream or cjson.null,
        endpoint = position or cjson.null,
    }))
end

return _M
