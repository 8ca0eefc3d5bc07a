--- Tries of a route with deadlines or retries (Gateway API, HTTPRouteTimeouts and HTTPRouteRetry).
--
-- nginx runs the balancer again after a failed connection and after a status that its location repeats
-- (templates/partials/try.conf.hbs). This module decides whether there is another try and how long it may take. There
-- is no wait between tries, because the balancer can't wait. Backends with verified TLS have such a location too,
-- whatever their route asks for.
-- May yield: no. Phases: encode in access; balance in balancer.
local balancer = require("ngx.balancer")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local has = require("alb.known_locations").has
local index = require("alb.policy.index")
local outages = require("alb.upstream.outages")
local peer = require("alb.upstream.peer")
local stalls = require("alb.upstream.stalls")
local turns = require("alb.turns")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var
local now = ngx.now
local get_last_failure = balancer.get_last_failure
local set_more_tries = balancer.set_more_tries
local set_timeouts = balancer.set_timeouts
local re_match = ngx.re.match
local concat = table.concat
local floor = math.floor
local huge = math.huge
local min = math.min
local start_time = ngx.req.start_time
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

local NO_RETRY = -1

-- Milliseconds to connect.
local BRIEF, WHOLE = outages.BRIEF * 1000, outages.WHOLE * 1000

local not_idempotent = stalls.NOT_IDEMPOTENT

local FAMILIES = {
    http = "@try",
    https = "@try",
    grpc = "@grpc_try",
    grpcs = "@grpc_try",
    h2c = "@h2c_try",
}

-- The location that checks certificates as the backend's TLS says, without codes; nil if nginx.conf has none yet. Adds
-- `server_name`, and `adapted` if the adaptor opens the connections.
local function verified_location(backend)
    local family, trust = FAMILIES[backend.protocol], str_match(backend.tls, "^[^-]+")
    local profile = index.get("backendTls", backend.tls)
    if not profile then
        return nil
    end
    backend.server_name = profile.hostname
    if not profile.names then
        return family .. "_" .. trust
    end
    backend.adapted = true
    return backend.protocol == "https" and has("@adapt_" .. trust) and family or nil
end

-- The location that repeats the route's codes. Without it (known_locations.lua) codes are not repeated, and without any
-- the request is sent as if the route had no deadlines and retries; a backend with verified TLS gets none then.
local function location_of(backend, codes)
    local plain = FAMILIES[backend.protocol]
    if backend.tls then
        plain = verified_location(backend)
    end
    local name = plain and #codes > 0 and plain .. "_" .. concat(codes, "_") or plain
    return has(name) and name or has(plain) and plain or nil
end

-- Parts of `encode`'s text that are the same for all requests of a route.
local function fixed_parts(route)
    local deadlines, timeouts = route.deadlines or {}, route.timeouts or {}
    local retry = route.retry or { attempts = NO_RETRY }
    return {
        times = (timeouts.connect or 0)
            .. " "
            .. (timeouts.send or 0)
            .. " "
            .. (timeouts.read or 0),
        request = deadlines.request,
        each = deadlines.backendRequest or 0,
        attempts = retry.attempts,
        timeouts = retry.timeouts and 1 or 0,
    }
end

--- Called once for each decoded route. Adds `try`, the location, to the backends that need this module, `tries` if
--- there are any, and `repeats` if a request may be sent more than once.
function _M.prepare(route)
    local retry = route.retry
    route.repeats = retry ~= nil and retry.attempts > 0
    local codes = route.repeats and retry.codes or {}
    for _, code in ipairs(codes) do
        retry.timeouts = retry.timeouts or code == 504
    end
    for _, backend in ipairs(route.backends or {}) do
        if retry or route.deadlines or backend.tls then
            route.tries = route.tries or fixed_parts(route)
            backend.try = location_of(backend, codes)
        end
    end
end

--- Encodes the choice for the balancer (see target.lua): `*`, milliseconds to connect, send and read (0: as in
--- nginx.conf), the position of the preferred endpoint (0: any), the request's deadline (milliseconds since 1970; 0:
--- none), milliseconds for each try (0: no limit), retries (-1: not set), whether a timeout is retried, the upstream.
---@param most integer tries that the request may have
function _M.encode(upstream_id, route, preferred, most)
    local parts = route.tries
    local ends = parts.request and floor(start_time() * 1000) + parts.request or 0
    return concat({
        "*" .. parts.times,
        preferred or 0,
        ends,
        parts.each,
        min(parts.attempts, most - 1),
        parts.timeouts,
        upstream_id,
    }, " ")
end

