--- Keeps a request over TLS on the listener of its connection's server name.
--
-- The server name of the handshake decided which certificate was served and whether the client needed one. A Host
-- header of another listener would bypass that, so it gets 421 (RFC 9110, 15.5.20). nginx.conf calls this only on
-- servers with listeners of Gateways, so other requests don't pay for it.
-- May yield: no. Phases: access.
local counters = require("alb.counters")
local errors = require("alb.errors")
local host_keys = require("alb.route.host_keys")
local index = require("alb.policy.index")
local listeners = require("alb.policy.listeners")

local ngx = ngx
local var = ngx.var

local _M = {}

-- nginx closes the connection without a response.
local CLOSE = 444

local function require_certificate(listener)
    if listener.mode == "required" and var.ssl_client_verify ~= "SUCCESS" then
        var.albc_reason = errors.reasons.client_certificate
        counters.refused(errors.reasons.client_certificate)
        return ngx.exit(CLOSE)
    end
end

-- Returns whether a request for listener `wanted` must not use a connection for listener `named`.
local function is_misdirected(named, wanted)
    return named ~= wanted
        and (
            wanted.isolated
            or wanted.mode ~= nil
            or named and (named.isolated or named.mode ~= nil)
        )
end

--- Ends the request if it belongs to another listener than its connection.
---@param server_id string
---@param host string of the request, in lower case
function _M.check(server_id, host)
    local server = index.get("servers", server_id)
    local name = host_keys.of_server_name(var.ssl_server_name)
    if not server or (name == host and not server.clientCertificates) then
        return
    end
    local named = listeners.find_known(server, name)
    if named and named.mode then
        require_certificate(named)
    end
    local wanted = name == host and named or listeners.find_known(server, host)
    -- A host without a listener gets 404 later.
    if wanted and is_misdirected(named, wanted) then
        return errors.exit(421, errors.reasons.misdirected)
    end
end

return _M
