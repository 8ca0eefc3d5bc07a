--- Checks that a backend's certificate has one of the names of BackendTLSPolicy.subjectAltNames.
-- May yield: no. Phases: those with cosockets.
local ffi = require("ffi")

local C = ffi.C
local cast = ffi.cast
local ffi_new = ffi.new
local ffi_str = ffi.string
local pcall = pcall

-- Declares SSL_SESSION and X509.
require("alb.auth.tls")

ffi.cdef([[
    typedef struct albc_general_names_st albc_general_names_t;
    int X509_check_host(X509 *certificate, const char *name, size_t length, unsigned int flags, char **peer);
    albc_general_names_t *X509_get_ext_d2i(const X509 *certificate, int nid, int *critical, int *index);
    int OPENSSL_sk_num(const albc_general_names_t *names);
    void *OPENSSL_sk_value(const albc_general_names_t *names, int index);
    void *GENERAL_NAME_get0_value(const void *name, int *type);
    void GENERAL_NAMES_free(albc_general_names_t *names);
    const unsigned char *ASN1_STRING_get0_data(const void *text);
    int ASN1_STRING_length(const void *text);
]])

local _M = {}

local NID_SUBJECT_ALT_NAME = 85
local GEN_URI = 6
-- Only subject alternative names count, and a wildcard is a whole label (RFC 9525, 6.3 and 6.4).
local NO_PARTIAL_WILDCARDS, NEVER_CHECK_SUBJECT = 0x4, 0x20

local kind = ffi_new("int[1]")

local function has_hostname(certificate, name)
    local flags = NO_PARTIAL_WILDCARDS + NEVER_CHECK_SUBJECT
    return C.X509_check_host(certificate, name, #name, flags, nil) == 1
end

local function has_uri(certificate, uri)
    local names = C.X509_get_ext_d2i(certificate, NID_SUBJECT_ALT_NAME, nil, nil)
    if names == nil then
        return false
    end
    local found = false
    for i = 0, C.OPENSSL_sk_num(names) - 1 do
        local value = C.GENERAL_NAME_get0_value(C.OPENSSL_sk_value(names, i), kind)
        if kind[0] == GEN_URI then
            local text = ffi_str(C.ASN1_STRING_get0_data(value), C.ASN1_STRING_length(value))
            found = found or text == uri
        end
    end
    C.GENERAL_NAMES_free(names)
    return found
end

local function has_any(session, names)
    local certificate = C.SSL_SESSION_get0_peer(cast("SSL_SESSION *", session))
    if certificate == nil then
        return false
    end
    for i = 1, #names do
        local has = names[i][1] == "uri" and has_uri or has_hostname
        if has(certificate, names[i][2]) then
            return true
        end
    end
    return false
end

--- Returns whether the peer's certificate has one of the names.
---@param session userdata returned by a cosocket's handshake
---@param names string[][] `{"hostname" | "uri", value}`
---@return boolean
function _M.fit(session, names)
    local ok, fits = pcall(has_any, session, names)
    if not ok then
        ngx.log(ngx.ERR, "albc: names of a backend's certificate: ", fits)
    end
    return ok and fits
end

return _M
