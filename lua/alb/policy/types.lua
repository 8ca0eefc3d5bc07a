--- Types of policy.json, for editors and readers; made from src/model/policy.ts.
-- luacheck: no max line length
-- stylua: ignore start

--- policy.json: what the data plane does with each request (docs/policy-format.md). Its JSON Schema and the types of the Lua code are made from this type and those that it names. Every entry of the maps is a shard: it is decoded by a worker when first needed and replaced alone. Absent and empty fields are left out.
---@class PolicyDocument
---@field format 4
---@field version string Digest of everything else, so equal policies have equal versions.
---@field settings PolicySettings
---@field servers table<string, PolicyServer> By server id.
---@field hosts table<string, HostBinding[]> By `<table>|<host key>`: bindings in ascending byte order of `order`. A listener's own table has its id.
---@field matches? table<string, PolicyBinding[]> By id: bindings that several hosts or tables have, in ascending byte order of `order`. Absent: none.
---@field routes table<string, PolicyRoute> By route id.
---@field inherited? table<string, PolicyInheritedAuth> By listener id: what its routes have from it. Absent: nothing anywhere.
---@field auths table<string, PolicyAuth> By auth policy id.
---@field upstreams table<string, PolicyUpstream> By upstream id.
---@field backendTls? table<string, PolicyBackendTls> By id: verified TLS to backends; what more it is stands in nginx.conf. Absent: none.
---@field certificates table<string, string> By `<server id>|<host key>`: file below the run folder with key and chain in PEM; empty: the default's, and no wildcard's.

--- Settings that hold for all routes.
---@class PolicySettings
---@field authTimeout Milliseconds For a whole auth request.
---@field authTlsVerify boolean Certificates of https auth services are checked.

---@alias Milliseconds integer

--- One bound port.
---@class PolicyServer
---@field port Port
---@field tls boolean
---@field listeners string[][] `[host key, listener id, …tables that it shares with others]`, most specific first.
---@field isolated? string[] Ids of listeners that a request reaches only by a connection for one of their names.
---@field clientCertificates? table<string, ["required"|"requested", string]> By listener id: what it wants of clients, and a file below the run folder with its authorities in PEM.

---@alias Port integer

---@alias HostBinding PolicyBinding|PolicyMatches

--- Where a route is tried.
---@class PolicyBinding
---@field order string
---@field route string
---@field path? PathMatch Absent: any path.
---@field when? Predicate[]

--- How a binding matches the normalised path (percent-decoded, `//` merged, dot segments removed).
---@alias PathMatch ["exact", string]|["prefix", string]|["start", string]|["regex", string, ""|"i"]

--- One condition: the value named by `of` and `key` passes at least one of the tests. A missing value passes none.
---@class Predicate
---@field of "method"|"path"|"host"|"sourceIp"|"header"|"query"|"cookie"
---@field key? string Name of the header (lower case), query parameter or cookie.
---@field any ValueTest[]

---@alias ValueTest ["eq"|"start"|"end"|"regex", string]|["in", ...string]|["oneLabel", string]|["range", string, string]|["cidr", string]|["exists"]

--- Stands for bindings: `order` comes before the order of each.
---@class PolicyMatches
---@field order string
---@field matches string Their id in `matches`.

---@class PolicyRoute
---@field source SourceRef
---@field refuse? Refusal Answers every request at once; for rules that were refused for their content.
---@field authFirst? true The redirect is told only to those who pass: where there is auth, it and CORS preflights come before it.
---@field allow? string[] CIDRs: a client in `deny` is refused, then one outside `allow`, if there is any.
---@field deny? string[]
---@field satisfy? "any" Source ranges and auth are alternatives: the first success wins. Absent: all must pass.
---@field ownAuth? true That there is no auth is its own setting: policies of its listener are not for it (see InheritedAuth).
---@field timeouts? Timeouts Absent: DEFAULT_TIMEOUTS.
---@field deadlines? Deadlines
---@field retry? Retry
---@field affinity? Affinity
---@field session? Session Instead of `affinity`.
---@field backends? Backend[]
---@field redirect? Redirect Answers before CORS and auth, as ingress-nginx does, unless `authFirst`.
---@field cors? Cors
---@field auth? string[] Ids of the auth policies; all must pass, in order. A route without it has those of its listener, unless `ownAuth`.
---@field rewrite? PathRewrite
---@field host? string Host header for the backend; the client's when absent.
---@field requestHeaders? HeaderChanges
---@field responseHeaders? HeaderChanges
---@field mirrors? Mirror[]
---@field bodyLimit? integer Bytes, the gateway's own limit for a route that has none of its own; nginx.conf has a location for each that is in use. Absent: any.

