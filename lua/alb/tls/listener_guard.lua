--- Holds a request over TLS to the listener that its connection was made for.
--
-- The server name of the handshake chose the certificate and whether the client must show one; a Host of another
-- listener would get past that, so it is answered 421 (RFC 9110, 15.5.20). nginx.conf calls this only for servers that
-- have listeners of Gateways, so that no other request pays for it.
-- May yield: no. Phases: access.
local counters = require("alb.counters")
local errors = require("alb.errors")
local index = require("alb.policy.index")
local listeners = require("alb.policy.listeners")
local server_name = require("alb.tls.server_name")

local ngx = ngx
local var = ngx.var

local _M = {}

-- nginx closes the connection without an answer.
local CLOSE = 444

local function require_certificate(listener)
    if listener.mode == "required" and var.ssl_client_verify ~= "SUCCESS" then
        var.albc_reason = errors.reasons.client_certificate
        counters.refused(errors.reasons.client_certificate)
        return ngx.exit(CLOSE)
    end
end

-- The listener that a request may not reach by this connection.
local function is_misdirected(named, wanted)
    return named ~= wanted
        and (
            wanted.isolated
            or wanted.mode ~= nil
            or named and (named.isolated or named.mode ~= nil)
        )
end

--- Returns when the request is in the right place; else ends it.
---@param server_id string
---@param host string the request's, in lower case
function _M.check(server_id, host)
    local server = index.get("servers", server_id)
    local name = server_name.normalise(var.ssl_server_name)
    if not server or (name == host and not server.clientCertificates) then
        return
    end
    local named = listeners.find_known(server, name)
    if named and named.mode then
        require_certificate(named)
    end
    local wanted = name == host and named or listeners.find_known(server, host)
    -- Without a listener the host is nobody's: 404 says so.
    if wanted and is_misdirected(named, wanted) then
        return errors.exit(421, errors.reasons.misdirected)
    end
end

return _M
