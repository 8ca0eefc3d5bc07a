--- Decides everything about a request before it is proxied.
--
-- Order: route, refusal, redirect, body limit, CORS preflight, access (source ranges and auth), filters, backend. For a
-- plain route that is one table lookup and two variables. May yield: yes (forward auth). Phases: rewrite.
local access = require("alb.auth.access")
local affinity = require("alb.upstream.affinity")
local cors = require("alb.filters.cors")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local headers = require("alb.filters.headers")
local index = require("alb.policy.index")
local redirect = require("alb.filters.redirect")
local prefix = require("alb.route.prefix")
local rewrite = require("alb.filters.rewrite")
local select_candidate = require("alb.route.select").select
local target = require("alb.upstream.target")
local weighted = require("alb.upstream.weighted")

local ngx = ngx
local var = ngx.var
local exit = errors.exit
local reasons = errors.reasons
local exec = ngx.exec
local longest_prefix = prefix.longest
local str_byte = string.byte
local str_sub = string.sub
local tonumber = tonumber

local COLON = 58

local _M = {}

local pass_prefix = {
    http = "http://albc_http",
    https = "https://albc_https",
    grpc = "grpc://albc_grpc",
    grpcs = "grpcs://albc_grpcs",
}

-- Something in the request target or the Host header that the usual comparison did not cover.
local function check_host(host, raw)
    if not raw or raw == "" then
        return
    end
    if str_sub(raw, 1, #host) == host and str_byte(raw, #host + 1) == COLON then
        return
    end
    -- nginx lowers the case and drops a trailing dot; an absolute-form target overrides the header (RFC 9112, 3.2.2).
    local name = ngx.re.match(raw, [[^(.*?)\.?(?::\d*)?$]], "jos")
    if not name or name[1]:lower() ~= host then
        return exit(400, reasons.host_mismatch)
    end
end

local function find(server_id, host, path)
    local by_host = index.hosts[server_id]
    local built = by_host and by_host[host] or index.host(server_id, host)
    if built.simple then
        return built.exact_winners[path] or longest_prefix(built.winners, built.depth, path)
    end
    return select_candidate(built, path)
end

-- A lookup may have moved this worker to a newer commit: then the candidate is of the old one, so start again.
local function find_route(server_id, host, path)
    for _ = 1, 10 do
        local seq = index.seq()
        local candidate = find(server_id, host, path)
        if not candidate then
            if seq == index.seq() then
                return nil
            end
        else
            local route = index.route(candidate.route)
            if seq == index.seq() then
                if candidate.broken then
                    return exit(500, reasons.invalid_rule)
                end
                return route
            end
        end
    end
    return nil
end

local function check_body(route)
    local limit = route.bodyLimit
    if not limit then
        return nil
    end
    local length = tonumber(var.http_content_length)
    if length and length > limit then
        return exit(413, reasons.body_too_large)
    end
    -- Without a length nginx counts while it reads, in a location that has the limit.
    return not length and limit or nil
end

local function choose_backend(route, key)
    local backend = key and affinity.backend(key, route) or weighted.choose(route)
    if not backend then
        return exit(500, reasons.no_backend)
    end
    if backend.refuse then
        return exit(backend.refuse[1], backend.refuse[2])
    end
    local upstream = endpoints.upstream(backend.upstream)
    if not upstream or upstream.count == 0 then
        return exit(503, reasons.no_peer)
    end
    return backend, upstream
end

local function request_target(route)
    local uri = route.rewrite and rewrite.uri(route) or nil
    return uri or var.request_uri
end

local function is_grpc(protocol)
    return protocol == "grpc" or protocol == "grpcs"
end

-- Hands over to the location that fits the backend's protocol; comes back when `location /` itself does.
local function proxy(route, backend, counted_limit)
    local protocol = backend.protocol
    local changed = route.rewrite ~= nil or route.host ~= nil or var.albc_host ~= ""
    if protocol == "http" and not changed and not counted_limit then
        return
    end
    if route.host and var.albc_host == "" then
        var.albc_host = route.host
    end
    if is_grpc(protocol) then
        if route.rewrite then
            rewrite.apply(route)
        end
        var.albc_pass = pass_prefix[protocol]
        return exec("@grpc")
    end
    var.albc_pass = pass_prefix[protocol] .. request_target(route)
    return exec(counted_limit and "@http_" .. counted_limit or "@http")
end

local function forward(route, counted_limit)
    local key = route.affinity and affinity.key(route) or nil
    local backend, upstream = choose_backend(route, key)
    local preferred = key and affinity.position(key, upstream) or nil
    var.albc_backend = target.encode(backend.upstream, route.timeouts, preferred)
    return proxy(route, backend, counted_limit)
end

-- All steps, for routes that have any of them.
local function run_steps(route, server_id)
    if route.responds then
        var.albc_after = "1"
    end
    if route.refuse then
        return exit(route.refuse[1], route.refuse[2])
    end
    if route.redirect then
        redirect.apply(route, index.get("servers", server_id))
    end
    local counted_limit = check_body(route)
    if route.cors then
        cors.preflight(route)
    end
    if route.checked then
        access.check(route)
    end
    if route.requestHeaders then
        headers.request(route)
    end
    return forward(route, counted_limit)
end

--- Called by rewrite_by_lua of `location /`.
function _M.run(server_id)
    local host, path = var.host, var.uri
    local raw_host = var.http_host
    if raw_host ~= host then
        check_host(host, raw_host)
    end
    local route = find_route(server_id, host, path)
    if not route then
        return exit(404, reasons.no_rule)
    end
    var.albc_route = route.id
    local fixed = route.fixed
    if not fixed then
        return run_steps(route, server_id)
    end
    if not route.plain then
        access.check(route)
    end
    local upstream = endpoints.upstream(fixed)
    if not upstream or upstream.count == 0 then
        return exit(503, reasons.no_peer)
    end
    var.albc_backend = fixed
end

return _M
