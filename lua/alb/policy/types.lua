--- Types of policy.json, for editors and readers; made from src/render/policy/policy.schema.json.
-- luacheck: no max line length
-- stylua: ignore start

--- policy.json: what the data plane does with each request. Times are milliseconds, sizes bytes. Absent and empty fields are left out.
---@class PolicyDocument
---@field format 3
---@field version string Digest of everything else: equal policies have equal versions.
---@field settings PolicySettings
---@field servers table<string, PolicyServer> By server id.
---@field hosts table<string, PolicyHostBinding[]> By `<table>|<host key>`: bindings in ascending byte order of `order`. A listener's own table has its id.
---@field matches? table<string, PolicyBinding[]> By id: bindings that several hosts or tables have, in ascending byte order of `order`. Absent: none.
---@field routes table<string, PolicyRoute> By route id.
---@field inherited? table<string, PolicyInheritedAuth> By listener id: what its routes have from it. Absent: nothing anywhere.
---@field auths table<string, PolicyAuth> By auth policy id.
---@field upstreams table<string, PolicyUpstream> By upstream id.
---@field backendTls? table<string, PolicyBackendTls> By id.
---@field certificates table<string, string> By `<server id>|<host key>`: file below the run folder with key and chain in PEM; empty: the server's default certificate, and no wildcard's.

--- Settings that hold for all routes.
---@class PolicySettings
---@field authTimeout Milliseconds For a whole auth request.
---@field authTlsVerify boolean Check the certificates of https auth services.

--- One bound port.
---@class PolicyServer
---@field port Port
---@field tls boolean
---@field listeners string[][] `[host key, listener id, …tables that it shares with others]`, most specific first.
---@field isolated? TextList Ids of listeners that a request reaches only by a connection for one of their names; else 421.
---@field clientCertificates? table<string, ["required"|"requested", string]> By listener id: what it wants of clients, and a file below the run folder with its authorities in PEM.

--- Where a route is tried.
---@class PolicyBinding
---@field order string
---@field route string Route id.
---@field path? PolicyPath Absent: any path.
---@field when? PolicyPredicate[] All must hold.

---@alias PolicyHostBinding PolicyBinding|PolicyMatches

--- Stands for bindings: `order` comes before the order of each.
---@class PolicyMatches
---@field order string
---@field matches string Their id in `matches`.

--- How the normalised path is matched; `regex` has the PCRE flags `""` or `"i"`.
---@alias PolicyPath ["exact"|"prefix"|"start", string]|["regex", string, ""|"i"]

--- The value named by `of` and `key` passes at least one of the tests.
---@class PolicyPredicate
---@field of "method"|"path"|"host"|"sourceIp"|"header"|"query"|"cookie"
---@field key? string
---@field any PolicyTest[]

--- `[op, argument…]`.
---@alias PolicyTest ["eq"|"start"|"end"|"oneLabel"|"regex"|"cidr", string]|["in", ...string]|["range", string, string]|["exists"]

--- What happens to the requests of one rule.
---@class PolicyRoute
---@field source PolicySource
---@field refuse? PolicyRefusal Answers at once.
---@field redirect? PolicyRedirect
---@field authFirst? true Where there is auth, the redirect comes after it.
---@field cors? PolicyCors
---@field bodyLimit? integer Bytes; nginx.conf has a location for each that is in use.
---@field allow? TextList CIDRs.
---@field deny? TextList CIDRs.
---@field satisfy? "any" Source ranges and auth are alternatives.
---@field auth? TextList Auth policy ids; all must pass, in order. Absent: the policies that its listener has for such routes, unless `ownAuth`.
---@field ownAuth? true It has none by a setting of its own.
---@field rewrite? PolicyRewrite
---@field host? string Host header for the backend.
---@field requestHeaders? PolicyHeaders
---@field responseHeaders? PolicyHeaders
---@field mirrors? PolicyMirrors
---@field timeouts? PolicyTimeouts
---@field deadlines? PolicyDeadlines
---@field retry? PolicyRetry
---@field affinity? PolicyAffinity
---@field session? PolicySession Instead of `affinity`.
---@field backends? PolicyBackend[]

--- What the routes of a Gateway's listener have from there.
---@class PolicyInheritedAuth
---@field refuse? PolicyRefusal Answers every request.
---@field filters? TextList Auth policy ids; they come before those of each route.
---@field policies? TextList Auth policy ids of routes without `auth`.

--- `[kind, namespace, name, field]` of what the user wrote.
---@alias PolicySource [string, string, string, string]

--- `[status, reason]`.
---@alias PolicyRefusal [403|404|500|503, string]

--- A Location as a whole (`url`) or in parts.
---@class PolicyRedirect
---@field status 301|302|303|307|308
---@field unlessScheme? "http"|"https"
---@field url? string
---@field scheme? "http"|"https"
---@field host? string
---@field port? Port
---@field path? PolicyRewrite

--- `full`: the path. `prefix`: prefix, replacement. `regex`: pattern, flags, replacement, whether the result is the whole path.
---@alias PolicyRewrite ["full", string]|["prefix", string, string]|["regex", string, ""|"i", string, boolean]

