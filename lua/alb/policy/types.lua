--- Types of policy.json, for editors and readers; made from src/model/policy.ts.
-- luacheck: no max line length
-- stylua: ignore start

--- policy.json: what the data plane does with each request (docs/policy-format.md). Its JSON Schema and the Lua types are generated from this type and the types that it uses. Every entry of a map is a shard: a worker decodes it on first use, and a change replaces only that shard. Absent and empty fields are left out.
---@class PolicyDocument
---@field format 5
---@field version string Digest of everything else, so equal policies have equal versions.
---@field settings PolicySettings
---@field servers table<string, PolicyServer> By server id.
---@field hosts table<string, HostBinding[]> By `<table>|<host key>`: bindings in ascending byte order of `order`. A listener's own table is named after its id.
---@field matches? table<string, PolicyBinding[]> By id: bindings shared by several hosts or tables, in ascending byte order of `order`. Absent: none.
---@field routes table<string, PolicyRoute> By route id.
---@field inherited? table<string, PolicyInheritedAuth> By listener id: auth that its routes inherit. Absent: none.
---@field headers? table<string, HeaderTemplate[]> By id: headers of ConfigMaps for auth services. Absent: none.
---@field auths table<string, PolicyAuth> By auth policy id.
---@field upstreams table<string, PolicyUpstream> By upstream id.
---@field backendTls? table<string, PolicyBackendTls> By id: verified TLS to backends; the rest of it is in nginx.conf. Absent: none.
---@field certificates table<string, string> By `<server id>|<host key>`: file below the run folder with key and chain in PEM. Empty: the server's default, even if a wildcard matches.

--- Settings for all routes.
---@class PolicySettings
---@field authTimeout Milliseconds Timeout of a whole auth request.
---@field authTlsVerify boolean Whether certificates of https auth services are checked.
---@field errorPages? PolicyErrorPages

---@alias Milliseconds integer

--- Pages for errors of routes that have none of their own, and of requests without a route.
---@class PolicyErrorPages
---@field statuses integer[] Statuses from 400 to 599 in ascending order, each once. Absent: those of the gateway.
---@field upstream? string Id of the upstream that has the pages, and that also answers if the route's own upstream has no endpoint. Absent, or without endpoints: the gateway's own pages.
---@field files? table<string, string> By name: `404.html`, `404.json`; `5xx.html` for the rest of its class.

--- One bound port.
---@class PolicyServer
---@field port Port
---@field tls boolean
---@field listeners string[][] `[host key, listener id, …tables shared with other listeners]`, most specific first.
---@field isolated? string[] Ids of listeners that a request reaches only over a connection whose server name is theirs.
---@field apart? string[] Ids of listeners whose bindings without a host are for hosts that no other binding of them names.
---@field clientCertificates? table<string, ["required"|"requested", string]> By listener id: how it wants client certificates, and a file below the run folder with its authorities in PEM.

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

--- One condition: the value named by `of` and `key` must pass at least one test. A missing value passes none.
---@class Predicate
---@field of "method"|"path"|"host"|"sourceIp"|"header"|"query"|"cookie"
---@field key? string Name of the header (lower case), query parameter or cookie.
---@field any ValueTest[]

---@alias ValueTest ["eq"|"start"|"end"|"regex", string]|["in", ...string]|["oneLabel", string]|["range", string, string]|["cidr", string]|["exists"]

--- Stands for shared bindings: `order` is put before the order of each.
---@class PolicyMatches
---@field order string
---@field matches string Their id in `matches`.

