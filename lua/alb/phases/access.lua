--- Handles a request until it is proxied: finds the route, refuses or runs its filters, chooses the backend.
--
-- A plain route (only one upstream) that was looked up before costs two table reads.
-- May yield: yes (forward auth, a body that is held). Phases: access.
local access = require("alb.auth.access")
local begin_count = require("alb.request_counts").begin
local bytes_of = require("alb.bytes").of
local canonical_host = require("alb.route.host_keys").canonical
local candidates = require("alb.route.candidate")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local enter = require("alb.upstream.location").enter
local expression = require("alb.route.expression")
local predicates = require("alb.route.predicates")
local find = require("alb.route.select").find
local flow = require("alb.filters.flow")
local forward = require("alb.upstream.forward").run
local handover = require("alb.upstream.handover")
local hosts = require("alb.policy.hosts")
local index = require("alb.policy.index")
local log = require("alb.log")
local outages = require("alb.upstream.outages")
local listener_guard = require("alb.tls.listener_guard")
local readings = require("alb.route.readings")
local request_host = require("alb.request_host").get
local request_id = require("alb.request_id")
local run_filters = require("alb.filters.chain").run
local trace = require("alb.trace")

local ngx = ngx
local var = ngx.var
local exit = errors.exit
local hold_body = require("alb.body").hold
local is_exiting = ngx.worker.exiting
local reasons = errors.reasons
local is_one = readings.is_one
local look_at_unusual = require("alb.unusual").look
local known_candidate = require("alb.route.known").candidate
local re_find = ngx.re.find
local sleep = ngx.sleep
local set_route = require("alb.nginx_variable").writer("albc_route")
local str_byte = string.byte
local str_sub = string.sub

local COLON = 58
local SEQ, ID, ROUTE, UPSTREAM =
    candidates.SEQ, candidates.ID, candidates.ROUTE, candidates.UPSTREAM
local ADDRESS, PORT, ROW = candidates.ADDRESS, candidates.PORT, candidates.ROW

local _M = {}

