--- The hop inside nginx for backends whose certificate is verified (templates/partials/backend-tls.conf.hbs).
--
-- The gateway's locations send such a request to a unix socket instead of an endpoint. A location behind the socket has
-- the authorities and the client certificate of the BackendTls and forwards the request. Its connections are shared
-- with no other BackendTls.
-- May yield: no. Phases: send in access; receive in rewrite of the hop; balance in balancer.
local address = require("alb.backend_tls.address")
local balancer = require("ngx.balancer")
local errors = require("alb.errors")
local handover = require("alb.upstream.handover")
local index = require("alb.policy.index")
local peer = require("alb.upstream.peer")
local tries = require("alb.upstream.tries")

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local set_uri = ngx.req.set_uri
local str_byte = string.byte

local _M = {}

-- Seconds. The hop itself limits how long a try takes.
local CONNECT, A_DAY = 5, 86400
local SOCKET = "unix:control/relay.sock"
local ASTERISK = 42

local function is_grpc(backend)
    return backend.protocol == "grpcs"
end

--- Returns where to send a request to a backend with verified TLS. For gRPC, also sets the request's URI to the form
--- that the hop expects.
---@param backend table Backend with `tls`
---@return string prefix of $albc_pass, before the request target
function _M.send(backend)
    local prefix = address.encode(backend.tls, is_grpc(backend), var.albc_backend, var.albc_route)
    if is_grpc(backend) then
        set_uri(prefix .. var.uri, false, true)
        return "grpc://albc_relay_grpc"
    end
    return "http://albc_relay" .. prefix
end

local function pass(at, profile)
    if profile.inLua then
        if at.is_grpc then
            return errors.exit(500, errors.reasons.tls_names_grpc)
        end
        var.albc_pass = at.rest
        return exec("@tls-lua-" .. at.profile)
    end
    if at.is_grpc then
        set_uri(address.decode(var.uri).rest, false, true)
        -- Tells peer.renumber that the backend gets HTTP/2.
        var.albc_pass = "grpcs://"
        return exec("@tls-grpc-" .. at.profile)
    end
    var.albc_pass = at.rest
    return exec("@tls-" .. at.profile)
end

--- Called by rewrite_by_lua of the hop.
function _M.receive()
    handover.clear()
    local at = address.decode(var.request_uri)
    local profile = at and index.get("backendTls", at.profile)
    if not profile then
        return errors.exit(500, errors.reasons.internal)
    end
    if var.http_upgrade then
        var.albc_upgrade, var.albc_connection = var.http_upgrade, "upgrade"
    end
    var.albc_backend, var.albc_route = at.target, at.route
    var.albc_tls_name = profile.hostname or ""
    return pass(at, profile)
end

-- Retries that the route asks for. The hop itself tries other endpoints.
local function more_tries()
    local text = var.albc_backend
    if str_byte(text, 1) ~= ASTERISK then
        return 0
    end
    local attempts = tries.decode(text).attempts
    return attempts > 0 and attempts or 0
end

--- Runs for each try on the gateway's side and sends it to the hop.
function _M.balance()
    if balancer.get_last_failure() then
        peer.renumber()
    else
        local more = more_tries()
        if more > 0 then
            balancer.set_more_tries(more)
        end
    end
    balancer.set_timeouts(CONNECT, A_DAY, A_DAY)
    local ok, err = balancer.set_current_peer(SOCKET)
    if not ok then
        ngx.log(ngx.ERR, "albc: ", SOCKET, ": ", err)
        return ngx.exit(500)
    end
end

return _M
