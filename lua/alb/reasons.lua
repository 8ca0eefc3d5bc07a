--- The catalogue of error reasons, as sent in X-ALB-ERR-REASON: `<Class> : <message>`. docs/errors.md is generated
-- from it. Each line is an entry: name = { status, reason, when }. `<…>` stands for a value known only at run time.
-- luacheck: no max line length
local _M = {}

-- stylua: ignore
_M.catalog = {
    -- Routing
    no_rule = { 404, "InvalidUpstream : no rule match", "no rule of the port matches the request" },
    invalid_rule = { 500, "InvalidRule : regular expression", "a pattern of a rule that may match the request does not compile, or gave up: it backtracks too much, or earlier patterns took too long" },
    rewrite_cycle = { 500, "InvalidRule : rewrites of snippets don't end", "rewrites of snippets lead from path to path more than three times" },
    question = { 400, "BadRequest : not the question to an auth service", "the request has an X-Albc-Question of this gateway that belongs to another host, path or set of headers, or is older than 30 seconds" },
    too_long = { 400, "BadRequest : path or value too long for a regular expression", "a path, header or query parameter that a rule matches or rewrites with a regular expression is longer than 8 KiB" },
    redirect_value = { 400, "BadRequest : value not allowed in the redirect", "a variable or capture that a redirect writes into its host holds other characters than those of a host, or one in its path holds a line break" },
    refused_rule = { 500, "InvalidRule : invalid cfg <what>", "the rule can't work as written; albc's diagnostics say where" },
    no_share = { 503, "InvalidRule : no share of the policy", "the namespaces' share of the policy is used up, and the rule's object is one of the newest of the namespaces that use most; albc's diagnostics say which (POLICY_OVER_BUDGET)" },
    no_host = { 400, "BadRequest : Host is no DNS name or address", "the host is not a DNS name of letters, digits, `-` and `_` (at most 63 bytes a label, 253 in all), an IPv4 address of four decimal numbers, or an IPv6 address in brackets" },
    host_mismatch = { 400, "BadRequest : host of the request target differs from the Host header", "an absolute request target names another host than the Host header" },
    ambiguous_path = { 400, "BadRequest : ambiguous path", "some backends read another path in the request target than the gateway (dot segments, encoded slashes, `;`, `\\` or double encoding), and another rule restricts access to that path" },
    rewritten_escape = { 400, "BadRequest : escape not allowed in a rewritten path to HTTP/2", "a path that is rewritten for an h2c or gRPC backend holds an escape, such as %2F or %41, that nginx can send only decoded" },
    grown = { 414, "BadRequest : too long with the values of the request", "with the path or query of the request, a rewritten path and query, or those of a redirect, are longer than 32 KiB" },
    body_too_large = { 413, "BadRequest : request body too large", "the request body exceeds proxy-body-size or the limit of the gateway, or 128 KiB where it must be held: for an auth service, or without a length where nginx has no location for the limit" },
    -- Backends
    no_backend = { 500, "InvalidBackend : no backend", "the rule has no backend with a weight" },
    refused_backend = { 500, "InvalidBackend : invalid cfg <what>", "the backend is not a Service port" },
    tls_unready = { 503, "InvalidBackend : TLS to the backend is not ready", "the reload is under way that brings the authorities or the client certificate of the backend's BackendTLSPolicy" },
    no_peer = { 503, "InvalidBalancer : no peer", "the Service has no endpoint to send to" },
    peer_failed = { 500, "InvalidBalancer : set peer fail", "an endpoint's address can't be used" },
    timeout = { 504, "TimeoutViaAlb", "a backend did not answer in time" },
    bad_gateway = { 502, "BackendError : no valid response from backend", "every endpoint tried refused or closed the connection, or sent no HTTP" },
    no_page = { 502, "BackendError : no error page", "the error of a backend was to be replaced by a page, and the Service of the pages did not answer; the status is that of the error" },
    loop = { 508, "InvalidBackend : the request came back too often", "the request has been sent by a gateway, and its budget is spent: a backend leads back to the gateway for the eighth time, or an auth service or mirror for the second, or with many tries sooner; or a client sent an X-Albc-Turns of its own" },
    -- Access
    source_refused = { 403, "AccessFail : client address not allowed", "the client's address is denied, or not among the allowed ones" },
    too_fast = { 503, "AccessFail : too many requests of the client", "the client's address sends more requests than limit-rps or limit-rpm of the Ingress allows" },
    auth_invalid = { 503, "AuthFail : invalid cfg <what>", "auth or another access restriction of the path can't be enforced, or its object has an error that may hide one, such as a duplicate; albc's diagnostics say where" },
    client_certificate = { 444, "AccessFail : client certificate missing or not valid", "a listener requires client certificates, and the client sent none or one of another authority; the connection is closed, only the access log shows it" },
    returned = { 403, "AccessFail : answered by a snippet", "a `return` or `limit_except` of a snippet answers, with this or another status from 400 on" },
    basic_missing = { 401, "AuthFail : basic_auth but req no auth header", "no Authorization header" },
    basic_scheme = { 401, "AuthFail : invalid Authorization scheme, not basic auth.", "the Authorization scheme is not Basic" },
    basic_base64 = { 401, "AuthFail : invalid base64 encoding", "the credentials are not base64, or something follows" },
    basic_format = { 401, "AuthFail : invalid format", "the credentials lack a colon or hold a control character" },
    basic_wrong = { 401, "AuthFail : invalid user or passwd", "unknown user or wrong password" },
    basic_flood = { 429, "AuthFail : too many logins", "too many logins of the client, or of all clients, failed within a second, or a namespace had too many first logins; Retry-After says when to try again" },
    forward_status = { 500, "AuthFail : auth-service-status: <status>", "the auth service refused: 401 and 403 are passed on, others except 2xx become 500" },
    forward_build = { 500, "AuthFail : build-auth-request-fail", "a variable's value is not allowed in the auth URL or header" },
    forward_grown = { 414, "AuthFail : auth request too long with the values of the request", "with values of the request, the auth URL is longer than 32 KiB, or the headers that the gateway adds are longer than 64 KiB" },
    forward_send = { 500, "AuthFail : send-auth-request-fail", "the auth service can't be found or reached, is too slow, or sends no HTTP; the error log has more" },
    forward_failure = { 500, "AuthFail : auth-service-status: error in a success", "the auth service's answer of 2xx has a grpc-status other than 0 or an X-ALB-ERR-REASON, as a gateway's errors for gRPC have; 503 for ExternalAuth" },
    forward_signin = { 401, "AuthFail : resolve-signinurl-fail", "a variable's value is not allowed in the sign-in URL, or makes it longer than 32 KiB" },
    -- Produced by nginx
    malformed = { 400, "BadRequest : malformed request", "the request is not valid HTTP, or its path climbs above /" },
    method = { 405, "BadRequest : method not allowed", "CONNECT or TRACE" },
    slow_request = { 408, "BadRequest : request timeout", "the client sent the request too slowly" },
    length_required = { 411, "BadRequest : length required", "a body without a length" },
    target_too_long = { 414, "BadRequest : request target too long", "the request line exceeds 16 KiB" },
    expectation = { 417, "BadRequest : expectation failed", "the Expect header can't be met" },
    misdirected = { 421, "BadRequest : misdirected request", "the connection was made for another server name" },
    header_too_large = { 431, "BadRequest : request header too large", "a header line exceeds 16 KiB, or all of them exceed 64 KiB" },
    too_many = { 429, "BadRequest : too many requests at once", "the client's address has more concurrent requests than the option clientRequests allows" },
    plain_on_tls = { 497, "BadRequest : plain HTTP request sent to HTTPS port", "HTTP without TLS on an HTTPS port" },
    internal = { 500, "InternalError", "a fault of the gateway; the error log has more" },
    not_implemented = { 501, "BadRequest : not implemented", "an unsupported transfer coding" },
    unavailable = { 503, "InvalidBalancer : unavailable", "the gateway can't serve the request now" },
    version = { 505, "BadRequest : HTTP version not supported", "an unsupported HTTP version or HTTP/2 preface" },
    no_storage = { 507, "InternalError : out of storage", "the disk or memory of the gateway is full" },
}

-- The entry for each status that nginx produces.
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
--- Reason text by status, for responses that nginx produces.
_M.of_nginx = {}

for name, entry in pairs(_M.catalog) do
    _M.text[name] = entry[2]
end
for i = 1, #NGINX do
    local entry = _M.catalog[NGINX[i]]
    _M.of_nginx[entry[1]] = entry[2]
end

return _M