--- Where a part of the configuration came from: the object and the field that a user wrote, as text such as `spec.rules[0].http.paths[1]`. Only for explaining and logging.
---@alias SourceRef [string, string, string, string]

--- An answer that the gateway makes itself; the reason goes into X-ALB-ERR-REASON.
---@alias Refusal [403|404|500|503, string]

--- To the backend: connecting, between two writes, between two reads.
---@class Timeouts
---@field connect Milliseconds
---@field send Milliseconds
---@field read Milliseconds

--- After them the client is answered 504, or its response ends (Gateway API, HTTPRouteTimeouts). Absent: none.
---@class Deadlines
---@field request? Milliseconds For the whole answer, all tries included.
---@field backendRequest? Milliseconds For each try.

--- Further tries on answers with one of the codes and on failures to connect (Gateway API, HTTPRouteRetry); then failures to connect are tried `attempts` times too. Absent: only failures to connect are tried again, on other endpoints.
---@class Retry
---@field codes? (500|502|503|504)[] In ascending order.
---@field attempts integer Tries after the first.

--- Which endpoint a client keeps (session_affinity_policy of Rules and Frontends, affinity annotations).
---@alias Affinity ["clientAddress"]|["header"|"cookie", string]

--- The gateway itself names the endpoint that a client got, in a cookie or header of the response, and sends the client there for as long as the endpoint serves (Gateway API, SessionPersistence).
---@class Session
---@field in "cookie"|"header"
---@field name string
---@field path string Of the cookie.
---@field absoluteTimeout? integer Seconds: how long a session lasts at most.
---@field permanent? true The cookie outlives the browser: it has Max-Age of `absoluteTimeout`.

--- One destination of a route; share of the traffic is weight over the sum of weights.
---@class Backend
---@field upstream? string Absent when the reference could not be resolved: its share is answered with `refuse`.
---@field weight integer
---@field protocol BackendProtocol
---@field refuse? Refusal
---@field filters? BackendFilters Done after the route's own, for requests that this backend gets.
---@field tls? string Id of the verified TLS to its endpoints (`https` and `grpcs`); absent: as the protocol says, unverified.

--- `h2c` is HTTP/2 in clear text without gRPC's way to say errors.
---@alias BackendProtocol "http"|"https"|"grpc"|"grpcs"|"h2c"

--- What is done for the requests of a rule, or after that for those that one backend of it gets (Gateway API, HTTPBackendRef.filters); a backend's `rewrite` and `host` stand in place of the rule's.
---@class BackendFilters
---@field redirect? Redirect Answers before CORS and auth, as ingress-nginx does, unless `authFirst`.
---@field cors? Cors
---@field auth? string[] Ids of the auth policies; all must pass, in order. A route without it has those of its listener, unless `ownAuth`.
---@field rewrite? PathRewrite
---@field host? string Host header for the backend; the client's when absent.
---@field requestHeaders? HeaderChanges
---@field responseHeaders? HeaderChanges
---@field mirrors? Mirror[]