---@class PolicyRoute
---@field source SourceRef
---@field refuse? Refusal Answers every request at once, because the content of the rule was refused.
---@field authFirst? true The redirect comes after auth, if there is any, and CORS preflights, so only requests that pass get it.
---@field holdsBody? true The limit has no locations of its own (docs/adr/one-location.md): a body without a declared length is held until it can be compared with the limit, at most 128 KiB.
---@field limits? RateLimits
---@field allow? string[] CIDRs. A client in `deny` is refused first, then a client outside `allow`, if present.
---@field deny? string[]
---@field satisfy? "any" Source ranges or auth must pass; the first success wins. Absent: all must pass.
---@field ownAuth? true The route itself switches auth off, so its listener's policies do not apply (see InheritedAuth).
---@field timeouts? Timeouts Absent: DEFAULT_TIMEOUTS.
---@field deadlines? Deadlines
---@field retry? Retry
---@field affinity? Affinity
---@field hashBy? Interpolation The endpoint follows from a hash of the text, unless there is `affinity` or `session`.
---@field hashSubset? integer Any of so many endpoints that follow from the hash.
---@field session? Session Replaces `affinity`.
---@field sessionCookie? SessionCookie Attributes of the cookie of `affinity` or `session`.
---@field streamed? true Each part of a response goes to the client as it comes. Absent: nginx buffers responses, unless request or backend say otherwise.
---@field largeHeaders? true Headers of responses may have 256 KiB instead of 16 KiB; then responses are streamed. Only for `http` and `https`.
---@field traceRate? integer Percentage of requests that are sampled for traces. Absent: the gateway's rate.
---@field errorPages? ErrorPages Absent: those of the gateway, if it has any.
---@field hostFlow? FlowStep[] Run before all filters, and before another route is chosen by the path that they write. `flow` runs after it, once for each route.
---@field flow? FlowStep[]
---@field requestSteps? HeaderStep[] Made after auth, before `requestHeaders`.
---@field responseSteps? HeaderStep[] Made on responses of the backend and of the gateway, before `cors` and `responseHeaders`.
---@field backends? Backend[]
---@field redirect? Redirect Sent before auth, as in ingress-nginx, unless `authFirst`; preflights that `cors` answers come first.
---@field cors? Cors
---@field auth? string[] Ids of the auth policies; all must pass, in order. Absent: the policies of the listener, unless `ownAuth`.
---@field rewrite? PathRewrite
---@field host? string Host header for the backend. Absent: the client's.
---@field requestHeaders? HeaderChanges
---@field responseHeaders? HeaderChanges
---@field mirrors? Mirror[]
---@field bodyLimit? integer Bytes; the gateway's own limit if the route has none. nginx.conf has a location for each limit in use. Absent: no limit.
---@field outageErrors? integer See Route; the gateway's own number if the route has none. Absent: answers say nothing of their endpoint.

--- Origin of a part of the configuration: the user's object and field, as text such as `spec.rules[0].http.paths[1]`. Only for explanations and logs.
---@alias SourceRef [string, string, string, string]

--- An answer by the gateway itself; the reason goes into X-ALB-ERR-REASON.
---@alias Refusal [403|404|500|503, string]

--- How fast each client may send requests; others get 503, before source ranges and auth.
---@class RateLimits
---@field of string What is counted together: `<namespace>/<name>` of the Ingress.
---@field rates RateLimit[] Each must allow a request.
---@field except? string[] CIDRs of clients without limits.

---@class RateLimit
---@field requests integer
---@field seconds 1|60
---@field burst integer How many more may come at once.

--- Timeouts to the backend: for connecting, between two writes, between two reads.
---@class Timeouts
---@field connect Milliseconds
---@field send Milliseconds
---@field read Milliseconds

--- After a deadline the client gets 504, or its response ends (Gateway API, HTTPRouteTimeouts). Absent: none.
---@class Deadlines
---@field request? Milliseconds For the whole answer, including all tries.
---@field backendRequest? Milliseconds For each try.

--- Retries answers with one of the codes and failures to connect, up to `attempts` times (Gateway API, HTTPRouteRetry). Absent: only failures to connect are retried, on other endpoints.
---@class Retry
---@field codes? (500|502|503|504)[] In ascending order.
---@field attempts integer Tries after the first.

--- How a client stays on one endpoint (session_affinity_policy of Rules and Frontends, affinity annotations).
---@alias Affinity ["clientAddress"]|["header"|"cookie", string]

--- Text with request variables, split once at compile time.
---@alias Interpolation Segment[]

--- Literal text, or a variable or the number of a capture (0: the whole match) and its encoding. `raw`: as it is on the wire. `component`: percent-encoded as a URI component. `path`, `query`: what can't stand in a path or in the value of a parameter is percent-encoded. `start`: as `path`, and a value begins with exactly one `/`. `host`: the request is refused unless the value consists of letters, digits, `.`, `-`, `_`, or is an IPv6 address in brackets, then optionally `:` and digits (as in `$http_host`). Unset values are empty.
---@alias Segment string|[string, Encoding]|[integer, Encoding]

---@alias Encoding "raw"|"component"|"path"|"query"|"start"|"host"

--- The gateway names the client's endpoint in a cookie or header of the response, and sends the client there as long as the endpoint serves (Gateway API, SessionPersistence).
---@class Session
---@field in "cookie"|"header"
---@field name string
---@field path string Path of the cookie.
---@field absoluteTimeout? integer Maximum duration of a session in seconds.
---@field permanent? true The cookie has Max-Age of `absoluteTimeout`, so it outlives the browser.
---@field moves? true A client whose endpoint fails keeps the one that answers instead, also if the failure is short.

