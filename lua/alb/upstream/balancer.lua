--- Picks the endpoint of each try. If a connection fails, other endpoints are tried. A request that an endpoint
-- accepted and answered too slowly is not tried again.
-- May yield: no. Phases: balancer; learn in rewrite and header_filter.
local balancer = require("ngx.balancer")
local adaptor = require("alb.backend_tls.adaptor")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local handover = require("alb.upstream.handover")
local index = require("alb.policy.index")
local outages = require("alb.upstream.outages")
local peer = require("alb.upstream.peer")
local stalls = require("alb.upstream.stalls")
local target = require("alb.upstream.target")
local tries = require("alb.upstream.tries")

local ngx = ngx
local var = ngx.var
local set_more_tries = balancer.set_more_tries
local set_timeouts = balancer.set_timeouts
local get_last_failure = balancer.get_last_failure
local connect = peer.connect
local MAX_TRIES = peer.MAX_TRIES
local md5 = ngx.md5
local may_repeat = require("alb.turns").may_repeat
local refuse = peer.refuse
local begin = stalls.begin
local BRIEF, WHOLE = outages.BRIEF, outages.WHOLE
local is_out = endpoints.is_out
local str_byte = string.byte

local _M = {}

local ASTERISK = 42
local EXCLAMATION = 33

local function most_tries(upstream)
    return upstream.count < MAX_TRIES and upstream.count or MAX_TRIES
end

-- `own_limit`: whether the route has a limit of its own for connecting, `is_limited`: whether no other is to be set.
local function first_try(upstream, preferred, own_limit, is_limited)
    -- A single endpoint: nothing to choose and nothing else to try.
    if upstream[3] == nil then
        return connect(upstream[1], upstream[2])
    end
    begin(upstream, own_limit)
    set_more_tries(most_tries(upstream) - 1)
    if upstream.brief and not is_limited then
        set_timeouts(BRIEF)
    end
    if preferred > 0 and preferred <= upstream.count and not is_out(upstream, preferred) then
        return connect(endpoints.at(upstream, preferred))
    end
    return connect(endpoints.next(upstream))
end

local function further_try(upstream, failure_status, own_limit)
    peer.learn(upstream, failure_status, most_tries(upstream), 1)
    if failure_status == 504 and peer.was_connected() then
        return refuse(errors.reasons.timeout)
    end
    if peer.has_had_all() or not may_repeat() and peer.was_connected() then
        return refuse(errors.reasons.bad_gateway)
    end
    peer.renumber()
    begin(upstream, own_limit)
    if not own_limit then
        set_timeouts(upstream.brief and not peer.is_last() and BRIEF or WHOLE)
    end
    return connect(peer.next_untried(upstream))
end

-- nginx tries again what it sent over a kept connection that the backend had closed. A request to an only endpoint has
-- no variables to tell it.
local function same_again()
    local address, port = peer.first_tried()
    if not address then
        return refuse(errors.reasons.no_peer)
    end
    if peer.has_had_all() then
        return refuse(errors.reasons.bad_gateway)
    end
    peer.renumber()
    return connect(address, port)
end

-- Upstream id, preferred position, whether the route has a limit of its own for connecting. For a route without choices
-- the access phase sets only $albc_route.
local function target_of(id)
    if id == "" then
        local route = index.route(var.albc_route)
        return route and route.fixed, 0
    end
    if str_byte(id, 1) ~= EXCLAMATION then
        return id, 0
    end
    local upstream_id, connect_ms, send_ms, read_ms, preferred = target.decode(id)
    if connect_ms > 0 then
        set_timeouts(connect_ms / 1000, send_ms / 1000, read_ms / 1000)
    end
    return upstream_id, preferred, connect_ms > 0 and connect_ms ~= WHOLE * 1000
end

local function balance_by_variables()
    local written = var.albc_backend
    if str_byte(written, 1) == ASTERISK then
        return tries.balance(written)
    end
    if written == "" and var.albc_route == "" then
        return same_again()
    end
    local id, preferred, own_limit = target_of(written)
    local upstream = id and endpoints.upstream(id)
    if not upstream or upstream.count == 0 then
        return refuse(errors.reasons.no_peer)
    end
    local failure, status = get_last_failure()
    if failure then
        return further_try(upstream, status, own_limit)
    end
    return first_try(upstream, preferred, own_limit, own_limit)
end

--- Runs for each try of a request.
function _M.balance()
    peer.pool = nil
    local upstream, port = handover.take()
    if port then
        return connect(upstream, port)
    end
    if upstream then
        return first_try(upstream, 0, false, stalls.limits())
    end
    return balance_by_variables()
end

--- Runs instead where connections are made by TLS: the server name decides who is at the other end, too, and so do the
--- authorities, names and client certificate of verified TLS. ngx_lua compares pools byte by byte if their names have
--- at most 32, hence the digest.
function _M.balance_tls()
    peer.pool = md5(var.albc_tls .. " " .. var.albc_server_name)
    return balance_by_variables()
end

--- Runs instead where Lua makes the connections.
function _M.balance_adaptor()
    peer.pool = nil
    return tries.balance(var.albc_backend, adaptor)
end

--- Learns from a request whose last try failed: nginx asked for no other one.
---@param status integer
function _M.learn(status)
    local written = var.albc_backend
    local id = target.upstream(written)
    if written == "" then
        local route = var.albc_route ~= "" and index.route(var.albc_route)
        id = route and route.fixed
    end
    local upstream = id and endpoints.upstream(id)
    if not upstream or upstream.count < 2 or not peer.tried() then
        return
    end
    local total = str_byte(written, 1) == ASTERISK and tries.most(written, upstream)
    peer.learn(upstream, status, total or most_tries(upstream), 0, adaptor)
end

return _M
