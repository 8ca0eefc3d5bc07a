--- Forwards a request: chooses the backend, runs the backend's own filters, and enters the location that proxies it.
-- May yield: yes (auth of a backend, a body that must be held). Phases: access.
local affinity = require("alb.upstream.affinity")
local chain = require("alb.filters.chain")
local choice = require("alb.upstream.choice")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local location = require("alb.upstream.location")
local mirror = require("alb.filters.mirror")
local rewrite = require("alb.filters.rewrite")
local target = require("alb.upstream.target")
local tries = require("alb.upstream.tries")
local turns = require("alb.turns")

local ngx = ngx
local var = ngx.var
local exit = errors.exit
local hold_body = require("alb.body").hold
local reasons = errors.reasons

local _M = {}

-- The backend, the position of the session's endpoint in its upstream, and the affinity key.
local function choose_backend(route)
    local backend, position, key = choice.backend(route)
    if not backend then
        return exit(500, reasons.no_backend)
    end
    if backend.refuse then
        return exit(backend.refuse[1], backend.refuse[2])
    end
    return backend, position, key
end

-- Sets the Host header of the route or backend, unless its own header filter has set one.
local function name_host(holder)
    local filter = holder.requestHeaders
    if holder.host and not (filter and filter.host) then
        var.albc_host = holder.host
    end
end

-- The holder of the rewrite: a backend's rewrite replaces the route's. nil: there is none.
local function rewriter(route, filters)
    local holder = filters and filters.rewrite and filters or route
    return holder.rewrite and holder or nil
end

local function write_target(route, backend, preferred, most_tries)
    if backend.try then
        var.albc_backend = tries.encode(backend.upstream, route, preferred, most_tries)
    else
        var.albc_backend = target.encode(backend.upstream, route.timeouts, preferred)
    end
end

-- Returns the number of copies.
local function mirror_request(route, filters, uri)
    local more = filters and filters.mirrors
    if not route.mirrors and not more then
        return 0
    end
    local most, made, sent = turns.copies(), 0, uri or var.request_uri
    if route.mirrors then
        made = mirror.send(route.mirrors, sent, route, most)
    end
    if more then
        made = made + mirror.send(more, sent, route, most - made)
    end
    return made
end

-- Returns the number of tries that the request may have.
local function share_budget(route, made)
    local wanted = route.repeats and route.retry.attempts + 1 or 1
    if wanted == 1 and made == 0 then
        return 1
    end
    return turns.share(wanted, made)
end

-- `location /` proxies most requests.
local function needs_location(route, protocol, uri, counted_limit, is_changed)
    return protocol ~= "http"
        or uri ~= nil
        or counted_limit ~= nil
        or route.tries ~= nil
        or route.streamed
        or route.largeHeaders
        or route.page_suffix
        or is_changed
        or var.albc_host ~= ""
end

-- Enters the location for the request; returns if that is `location /`.
local function proxy(route, backend, holder, uri, counted_limit, is_changed)
    local protocol = backend.protocol
    if not needs_location(route, protocol, uri, counted_limit, is_changed) then
        return
    end
    if uri and holder and location.takes_uri_of_request(protocol) then
        rewrite.apply(holder)
    end
    if backend.tls then
        var.albc_tls, var.albc_tls_name = backend.tls, backend.server_name or ""
    end
    return location.enter(route, backend, uri, counted_limit)
end

-- Position of the endpoint for the first try; nil if any will do.
local function endpoint_for(route, upstream, key)
    if key then
        return affinity.position(key, upstream, route.hashSubset)
    end
    return route.session and endpoints.next_position(upstream) or nil
end

--- Forwards the request, or ends it. Returns if `location /` proxies it.
---@param route table prepared
---@param counted_limit integer? maximum bytes of a body without a declared length
---@param server_id string
---@param is_changed boolean whether `location /` does not do what the request needs
---@param written string? path and query that a snippet has written
---@param is_kept boolean? no rewrite follows
function _M.run(route, counted_limit, server_id, is_changed, written, is_kept)
    local backend, position, key = choose_backend(route)
    local filters = backend.filters
    name_host(route)
    if filters then
        if filters.responds then
            choice.enter(route, backend)
        end
        chain.run(filters, server_id)
        name_host(filters)
    end
    local upstream = endpoints.upstream(backend.upstream)
    if not upstream or upstream.count == 0 then
        return exit(503, reasons.no_peer)
    end
    if backend.tls and not backend.try then
        return exit(503, reasons.tls_unready)
    end
    local preferred = position or endpoint_for(route, upstream, key)
    local holder = not is_kept and rewriter(route, filters) or nil
    local uri = holder and rewrite.uri(holder) or written
    local made = mirror_request(route, filters, uri)
    write_target(route, backend, preferred, share_budget(route, made))
    hold_body()
    return proxy(route, backend, holder, uri, counted_limit, is_changed)
end

return _M