--- What a cookie that keeps a client on an endpoint says besides its value; HttpOnly always (session-cookie-* annotations).
---@class SessionCookie
---@field path? string Of a cookie of `affinity`. Absent: `/`.
---@field domain? string
---@field maxAge? integer Seconds.
---@field expires? integer Seconds from now.
---@field sameSite? "None"|"Lax"|"Strict"
---@field conditional? true No SameSite=None for browsers that take it for Strict.
---@field secure? true Absent: only for clients of https.
---@field partitioned? true

--- Which answers a page replaces, and whose page. The gateway's own refusals are among them; gRPC and WebSockets get none.
---@class ErrorPages
---@field statuses? integer[] Statuses from 400 to 599 in ascending order, each once. Absent: those of the gateway.
---@field upstream? string Id of the upstream that has the pages, and that also answers if the route's own upstream has no endpoint. Absent, or without endpoints: the gateway's own pages.

--- One step of nginx's rewrite phase (snippets of Ingresses). Texts may use slots: 0 to 9 are the captures of the last expression that matched, those from 10 on are variables of the snippet.
---@alias FlowStep ["set", integer, Interpolation]|["if", Interpolation, FlowTest, integer, integer]|["return", integer, Interpolation, string]|["redirect", Redirect]|["rewrite", Interpolation, ""|"last"|"break"]|["break"]

---@alias FlowTest ["on"]|["eq"|"ne", Interpolation]|["regex"|"noRegex", string, ""|"i"]