-- Accepts a Host header that differs from nginx's $host only by a port, case or a trailing dot.
local function check_host(host, raw)
    if str_sub(raw, 1, #host) == host and str_byte(raw, #host + 1) == COLON then
        -- nginx before 1.29 accepts any text as the port, and backends put the Host header into links.
        if re_find(raw, [[:\d*$]], "jo") == #host + 1 then
            return
        end
        return exit(400, reasons.malformed)
    end
    -- nginx lowers the case and drops a trailing dot. An absolute target overrides the header (RFC 9112, 3.2.2).
    local name = ngx.re.match(raw, [[^(.*?)\.?(?::\d*)?$]], "jos")
    if not name or name[1]:lower() ~= host then
        return exit(400, reasons.host_mismatch)
    end
end

-- Looks up the candidate's route and upstream. This may move the worker to a newer commit; then the candidate belongs
-- to the old one.
local function resolve(candidate)
    local at = index.seq()
    local route = index.route(candidate[ID], candidate.listener)
    local upstream = route and route.plain and endpoints.upstream(route.fixed)
    candidate[SEQ], candidate[ROUTE] = at, route or false
    candidate[UPSTREAM] = upstream and upstream.count > 0 and upstream or false
    local is_only = upstream and upstream.count == 1
    candidate[ADDRESS], candidate[PORT] = is_only and upstream[1], is_only and upstream[2]
    candidate[ROW] = route and route.row
end

-- The candidate of a request; nil if no rule matches. Starts again if a lookup moved the worker to a newer commit, so
-- commits never mix. Also starts again, after other requests, if compiling patterns used up the time.
local function find_candidate(server_id, host, path)
    local tries = 0
    while tries < 10 do
        local at = index.seq()
        local by_host = hosts.tables[server_id]
        local candidate = find(by_host and by_host[host] or hosts.find(server_id, host), path)
        tries = tries + 1
        if expression.is_unfinished() then
            sleep(0)
            predicates.start()
            tries, at = 0, nil
        elseif candidate and candidate[SEQ] ~= at then
            resolve(candidate)
        end
        if at == index.seq() then
            return candidate
        end
    end
    return nil
end

local function find_route(server_id, host, path)
    local candidate = find_candidate(server_id, host, path)
    if not candidate then
        return nil
    end
    if candidate.broken then
        if expression.is_too_long() then
            return exit(400, reasons.too_long)
        end
        return exit(500, reasons.invalid_rule)
    end
    return candidate[ROUTE]
end

-- The host in its canonical spelling, which the hosts of the policy have; nil if it can't be one.
local function spelled_host(server_id, host)
    local by_host = hosts.tables[server_id]
    return by_host and by_host[host] and host or canonical_host(host)
end

-- The route of the path that a snippet has written.
local function find_again(server_id)
    predicates.start()
    return find_route(server_id, spelled_host(server_id, request_host()), var.uri)
end

-- Hands the upstream of an unusual request to the balancer, which looks it up again: the policy may change while a body
-- is held.
local function hand_over(route, is_changed)
    var.albc_backend = route.fixed
    hold_body()
    if is_changed then
        return enter(route, route.backends[1])
    end
end

-- Everything except plain routes whose lookups are done.
local function decide(route, server_id, is_unusual, is_changed)
    local written, is_kept
    handover.clear()
    if route and route.flows then
        route, written, is_kept = flow.run(route, server_id, find_again)
    end
    if not route then
        return exit(404, reasons.no_rule)
    end
    var.albc_route = route.id
    if route.traceRate then
        trace.sample(route.traceRate)
    end
    if route.row then
        begin_count(route.row, is_unusual)
    end
    local fixed = route.fixed
    if not fixed or written then
        local limit = run_filters(route, server_id)
        return forward(route, limit, server_id, is_changed, written, is_kept)
    end
    if not route.plain then
        access.check(route)
    end
    local upstream = endpoints.upstream(fixed)
    if not upstream or upstream.count == 0 then
        return exit(503, reasons.no_peer)
    end
    if is_unusual then
        return hand_over(route, is_changed)
    end
    return handover.give(upstream)
end

-- The route of a request with any spelling of host and target.
local function find_any(server_id)
    local host, path, is_named = request_host(), var.uri, false
    local raw_host = var.http_host
    if not raw_host or raw_host == "" then
        -- HTTP/1.0 requires no Host header, but backends get HTTP/1.1.
        var.albc_host, is_named = host, true
    elseif raw_host ~= host then
        check_host(host, raw_host)
    end
    host = spelled_host(server_id, host)
    if not host then
        return exit(400, reasons.no_host)
    end
    predicates.start()
    local request_uri = var.request_uri
    if not is_one(bytes_of(request_uri), #request_uri, bytes_of(path), #path) then
        readings.check(find_candidate, server_id, host, request_uri, path)
    end
    return find_route(server_id, host, path), is_named
end

local function run(server_id)
    local is_unusual, is_changed = look_at_unusual()
    -- A draining worker has no timers, but still serves its open connections.
    if is_exiting() then
        index.sync()
        outages.sync()
    end
    local candidate, target, length = known_candidate(server_id)
    if not candidate then
        log.show()
        local route, is_named = find_any(server_id)
        return decide(route, server_id, is_unusual or is_named, is_changed or is_named)
    end
    local upstream = candidate[UPSTREAM]
    if not upstream or is_unusual then
        log.show()
        return decide(candidate[ROUTE], server_id, is_unusual, is_changed)
    end
    local address, row = candidate[ADDRESS], candidate[ROW]
    if row then
        begin_count(row)
    end
    -- The bytes of an id are cold in the processor's cache, so the variable is set only if something reads it.
    if not address or log.route then
        local id = candidate[ID]
        set_route(id, #id)
    end
    log.show_usual(target, length)
    return handover.give(address or upstream, candidate[PORT])
end

--- Called by access_by_lua of `location /`.
function _M.run(server_id)
    request_id.draw()
    if trace.on then
        trace.run()
    end
    return run(server_id)
end

--- Called instead of `run` where a request begins again: it keeps its ids.
_M.run_again = run

--- Called instead of `run` on a TLS server with listeners of Gateways.
function _M.run_guarded(server_id)
    listener_guard.check(server_id, request_host())
    return _M.run(server_id)
end

return _M
