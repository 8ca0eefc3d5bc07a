--- The catalogue of error reasons: what X-ALB-ERR-REASON says, `<Class> : <message>`. docs/errors.md is made from it.
-- One line an entry: name = { status, reason, when }. `<…>` stands for a value that is known at run time only.
-- luacheck: no max line length
local _M = {}

-- stylua: ignore
_M.catalog = {
    -- Routing
    no_rule = { 404, "InvalidUpstream : no rule match", "no rule of the port matches the request" },
    invalid_rule = { 500, "InvalidRule : regular expression", "a pattern of the rule that the request may match can not be compiled, or gave up on the request: it backtracks too much, or those before it took too long" },
    too_long = { 400, "BadRequest : path or value too long for a regular expression", "a path, header or query parameter that a rule has a regular expression for, to choose it or to rewrite the path, is longer than 8 KiB" },
    refused_rule = { 500, "InvalidRule : invalid cfg <what>", "the rule can not be done as written; albc's diagnostics say where" },
    no_host = { 400, "BadRequest : Host is no DNS name or address", "the host of a request is a DNS name of letters, digits, `-` and `_` with labels of at most 63 bytes and 253 in all, an IPv4 address of four decimal numbers, or an IPv6 address in brackets" },
    host_mismatch = { 400, "BadRequest : host of the request target differs from the Host header", "an absolute request target names another host than the Host header" },
    ambiguous_path = { 400, "BadRequest : ambiguous path", "some backends read another path than the gateway in the request target (dot segments, encoded slashes, `;`, `\\` or double encoding), and another rule restricts access to that path" },
    body_too_large = { 413, "BadRequest : request body too large", "the request body is larger than proxy-body-size or the limit of the gateway" },
    -- Backends
    no_backend = { 500, "InvalidBackend : no backend", "the rule has no backend with a weight" },
    refused_backend = { 500, "InvalidBackend : invalid cfg <what>", "the backend is no port of a Service" },
    tls_names_grpc = { 500, "InvalidBackend : subject alternative names over gRPC", "the certificate of a gRPC backend is to be checked for other names than its hostname, which is not supported" },
    no_peer = { 503, "InvalidBalancer : no peer", "the Service has no endpoint to send to" },
    peer_failed = { 500, "InvalidBalancer : set peer fail", "an endpoint's address can not be used" },
    timeout = { 504, "TimeoutViaAlb", "a backend did not answer in time" },
    bad_gateway = { 502, "BackendError : no valid response from backend", "every endpoint tried refused the connection, closed it or sent no HTTP" },
    loop = { 508, "InvalidBackend : the request came back for the eighth time", "a backend, auth service or mirror of the rule leads back to the gateway, or X-Albc-Turns of the request is not of a gateway" },
    -- Access
    source_refused = { 403, "AccessFail : client address not allowed", "the client's address is denied, or not among those that are allowed" },
    auth_invalid = { 503, "AuthFail : invalid cfg <what>", "auth or another restriction of access of the path can not be honoured; albc's diagnostics say where" },
    client_certificate = { 444, "AccessFail : client certificate missing or not valid", "a client of a listener that requires certificates showed none, or none of its authorities; the connection is closed, only the access log tells" },
    basic_missing = { 401, "AuthFail : basic_auth but req no auth header", "no Authorization header" },
    basic_scheme = { 401, "AuthFail : invalid Authorization scheme, not basic auth.", "Authorization of another scheme than Basic" },
    basic_base64 = { 401, "AuthFail : invalid base64 encoding", "the credentials are no base64, or something follows them" },
    basic_format = { 401, "AuthFail : invalid format", "the credentials hold no colon, or a control character" },
    basic_wrong = { 401, "AuthFail : invalid user or passwd", "unknown user or wrong password" },
    basic_flood = { 429, "AuthFail : too many failed logins", "more logins of the client, or of all, have failed within a second than are computed; Retry-After says when to try again" },
    forward_status = { 500, "AuthFail : auth-service-status: <status>", "the auth service refused: 401 and 403 are passed on, any other status but 2xx is 500" },
    forward_build = { 500, "AuthFail : build-auth-request-fail", "a variable's value can not stand where the auth URL or a header has it" },
    forward_send = { 500, "AuthFail : send-auth-request-fail", "the auth service can not be found or reached, is too slow, or sends no HTTP; the error log has more" },
    forward_signin = { 401, "AuthFail : resolve-signinurl-fail", "a variable's value can not stand in the sign-in URL" },
    -- Of nginx itself
    malformed = { 400, "BadRequest : malformed request", "the request is no valid HTTP, or its path climbs above /" },
    method = { 405, "BadRequest : method not allowed", "CONNECT or TRACE" },
    slow_request = { 408, "BadRequest : request timeout", "the client was too slow to send the request" },
    length_required = { 411, "BadRequest : length required", "a body without a length" },
    target_too_long = { 414, "BadRequest : request target too long", "the request line is longer than 16 KiB" },
    expectation = { 417, "BadRequest : expectation failed", "an Expect header that can not be met" },
    misdirected = { 421, "BadRequest : misdirected request", "the connection was made for another server name" },
    header_too_large = { 431, "BadRequest : request header too large", "a header line is longer than 16 KiB, or all of them than 64 KiB" },
    too_many = { 429, "BadRequest : too many requests at once", "the client's address has more concurrent requests than the option clientRequests allows" },
    plain_on_tls = { 497, "BadRequest : plain HTTP request sent to HTTPS port", "HTTP without TLS on an HTTPS port" },
    internal = { 500, "InternalError", "a fault of the gateway; the error log has more" },
    not_implemented = { 501, "BadRequest : not implemented", "a transfer coding that is not supported" },
    unavailable = { 503, "InvalidBalancer : unavailable", "the gateway can not serve the request now" },
    version = { 505, "BadRequest : HTTP version not supported", "HTTP/2 preface or version that is not served" },
    no_storage = { 507, "InternalError : out of storage", "the disk or memory of the gateway is full" },
}

-- Which entry answers for a status that nginx makes by itself.
local NGINX = {
    "malformed",
    "no_rule",
    "method",
    "slow_request",
    "length_required",
    "body_too_large",
    "target_too_long",
    "expectation",
    "misdirected",
    "too_many",
    "header_too_large",
    "plain_on_tls",
    "internal",
    "not_implemented",
    "bad_gateway",
    "unavailable",
    "timeout",
    "version",
    "no_storage",
}

--- Reason text by name.
_M.text = {}
--- Reason text by status, for answers that nginx makes by itself.
_M.of_nginx = {}

for name, entry in pairs(_M.catalog) do
    _M.text[name] = entry[2]
end
for i = 1, #NGINX do
    local entry = _M.catalog[NGINX[i]]
    _M.of_nginx[entry[1]] = entry[2]
end

return _M