local PATTERN = [[^\*(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (-?\d+) ([01]) (.*)$]]

--- Decodes the result of `encode`.
function _M.decode(text)
    local m = re_match(text, PATTERN, "jos")
    return {
        connect = tonumber(m[1]),
        send = tonumber(m[2]),
        read = tonumber(m[3]),
        preferred = tonumber(m[4]),
        ends = tonumber(m[5]),
        each = tonumber(m[6]),
        attempts = tonumber(m[7]),
        repeats_timeouts = m[8] == "1",
        upstream = m[9],
    }
end

-- nginx before 1.29.5 corrupts a body that it sends a second time from a file by HTTP/2.
local GARBLES = ngx.config.nginx_version < 1029005
local GRPC = "grpc"

local function can_be_repeated()
    return not GARBLES
        or str_sub(var.albc_pass, 1, 4) ~= GRPC
        or (var.request_body_file or "") == ""
end

-- Tries that nginx may make after the first.
local function more_tries(plan, upstream)
    if not can_be_repeated() then
        return 0
    end
    if plan.attempts ~= NO_RETRY then
        return plan.attempts
    end
    return min(upstream.count, peer.MAX_TRIES) - 1
end

-- After the connection broke when the request was sent, so the backend may have processed it. nginx asks even where no
-- try is left, if the connection had served a request before.
local function may_repeat(attempts)
    if not_idempotent[var.request_method] then
        return false
    end
    return attempts > 0 or attempts == NO_RETRY and turns.may_repeat()
end

-- The reason not to try again; nil if another try is allowed.
local function reason_to_stop(plan, status, adaptor)
    if peer.has_had_all() then
        return errors.reasons.bad_gateway
    end
    if peer.was_answered() or not peer.was_connected() then
        return nil
    end
    if adaptor and adaptor.failure(var.albc_endpoint) then
        return nil
    end
    if status == 504 or watch.is_over() then
        return not plan.repeats_timeouts and errors.reasons.timeout or nil
    end
    return not may_repeat(plan.attempts) and errors.reasons.bad_gateway or nil
end

-- Milliseconds that this try may take.
local function limit_of(plan)
    local each = plan.each > 0 and plan.each or huge
    local left = plan.ends > 0 and plan.ends - now() * 1000 or huge
    return min(each, left)
end

local function has_own_limit(plan)
    return plan.connect > 0 and plan.connect ~= WHOLE
end

-- Milliseconds that the connection of this try may take.
local function connect_limit(plan, upstream, is_last)
    if has_own_limit(plan) then
        return plan.connect
    end
    return upstream.brief and not is_last and BRIEF or WHOLE
end

local function limit_timeouts(plan, limit, to_connect)
    if plan.connect == 0 then
        if to_connect < WHOLE then
            set_timeouts(to_connect / 1000)
        end
        return
    end
    if var.albc_upgrade ~= "" then
        -- A tunnel may be silent for longer than its handshake may take; watch.lua ends late handshakes.
        limit = huge
    end
    set_timeouts(to_connect / 1000, min(plan.send, limit) / 1000, min(plan.read, limit) / 1000)
end

-- nginx's timeouts can't enforce the deadline: a backend that sends slowly never reaches one.
local function connect(limit, to_connect, adaptor, address, port)
    if adaptor then
        address, port = adaptor.aim(address, port, to_connect), nil
    end
    if limit < huge then
        watch.start(now() * 1000 + limit, address, port)
    end
    return peer.connect(address, port)
end

local function endpoint_of(plan, upstream, is_first)
    if not is_first then
        return peer.next_untried(upstream)
    end
    local preferred = plan.preferred
    if
        preferred > 0
        and preferred <= upstream.count
        and not endpoints.is_out(upstream, preferred)
    then
        return endpoints.at(upstream, preferred)
    end
    return endpoints.next(upstream)
end

--- How many tries a request may have.
---@param text string from `encode`
function _M.most(text, upstream)
    return 1 + more_tries(_M.decode(text), upstream)
end

--- Runs for each try of a request whose $albc_backend comes from `encode`.
---@param text string
---@param adaptor table? backend_tls/adaptor.lua, where it opens the connections
function _M.balance(text, adaptor)
    local plan = _M.decode(text)
    local upstream = endpoints.upstream(plan.upstream)
    if not upstream or upstream.count == 0 then
        return peer.refuse(errors.reasons.no_peer)
    end
    local failure, status = get_last_failure()
    if failure then
        peer.learn(upstream, status, 1 + more_tries(plan, upstream), 1, adaptor)
    end
    local stop = failure and reason_to_stop(plan, status, adaptor)
    if stop then
        return peer.refuse(stop)
    end
    local limit = limit_of(plan)
    -- Timers have millisecond resolution.
    if limit < 1 then
        return peer.refuse(errors.reasons.timeout)
    end
    local more = failure and 0 or more_tries(plan, upstream)
    if more > 0 then
        set_more_tries(more)
    end
    local is_last = more == 0
    if failure then
        peer.renumber()
        is_last = peer.is_last()
    end
    local to_connect = min(connect_limit(plan, upstream, is_last), limit)
    limit_timeouts(plan, limit, to_connect)
    if upstream.count > 1 then
        stalls.begin(upstream, has_own_limit(plan))
    end
    return connect(limit, to_connect, adaptor, endpoint_of(plan, upstream, not failure))
end

return _M