---@class Redirect
---@field status 301|302|303|307|308
---@field unlessScheme? "http"|"https" Not done for clients that came by this scheme (X-Forwarded-Proto of a trusted proxy, else the connection's).
---@field url? string The whole Location as written; the parts below are then absent.
---@field scheme? "http"|"https"
---@field host? string
---@field port? Port Left out of the Location when it is the scheme's own. Absent: `listenerPort` rules apply.
---@field path? PathRewrite

---@alias PathRewrite ["full", string]|["prefix", string, string]|["regex", string, ""|"i", string, boolean]

---@class Cors
---@field dialect? "gateway" Gateway API's wildcards and defaults: its `*` stands for any number of labels, one of ingress-nginx for one.
---@field origins string[] `*`, or origins such as `https://a.example` and `https://*.b.example`.
---@field methods string[]
---@field headers string[]
---@field expose? string[]
---@field credentials boolean
---@field maxAge integer Seconds.

--- None of the lists is empty.
---@class HeaderChanges
---@field set? Header[]
---@field add? Header[]
---@field remove? string[] Lower case.

---@alias Header [string, string]

--- A share of the requests is sent to one endpoint of another Service too; its answer is ignored.
---@class Mirror
---@field upstream string Upstream id.
---@field protocol BackendProtocol
---@field tls? string
---@field numerator integer Share of the requests: `numerator` of `denominator`.
---@field denominator integer

---@class PolicyInheritedAuth
---@field refuse? Refusal Answers all its requests: a filter of the listener can't be done.
---@field filters? string[] Ids of the auth policies of its own filters (GEP-5224), which come first on every route.
---@field policies? string[] Ids of the auth policies for the listener, its ListenerSet or its Gateway: for routes without auth of their own.

---@class PolicyAuth
---@field source SourceRef
---@field invalid? string What is wrong with it; then every request is answered 503 `AuthFail : invalid cfg <invalid>`. Never a secret.
---@field forward? ForwardAuth
---@field external? ExternalAuth
---@field basic? PolicyBasicAuth

--- An auth service decides, asked as ingress-nginx asks it.
---@class ForwardAuth
---@field scheme "http"|"https"
---@field host Interpolation DNS name, IPv4 address or IPv6 address without brackets; variables expand to host characters only. One with variables is checked again when it is expanded: a port that `$http_host` brought counts as the URL's, and a name with an empty label refuses the request.
---@field port? Interpolation Absent: the scheme's port. One with variables must expand to a number from 1 to 65535, or the request is refused.
---@field target Interpolation Path and query, starting with `/`.
---@field upstream? string Upstream of the cluster Service that the host names, when it names one: its endpoints replace DNS.
---@field method string A method of RFC 9110 or PATCH; GET by default.
---@field headers? HeaderTemplate[] From the config map, names as written, later ones of equal name (without case) dropped; they win over all others.
---@field requestRedirect? Interpolation Value of X-Auth-Request-Redirect; the request URI when absent or expanding to nothing.
---@field responseHeaders? string[] Removed from the client's request, then set from the auth response. Lower case.
---@field signin? Interpolation Location of the 302 for an auth service's 401, the redirect parameter included.
---@field alwaysSetCookie? true Set-Cookie of the auth response on every client response, not only on those of the success list.

--- Text with request variables, split once at compile time.
---@alias Interpolation Segment[]

--- Literal text, or a variable and how its value goes in: `raw` as it is on the wire, `component` percent-encoded as a URI component, `host` only when it is made of host characters, otherwise the request is refused: letters, digits, `.`, `-`, `_`, or an IPv6 address in brackets, then optionally `:` and digits (what `$http_host` holds). Unset values are empty everywhere.
---@alias Segment string|[string, "raw"|"component"|"host"]

---@alias HeaderTemplate [string, Interpolation]

--- Gateway API's ExternalAuth filter by HTTP (GEP-1494): the auth service is asked with the request's own method and path, behind `target` as prefix. Only 200 passes; any other answer goes to the client as it is.
---@class ExternalAuth
---@field scheme "http"|"https"
---@field host Interpolation DNS name, IPv4 address or IPv6 address without brackets; variables expand to host characters only. One with variables is checked again when it is expanded: a port that `$http_host` brought counts as the URL's, and a name with an empty label refuses the request.
---@field port? Interpolation Absent: the scheme's port. One with variables must expand to a number from 1 to 65535, or the request is refused.
---@field target Interpolation Path and query, starting with `/`.
---@field upstream? string Upstream of the cluster Service that the host names, when it names one: its endpoints replace DNS.
---@field headers? string[] Lower case. Sent besides Host, method, path, Content-Length and Authorization.
---@field responseHeaders? string[] Lower case; copied to the backend's request. Absent: all but those of the connection and Host.
---@field maxBody integer Bytes of the body that are sent; a longer body is answered 413. 0: none is sent.

---@class PolicyBasicAuth
---@field realm string As written; quoted for the header by the data plane.
---@field file string Below the run folder, JSON `{ "<user>": ["<salt>", "<hash>"] }`, mode 0600.

---@class PolicyUpstream
---@field endpoints Endpoint[] Sorted by address and port, without repeats.

--- The address is IPv4 or IPv6, without brackets.
---@alias Endpoint [string, Port]

--- Authorities and client certificate stand in nginx.conf.
---@class PolicyBackendTls
---@field hostname? string Server name indication, and the name that the certificate must have unless there are `names`. Absent: neither.
---@field names? SubjectAltName[] One of them must be in the certificate (subjectAltNames).
---@field inLua? true nginx checks exactly one DNS name, the one that it also sends as server name; where there is another to check, Lua opens the connection.

---@alias SubjectAltName ["hostname"|"uri", string]

-- stylua: ignore end
return {}