---@class Redirect
---@field status 301|302|303|307|308
---@field unlessScheme? "http"|"https" No redirect for clients that use this scheme (X-Forwarded-Proto of a trusted proxy, otherwise the connection's).
---@field url? Interpolation The whole Location: an http or https URL, or a path; then the fields below it are absent.
---@field captures? [string, ""|"i"] The pattern whose captures `url` uses, matched against the normalised path.
---@field keepsQuery? true The client's query is appended to `url`.
---@field scheme? "http"|"https"
---@field host? string
---@field port? Port Left out of the Location if it is the scheme's default. Absent: the scheme's default if `scheme` is set or the client's scheme is not the listener's, otherwise the listener's port.
---@field path? PathRewrite

---@alias PathRewrite ["full", string]|["prefix", string, string]|["regex", string, ""|"i", Interpolation, boolean]

--- One change of headers; the changes of a list are made in order, so a later one sees an earlier one (snippets of Ingresses).
---@class HeaderStep
---@field ifs? integer[] Only after one of these conditions was the last of `flow` that held, by their numbers; 0: none held. Absent: in any case.
---@field adds? true Adds lines. Absent: replaces all lines of the name.
---@field headers HeaderTemplate[] A header whose value is empty is not added, or is removed; then `*` at the end of its name stands for any ending.
---@field ifPresent? true Replaces only headers that the message has.
---@field statuses? integer[] Only for responses with one of these statuses.
---@field types? string[] Only for messages with one of these content types, in lower case.
---@field ofBackend? true Only for responses of backends.

---@alias HeaderTemplate [string, Interpolation]

--- One destination of a route. Its share of requests is its weight divided by the sum of weights.
---@class Backend
---@field upstream? string Absent if the reference could not be resolved; then its share of requests gets `refuse`.
---@field weight integer
---@field protocol BackendProtocol
---@field refuse? Refusal
---@field filters? BackendFilters Run after the route's own, for requests of this backend.
---@field tls? string Id of the verified TLS to its endpoints (`https` and `grpcs`). Absent: as the protocol says, unverified.

--- `h2c` is cleartext HTTP/2 without gRPC's error format.
---@alias BackendProtocol "http"|"https"|"grpc"|"grpcs"|"h2c"

--- Filters of a rule, or of one of its backends, which run after the rule's (Gateway API, HTTPBackendRef.filters). A backend's `rewrite` and `host` replace the rule's.
---@class BackendFilters
---@field redirect? Redirect Sent before auth, as in ingress-nginx, unless `authFirst`; preflights that `cors` answers come first.
---@field cors? Cors
---@field auth? string[] Ids of the auth policies; all must pass, in order. Absent: the policies of the listener, unless `ownAuth`.
---@field rewrite? PathRewrite
---@field host? string Host header for the backend. Absent: the client's.
---@field requestHeaders? HeaderChanges
---@field responseHeaders? HeaderChanges
---@field mirrors? Mirror[]

---@class Cors
---@field dialect? "gateway" Gateway API's wildcards and defaults: `*` stands for any number of labels. Absent: ingress-nginx's, where it stands for one.
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

--- Also sends a share of the requests to one endpoint of another Service; its answer is ignored.
---@class Mirror
---@field upstream string Upstream id.
---@field protocol BackendProtocol
---@field tls? string
---@field numerator integer Share of the requests: `numerator` of `denominator`.
---@field denominator integer

---@class PolicyInheritedAuth
---@field refuse? Refusal Answers all requests of the listener, because one of its filters can't be applied.
---@field filters? string[] Ids of the auth policies of the listener's own filters (GEP-5224), which run first on every route.
---@field policies? string[] Ids of the auth policies for the listener, its ListenerSet or its Gateway; they apply to routes without their own auth.

---@class PolicyAuth
---@field source SourceRef|string A string: a field of the object that the route is from.
---@field invalid? string Problem that makes every request answer 503 `AuthFail : invalid cfg <invalid>`. Never contains a secret.
---@field basic? BasicAuth
---@field external? ExternalAuth
---@field forward? PolicyForwardAuth

--- RFC 7617 with apr1 hashes.
---@class BasicAuth
---@field realm string As written; the data plane quotes it for the header.
---@field file CredentialsFile `{ "<user>": ["<salt>", "<hash>"] }`

--- Path of a JSON file below the run folder, mode 0600, with the entries of a credential set; in the model, the id of that set.
---@alias CredentialsFile string

--- Gateway API's ExternalAuth filter over HTTP (GEP-1494): asks the auth service with the request's own method and path, with `target` as prefix. Only 200 passes; any other answer goes to the client, with the reason in X-ALB-ERR-REASON.
---@class ExternalAuth
---@field scheme "http"|"https"
---@field host Interpolation DNS name, IPv4 address or IPv6 address without brackets; variables expand to host characters only. A host with variables is checked again after expansion: a port from `$http_host` counts as the URL's, and a name with an empty label refuses the request.
---@field port? Interpolation Absent: the scheme's port. If a port with variables does not expand to a number from 1 to 65535, the request is refused.
---@field target Interpolation Path and query, starting with `/`.
---@field upstream? string Upstream of the cluster Service, if the host names one; its endpoints replace DNS.
---@field restricted? AuthRestrictions Of a tenant: which addresses the host may not have. Absent: it may have any.
---@field headers? string[] Lower case. Sent in addition to Host, method, path, Content-Length and Authorization. Headers that say where the request came from (X-Real-IP, X-Forwarded-*) have the values that backends get.
---@field responseHeaders? string[] Lower case; copied to the backend's request. Absent: all but Host and headers of the hop or of the answer itself.
---@field maxBody integer Bytes of the body that are sent; a longer body gets 413. 0: the body is not sent.

--- Addresses of auth services are checked when a connection is made, because names and variables show theirs only then.
---@class AuthRestrictions
---@field allowed string[] Loopback and link-local addresses and CIDRs that are not refused.
---@field healthPort? integer Of albc's health checks, which no address of the machine may be asked at.

---@class PolicyForwardAuth
---@field method string A method of RFC 9110 or PATCH; GET by default.
---@field requestRedirect? Interpolation Value of X-Auth-Request-Redirect; the request URI if absent or empty after expansion.
---@field responseHeaders? string[] Removed from the client's request, then set from the auth response. Lower case.
---@field signin? Interpolation Location of the 302 that replaces an auth service's 401, including the redirect parameter.
---@field alwaysSetCookie? true Adds Set-Cookie of the auth response to every client response, not only to statuses of the success list.
---@field scheme "http"|"https"
---@field host Interpolation DNS name, IPv4 address or IPv6 address without brackets; variables expand to host characters only. A host with variables is checked again after expansion: a port from `$http_host` counts as the URL's, and a name with an empty label refuses the request.
---@field port? Interpolation Absent: the scheme's port. If a port with variables does not expand to a number from 1 to 65535, the request is refused.
---@field target Interpolation Path and query, starting with `/`.
---@field upstream? string Upstream of the cluster Service, if the host names one; its endpoints replace DNS.
---@field restricted? AuthRestrictions Of a tenant: which addresses the host may not have. Absent: it may have any.
---@field headers? string Their id in `headers`, because thousands of auth policies may have the same ones.

---@class PolicyUpstream
---@field endpoints Endpoint[] Sorted by address and port, without repeats.

--- The address is IPv4 or IPv6, without brackets.
---@alias Endpoint [string, Port]

--- Authorities and client certificate are in nginx.conf.
---@class PolicyBackendTls
---@field hostname? string Server name that is sent, and the name that the certificate must have unless there are `names`. Absent: nothing is checked.
---@field names? SubjectAltName[] The certificate must have one of them (subjectAltNames), which nginx can't check: it knows only the name that it sends.

---@alias SubjectAltName ["hostname"|"uri", string]

-- stylua: ignore end
return {}
