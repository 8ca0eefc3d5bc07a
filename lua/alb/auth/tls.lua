--- TLS to auth services, with certificates that are checked for the name or the address.
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

-- ngx_lua compares names only; the certificate's addresses are OpenSSL's to compare, by way of the session.
local function names_address(session, address)
    local certificate = C.SSL_SESSION_get0_peer(ffi.cast("SSL_SESSION *", session))
    return certificate ~= nil and C.X509_check_ip_asc(certificate, address, 0) == 1
end

local function handshake_with_address(sock, address)
    local session, err = sock:sslhandshake(nil, nil, true)
    if not session then
        return nil, err
    end
    local ok, matches = pcall(names_address, session, address)
    if not ok or not matches then
        return nil, "certificate is not for the address"
    end
    return true
end

--- Makes a connected socket a TLS connection.
---@param host string name (sent as SNI) or address
---@param verify boolean the certificate must be trusted and for the host
---@return true? ok
---@return string? err
function _M.handshake(sock, host, verify)
    local is_address = ip_address.parse(host) ~= nil
    if is_address and verify then
        return handshake_with_address(sock, host)
    end
    return sock:sslhandshake(false, not is_address and host or nil, verify)
end

return _M