--- Origins are `*`, or such as `https://a.example` and `https://*.b.example`.
---@class PolicyCors
---@field dialect? "gateway" Absent: ingress-nginx's, where a wildcard stands for one label; `gateway`: Gateway API's, for any number.
---@field origins string[]
---@field methods string[]
---@field headers string[]
---@field expose? TextList
---@field credentials boolean
---@field maxAge integer Seconds.

--- Header changes; names to remove are lower case.
---@class PolicyHeaders
---@field set? TextPairs
---@field add? TextPairs
---@field remove? TextList

--- To the backend: connecting, between two writes, between two reads. Absent: those of nginx.conf.
---@class PolicyTimeouts
---@field connect Milliseconds
---@field send Milliseconds
---@field read Milliseconds

--- After them the answer is 504, or ends.
---@class PolicyDeadlines
---@field request? integer For the whole answer, all tries included.
---@field backendRequest? integer For each try.

--- Further tries on these statuses, ascending, and on failures to connect.
---@class PolicyRetry
---@field codes? (500|502|503|504)[]
---@field attempts integer Tries after the first.

---@alias PolicyMirrors PolicyMirror[]

--- `numerator` of `denominator` requests are sent there too; the answers are ignored.
---@class PolicyMirror
---@field upstream string
---@field protocol "http"|"https"|"grpc"|"grpcs"|"h2c"
---@field tls? string Id of the verified TLS.
---@field numerator integer
---@field denominator integer

--- The gateway names the endpoint that a client got in a cookie or header.
---@class PolicySession
---@field in "cookie"|"header"
---@field name string
---@field path string Of the cookie.
---@field absoluteTimeout? integer Seconds that a session lasts at most.
---@field permanent? true The cookie has Max-Age of `absoluteTimeout`.

--- Which endpoint a client keeps; a header or cookie by its name.
---@alias PolicyAffinity ["clientAddress"]|["header"|"cookie", string]

--- One destination; its share is its weight over the sum of weights.
---@class PolicyBackend
---@field upstream? string Absent: `refuse` is the answer.
---@field weight integer
---@field protocol "http"|"https"|"grpc"|"grpcs"|"h2c"
---@field refuse? PolicyRefusal
---@field filters? PolicyBackendFilters
---@field tls? string Id of the verified TLS.

--- Verified TLS to backends; authorities and client certificate stand in nginx.conf.
---@class PolicyBackendTls
---@field hostname? string Server name indication, and the name in the certificate unless there are `names`.
---@field names? (["hostname"|"uri", string])[] One of them must be in the certificate.
---@field inLua? true Lua opens the connection, because nginx can't check the certificate.

--- Done after the route's own, for the requests that this backend gets.
---@class PolicyBackendFilters
---@field redirect? PolicyRedirect
---@field cors? PolicyCors
---@field auth? TextList Auth policy ids; all must pass, in order, after the route's.
---@field rewrite? PolicyRewrite Of the request's path, instead of the route's.
---@field host? string Host header for the backend.
---@field requestHeaders? PolicyHeaders
---@field responseHeaders? PolicyHeaders
---@field mirrors? PolicyMirrors

--- The endpoints of one Service port.
---@class PolicyUpstream
---@field endpoints [string, Port][] `[address, port]`; IPv6 without brackets.

--- One Auth object; basic comes before forward, both must pass.
---@class PolicyAuth
---@field source PolicySource
---@field invalid? string Every request is answered 503 `AuthFail : invalid cfg <invalid>`.
---@field basic? PolicyBasicAuth
---@field forward? PolicyForwardAuth

--- RFC 7617 with apr1 hashes.
---@class PolicyBasicAuth
---@field realm string
---@field file string Below the run folder, JSON `{"<user>": ["<salt>", "<hash>"]}`, mode 0600.

--- The auth request and what is made of its answer.
---@class PolicyForwardAuth
---@field scheme "http"|"https"
---@field host PolicyInterpolation DNS name or address, IPv6 without brackets.
---@field port? PolicyInterpolation Absent: the scheme's.
---@field target PolicyInterpolation Path and query.
---@field upstream? string Its endpoints replace DNS.
---@field method string
---@field headers? [string, PolicyInterpolation][] `[name, value]`; they win over all others.
---@field requestRedirect? PolicyInterpolation Value of X-Auth-Request-Redirect.
---@field responseHeaders? TextList Lower case: removed from the request, then set from the auth response.
---@field signin? PolicyInterpolation Location of the 302 for a 401.
---@field alwaysSetCookie? true
---@field external? PolicyExternalAuth

--- Gateway API's ExternalAuth filter: only 200 passes, any other answer is the client's, `target` is a prefix of the request's own.
---@class PolicyExternalAuth
---@field headers? TextList Lower case: sent besides Authorization.
---@field responseHeaders? TextList Lower case: copied to the backend's request. Absent: all but those of the hop and of the answer's body.
---@field maxBody integer Bytes of the body that are sent; a longer one is answered 413. 0: none is sent.

--- Strings are literal; `[variable, encoding]` is a variable.
---@alias PolicyInterpolation (string|[string, "raw"|"component"|"host"])[]

---@alias Milliseconds integer

---@alias Port integer

---@alias TextPair [string, string]

---@alias TextPairs TextPair[]

---@alias TextList string[]

-- stylua: ignore end
return {}
