--- TLS to auth services, whose certificates are checked for the name or address.
-- May yield: yes. Phases: those with cosockets.
local ffi = require("ffi")
local ip_address = require("alb.ip_address")

local C = ffi.C
local pcall = pcall

local _M = {}

ffi.cdef([[
    typedef struct ssl_session_st SSL_SESSION;
    typedef struct x509_st X509;
    X509 *SSL_SESSION_get0_peer(SSL_SESSION *session);
    int X509_check_ip_asc(X509 *certificate, const char *address, unsigned int flags);
]])

-- ngx_lua compares names only; OpenSSL compares the certificate's addresses, reached through the session.
local function names_address(session, address)
    local certificate = C.SSL_SESSION_get0_peer(ffi.cast("SSL_SESSION *", session))
    return certificate ~= nil and C.X509_check_ip_asc(certificate, address, 0) == 1
end

-- ngx_lua misreports a handshake that finishes without waiting: without asking for a session, it accepts a certificate
-- that it has refused; with one (0.10.28), it raises an error. So this asks for the session and catches errors.
local function get_session(sock, name, verify)
    local ok, session, err = pcall(sock.sslhandshake, sock, nil, name, verify)
    if not ok then
        return nil, "certificate is not trusted"
    end
    return session, err
end

--- Makes a connected socket a TLS connection.
---@param host string name (sent as SNI) or address
---@param verify boolean the certificate must be trusted and for the host
---@return true? ok
---@return string? err
function _M.handshake(sock, host, verify)
    local is_address = ip_address.parse(host) ~= nil
    local session, err = get_session(sock, not is_address and host or nil, verify)
    if not session then
        return nil, err
    end
    if is_address and verify then
        local ok, matches = pcall(names_address, session, host)
        if not ok or not matches then
            return nil, "certificate is not for the address"
        end
    end
    return true
end

return _M
