/**
 * The catalogue of diagnostics: every code, its severity and what it means. docs/diagnostics.md is generated from it,
 * and each code has a golden case. Codes are stable: they may be added, never renamed.
 */

export type Severity = "error" | "warning" | "info";

interface CatalogEntry {
  readonly severity: Severity;
  readonly title: string;
  /** Why it is reported, and what the gateway does meanwhile. */
  readonly explanation: string;
  /** Default advice; a report may give a better one. */
  readonly hint: string;
}

function error(title: string, explanation: string, hint: string): CatalogEntry {
  return { severity: "error", title, explanation, hint };
}

function warning(title: string, explanation: string, hint: string): CatalogEntry {
  return { severity: "warning", title, explanation, hint };
}

function info(title: string, explanation: string, hint: string): CatalogEntry {
  return { severity: "info", title, explanation, hint };
}

export const DIAGNOSTIC_CATALOG = {
  // Reading files and objects.

  FILE_UNREADABLE: error(
    "a file can't be read",
    "The file or folder exists, but its content can't be read: permissions, a broken link, or text that is not UTF-8. Its objects are not served; while albc runs, its last good content stays.",
    "make the file readable and save it as UTF-8",
  ),
  FILE_MISSING: error(
    "a path that albc is to read does not exist",
    "`albc run` removes the objects of a missing file or folder, as if it were empty. The other commands fail when they start.",
    "restore the path, or start albc without it",
  ),
  YAML_INVALID: error(
    "a file is not valid YAML",
    "The file can't be parsed, so its objects can't be told apart safely. At start none is served, and /readyz is 503 until the file is repaired (option startWithErrors). While albc runs, the file's last good content stays. Other files are not affected.",
    "correct the text; albc ignores this file until then",
  ),
  YAML_DUPLICATE_KEY: error(
    "a mapping contains a key twice",
    "Parsers disagree about which value counts, so the object that has the key is refused (see FIELD_INVALID). Other objects of the file are served.",
    "remove one of the two, or merge them",
  ),
  INTERNAL_ERROR: error(
    "a bug in albc affects an object",
    "Translating the object failed. Its hosts and paths answer 503; all other objects are served. The metric albc_faulty_objects and the text of /readyz count such objects.",
    "report the message with the object; as a workaround, remove its unusual fields",
  ),
  PROBLEMS_NOT_LISTED: warning(
    "an object has more problems than are listed",
    "albc lists at most 50 problems of reading an object and 50 of translating it, errors first. This entry counts the others, at the place of the first. In all, albc lists 10,000 problems, which namespaces share; one entry counts those of a namespace that are not listed.",
    "correct the listed problems, then check again",
  ),
  OBJECT_MALFORMED: error(
    "a document is not a Kubernetes object",
    "Without apiVersion, kind and metadata.name it can't be identified. It is not served.",
    "give it an apiVersion, a kind and a metadata.name, or remove it",
  ),
  KIND_MISSPELT: error(
    "an object's kind or API group is probably misspelt",
    "The name is one letter away from that of a kind that albc reads. The object is not read, as an API server would refuse it. Objects of other kinds are ignored.",
    "correct kind or apiVersion",
  ),
  OBJECT_VERSION: error(
    "albc does not read this API version of an object",
    "The kind is known, but this version's fields may mean something else, so the object is not read.",
    "convert the object to the version that the message names",
  ),
  OBJECT_DUPLICATE: error(
    "two objects have the same kind, namespace and name",
    "The first one, in the order of the given files, is served. The others are not.",
    "rename or remove one of them",
  ),
  OBJECT_CLOSED: error(
    "hosts and paths of a refused object answer 503",
    "The object has an error and no earlier valid version is known, as at a start. What it names in its proper fields answers 503, so no other object serves those requests.",
    "correct the errors that are reported beside this one",
  ),
  FIELD_INVALID: error(
    "a field's value is invalid",
    "A Kubernetes API server would refuse the object for this value. While albc runs, the object's last valid version stays (LAST_GOOD_KEPT); at a start, the hosts and paths that it names answer 503 (OBJECT_CLOSED).",
    "correct the value",
  ),
  FIELD_MISSING: error(
    "a required field is missing",
    "A Kubernetes API server refuses an object without this field, and so does albc (see FIELD_INVALID).",
    "add the field",
  ),
  FIELD_UNKNOWN: error(
    "a field is unknown",
    "The kind has no such field. A Kubernetes API server with strict field validation refuses the object, and so does albc (see FIELD_INVALID). In objects from an API server unknown fields are ignored.",
    "correct the field's name or its indentation, or remove it",
  ),
  LAST_GOOD_KEPT: warning(
    "an object's last valid version is served",
    "While albc runs, a file or object that becomes invalid keeps its last valid version, so a half-written edit breaks nothing. If a document of a file names no object, the objects that are missing in that file stay, too. A restart loses them.",
    "correct the error that is reported beside this one",
  ),

  // Ingresses, ALB2s, Frontends and Rules: ports, certificates, backends, settings and annotations.

  ANNOTATION_INVALID: error(
    "an annotation's value is invalid",
    "The value can't be read as the annotation's type. If it only tunes, it is ignored; if it restricts access, its paths answer 503. Of a header rewrite, only the named parts are left out, unless it has more headers than it may.",
    "see docs/annotations.md for the values that it takes",
  ),
  SERVICE_NOT_FOUND: error(
    "a backend's Service does not exist",
    "The reference names a Service that does not exist (yet). Its share of requests gets 503 until it exists.",
    "create the Service, or correct the name or the namespace",
  ),
  SERVICE_PORT_NOT_FOUND: error(
    "a backend's Service has no such port",
    "The reference names a port, by number or name, that the Service does not have for TCP. Its share of requests gets 503.",
    "name a port of the Service's spec.ports",
  ),
  SERVICE_WITHOUT_ENDPOINTS: warning(
    "a Service that is routed to has no endpoint",
    "No EndpointSlice of the Service has an endpoint that is ready, for this port. Its requests answer 503. Reported by the commands that read files once, and only if the files hold EndpointSlices.",
    "check the EndpointSlices: their label kubernetes.io/service-name, the names of their ports, and conditions.ready",
  ),
  ENDPOINTS_STRAY: warning(
    "an EndpointSlice belongs to no Service",
    "The label kubernetes.io/service-name names the Service in the same namespace that the endpoints belong to. Without such a Service they are not used. Reported by the commands that read files once.",
    "set the label to the name of the Service",
  ),
  SERVICE_EXTERNAL_NAME: error(
    "a backend's Service is of type ExternalName",
    "Such a Service can point at any DNS name, even one that its author can't reach otherwise, so it can't be a backend. Its share of requests gets 503.",
    "use a Service without selector and an EndpointSlice with the addresses",
  ),
  ENDPOINT_REFUSED: error(
    "an endpoint is albc itself",
    "nginx runs on albc's machine, so an endpoint with a loopback address or another address of the machine can reach what albc listens on. With the port of the option healthAddress it would publish albc's metrics, with that of traceAddress invent spans. A TCPRoute, TLSRoute or UDPRoute to a port of such routes would send connections round in a circle. This endpoint is ignored; the Service's other endpoints are used.",
    "give the endpoint the address and port of the application",
  ),
  SERVICE_TOO_LARGE: error(
    "a Service has too many endpoints for its ports",
    "Each Service port that routes name gets all endpoints of the Service. 8 such ports are always allowed, and more while ports times endpoints are at most 16,384 (each EndpointSlice counts as one more endpoint). The other ports, last in the order of `namespace/service/port`, get no endpoints: their requests answer 503. Everything else is served.",
    "let routes name fewer ports of the Service, or spread the ports over several Services",
  ),
  PORT_UNAVAILABLE: error(
    "nginx can't listen on a port",
    "nginx could not bind it: another process uses it, the machine lacks the address, or ports below 1024 are not allowed. The port is not served; everything else is. albc tries again every 30 seconds, and at each change.",
    "end the other process, choose another port, or give albc the right to listen below 1024 (docs/operations.md, Ports below 1024)",
  ),
  REFUSED_BY_NGINX: error(
    "nginx refuses its configuration because of an object",
    "albc found the object by testing configurations without some of the objects. Its hosts and paths answer 503, connections of its stream routes are closed, and a Secret or ConfigMap counts as absent; everything else is served. albc tries the object again once it changes, and when albc starts.",
    "change what the message names; if it is a directive that this nginx does not know, install the modules that albc needs",
  ),
  RELOAD_WAITS: warning(
    "a change waits for a reload of nginx",
    "Each reload leaves workers behind until their last connection ends, and few may stay. A namespace may have three reloads whose workers still drain, fewer if others have some; after that, it has one a minute. Until then, listeners that wait are not Programmed, and what needs a reload (ports, TLSRoutes, TCPRoutes, UDPRoutes, verified TLS, retries, body limits) is served as before; routes, auth, Secrets and other namespaces change at once.",
    "nothing; if it is reported often, find out what keeps changing the object",
  ),
  CERTIFICATE_UNUSABLE: error(
    "a certificate can't be used",
    "The Secret is missing or lacks a PEM certificate chain with its private key, the key is too weak or RSA with more than 4096 bits, or the chain exceeds 16 certificates or 64 KiB. The hosts have no certificate of their own: the default certificate is served, or else a self-signed one, which clients refuse.",
    "create a Secret of type kubernetes.io/tls with tls.crt (leaf first) and tls.key",
  ),
  CERTIFICATE_EXPIRED: warning(
    "a certificate has expired",
    "It is still served, but clients refuse it, so HTTPS fails for the host; plain HTTP may redirect there. The metric albc_certificate_expire_time_seconds warns in advance.",
    "renew the certificate in the Secret",
  ),
  CERTIFICATE_HOST_MISMATCH: warning(
    "a certificate does not match the host",
    "Clients compare the host with the DNS names in the certificate's subjectAltName (RFC 9525), where a wildcard matches one label; they ignore its common name. It is still served, but clients refuse it for the host (for an Ingress: TLS_WITHOUT_CERTIFICATE). For a wildcard host, one name below it is enough.",
    "put a certificate into the Secret that has the host as a DNS name, or name another Secret",
  ),
  TLS_WITHOUT_CERTIFICATE: error(
    "an Ingress wants TLS for a host and no certificate is for it",
    "Every host of a rule is redirected to HTTPS if the Ingress has tls, unless ssl-redirect is false. Without a certificate that is for the host the default certificate answers, or else a self-signed one that albc makes, so browsers warn and other clients fail.",
    "name a Secret with a certificate that has the host as a DNS name, or set the option defaultCertificate to one that is for it",
  ),
  CERTIFICATE_CONFLICT: warning(
    "a host has two certificates",
    "Several objects give a host certificates on one port. The oldest object's is served.",
    "leave the host in one of the objects, or let them name the same secret",
  ),
  TLS_HOST_UNUSED: warning(
    "an Ingress has TLS for a host that it does not own",
    "An Ingress has certificates and HTTPS redirects for the hosts of its own rules, unless an older object of another namespace names the host. This entry has no effect on the host.",
    "add a rule for the host to this Ingress, or leave the certificate to the namespace that owns the host",
  ),
  SETTING_IGNORED: error(
    "a setting is invalid and has no effect",
    "The value can't be used. It only tunes, so the object is served as if the setting were absent. Of a header rewrite, only the named parts are ignored.",
    "correct the value, or remove the setting",
  ),
  SETTING_UNSUPPORTED: warning(
    "a setting is not supported",
    "The setting exists in the origin (web application firewall, tracing, connection keepalive), but has no effect here. The rest of the object is served.",
    "remove the setting, or do its task in front of the gateway",
  ),
  ALB_NOT_FOUND: error(
    "the load balancer to serve does not exist",
    "The option alb names an ALB2 that does not exist. Its auth is unknown, so nothing is served until it exists.",
    "create the ALB2, or correct the option",
  ),
  SETTING_WITHOUT_EFFECT: info(
    "a setting has no effect here",
    "The field is for whatever deploys the load balancer (network, pods, the Service in front), not for the data plane.",
    "nothing needs to be done",
  ),
  ALB_WITHOUT_PROJECTS: warning(
    "an ALB2 names no project",
    "An ALB2 serves the Ingresses of the projects that it names, by the project label of their namespaces. Without any it serves no Ingresses, only Frontends and Rules.",
    "name projects in spec.config.projects; ALL_ALL means every namespace",
  ),
  PORT_CONFLICT: error(
    "two objects want the same port",
    "A port has one owner: the older object. What the other object would serve on the port is not served.",
    "give one of them another port",
  ),
  PROTOCOL_UNSUPPORTED: error(
    "a Frontend's protocol is not served",
    "A Frontend is for requests (http, https, grpc) or passes on connections (tcp) or datagrams (udp). Ports of others stay closed.",
    "use http, https, grpc, tcp or udp",
  ),
  FRONTEND_UNATTACHED: warning(
    "a Frontend belongs to no ALB2",
    "A Frontend belongs to the ALB2 in its own namespace that its label alb2.<label domain>/name names. Without one, its port stays closed. If the label is missing, or one or two letters away from an ALB2's name, the same port of this ALB2's Ingresses is closed too.",
    "set the label to the name of an ALB2 in the same namespace",
  ),
  RULE_UNATTACHED: warning(
    "a Rule belongs to no Frontend that is served",
    "A Rule belongs to the Frontend in its own namespace that its labels alb2.<label domain>/name and alb2.<label domain>/frontend name. Without one it is not served.",
    "set both labels to an ALB2 and a Frontend of the same namespace",
  ),
  RULE_GENERATED: info(
    "a Rule generated from an Ingress is not served",
    "The label alb2.<label domain>/source-type: ingress or spec.source.type: ingress says that another controller made the Rule from an Ingress. The Ingress itself is served, with its current content, so the Rule is ignored.",
    "remove the Rule once the controller that made it is gone; if it is your own, remove the label and spec.source",
  ),
  RULE_WITHOUT_MATCH: error(
    "a Rule matches nothing",
    "A Rule's dslx selects its requests. Without a term that has a row there are none, so the Rule is not served. The old texts dsl, domain and url select nothing.",
    "write at least one valid term in spec.dslx",
  ),
  RULE_MATCH_INVALID: error(
    "a term of a Rule's match is invalid",
    "The match can't work as written. The Rule keeps its rank and its other terms, and answers 500 to every request that these match, so no wider rule serves them. If no term can be read, those are all requests of the Frontend that no rule of a higher rank serves.",
    "correct the term",
  ),
  OBJECT_TOO_LARGE: error(
    "an Ingress or a Rule is too large to be served",
    "Each path of an Ingress makes a binding for each name in server-alias, and each condition of a Rule for each host: together at most 16,384 bindings, with at most 4 MiB of paths and conditions. Annotations of an Ingress, and what they name, count for every path: together at most 16 MiB. No part of the object is served; its requests answer 500, including all names in server-alias.",
    "spread hosts or paths over several objects, or write fewer of them",
  ),
  RULE_INVALID: error(
    "a Rule can't work as written",
    "Without this setting the Rule would behave differently, so its requests answer 500.",
    "correct the value",
  ),
  BACKEND_INVALID: error(
    "a backend is not a Service port",
    "Only Service ports can be backends. The path answers 500.",
    "name a Service and its port",
  ),
  INGRESS_PATH_INVALID: error(
    "a path of an Ingress can't be matched",
    "The path is an invalid regular expression. What it could have matched answers 500, so no wider rule serves it.",
    "correct the path",
  ),
  INGRESS_RULE_EMPTY: warning(
    "a rule of an Ingress serves nothing",
    "As in ingress-nginx, a rule with a host and no paths gives all of the host's requests to spec.defaultBackend. Without one they get 404.",
    "give the rule paths, or the Ingress a defaultBackend",
  ),
  INGRESS_PATH_TEXT: warning(
    "a path of an Ingress looks like a regular expression but is not one",
    "A path of type Prefix or Exact is text; so is one of type ImplementationSpecific without use-regex or rewrite-target, as in ingress-nginx. It matches only requests that contain its special characters. If an ALB2 serves the Ingress, ImplementationSpecific paths are regular expressions.",
    "set use-regex to true if it is meant as a regular expression; a Prefix needs no `*` at its end",
  ),
  CAPTURE_UNSET: warning(
    "a text names a group that its path does not have",
    "`$1` to `$9` in rewrite-target, permanent-redirect and temporal-redirect stand for the groups in parentheses of the path, if use-regex or rewrite-target makes a regular expression of it. A capture without a group is empty, as in nginx.",
    "put that part of the path in parentheses, or leave the capture out",
  ),
  INGRESS_PATH_ENCODED: warning(
    "a path of an Ingress is percent-encoded",
    "Paths of requests are decoded before they are compared, so `%20` in a path of an Ingress matches only a request with `%2520`.",
    "write the characters themselves",
  ),
  SNIPPET_WITHOUT_EFFECT: info(
    "a directive of a snippet changes nothing",
    "With the option snippets: translate, the directives of a snippet are done one by one. These never had an effect in ingress-nginx, or the gateway does the same anyway.",
    "nothing needs to be done",
  ),
  ANNOTATION_WITHOUT_EFFECT: info(
    "an annotation never had an effect",
    "ingress-nginx does not have this name, or does not read its domain, so it ignored the annotation, too.",
    "nothing needs to be done, unless the effect is wanted",
  ),
  PRIORITY_LOCAL: info(
    "a priority counts only in its namespace",
    "ingress-rule-priority orders the paths of one namespace. A path without a host stays behind all objects of other namespaces that name the host, whatever its priority.",
    "name a host, or list the namespace in the option ingressPriorityNamespaces",
  ),
  INGRESS_PATH_SHADOWED: warning(
    "two paths match the same requests",
    "Another rule matches all requests of this host and path, and is tried first. For the same path, the older object wins. A host belongs to the namespace with the oldest object that names it or the wildcard above it; that namespace's paths come before those of others. No request reaches this path.",
    "remove one of them, or give it another host or path; the option sharedHosts puts narrower paths and hosts first, in any namespace",
  ),
  INGRESS_REGEX_HOST: warning(
    "a path is a regular expression because of another Ingress",
    "use-regex and rewrite-target apply to all paths of a host, as in ingress-nginx: this path matches everything that begins with it, ignoring case.",
    "give the Ingress with use-regex or rewrite-target a host of its own",
  ),
  PUBLISHED_SERVICE_NOT_FOUND: warning(
    "the Service whose addresses are published does not exist",
    "albc does not read the Service that the option publishService names. Statuses of Ingresses stay unchanged until it appears.",
    "create the Service, correct the option, or let it be watched (options namespaces and backendSelector)",
  ),
  INGRESS_NOT_SERVED: info(
    "an Ingress belongs to another controller",
    "No load balancer here serves its class, or its namespace's project. With ALB2 objects, the class is the ALB2's name.",
    "nothing needs to be done if another controller serves it; else correct its class",
  ),
  CLASS_NOT_FOUND: warning(
    "a class does not exist",
    "No GatewayClass has the name, or the name of an Ingress's class is nearly that of one that is served. The Gateway or Ingress is not served.",
    "correct the name, or create the class",
  ),
  INGRESS_CANARY: warning(
    "a canary Ingress is not served",
    "On their own, its rules would send all requests to the canary, so they are ignored; the main Ingress gets all requests.",
    "use weights of a Rule's serviceGroup, or remove the Ingress",
  ),
  ANNOTATION_CLOSED: error(
    "an annotation that restricts access or redirects is invalid",
    "The value can't be read. Ignoring it could let every client in, or replace a redirect by a backend's answer, so the paths answer 503. With the option unsupportedRestrictions: report they are served, and the code is ANNOTATION_INVALID.",
    "correct the value; the paths stay closed until then",
  ),
  RESTRICTION_UNSUPPORTED: error(
    "a restriction of access is not supported",
    "The setting restricts access (a web application firewall, or a snippet with directives not known to be harmless), and the gateway can't enforce it. Its paths answer 503. With the option unsupportedRestrictions: report they are served without it.",
    "restrict access by source ranges or authentication and remove the setting, or set the option unsupportedRestrictions to report",
  ),
  SNIPPET_UNSUPPORTED: error(
    "a directive of a snippet is not translated",
    "With the option snippets: translate, the directives of a snippet are done one by one. These are not, so responses or requests are without what they do, such as a security header. The paths are served.",
    "set the header or the limit in another way; docs/annotations.md lists the directives",
  ),
  LIMIT_UNSUPPORTED: error(
    "a limit is not enforced",
    "The setting limits how much clients send or receive, and the gateway can't enforce it. The paths are served without the limit.",
    "limit requests in front of the gateway or in the backend, and remove the setting",
  ),
  ANNOTATION_MISSPELT: error(
    "an annotation that restricts access is probably misspelt",
    "Its name is one or two letters from that of an annotation that restricts access, or it restricts access and its domain is one or two letters from ours, its prefix is not read, its index matches no path, or it is a label. Ignoring it could let every client in, so the paths of its Ingress answer 503. Without a value it is only reported as unknown.",
    "correct the key, or remove the annotation; docs/annotations.md lists them",
  ),
  RESTRICTION_WITHOUT_EFFECT: error(
    "an annotation that restricts access is on an object of another kind",
    "Annotations that restrict access have an effect on Ingresses only. The object is served without it.",
    "protect the object in its spec or with an AuthPolicy, and remove the annotation",
  ),
  ANNOTATION_UNKNOWN: warning(
    "an annotation is unknown",
    "Its key has one of our domains or a similar one, but no such annotation exists; or it means authentication in another product. It has no effect.",
    "correct the name, or remove the annotation; docs/annotations.md lists them",
  ),
  ANNOTATION_UNSUPPORTED: warning(
    "an annotation is not supported",
    "The annotation exists in ingress-nginx or the origin, but has no effect here.",
    "remove the annotation; docs/annotations.md says what to use instead",
  ),
  ANNOTATION_PREFIX: warning(
    "an annotation has the wrong prefix",
    "The annotation exists, but is not read under this prefix. It has no effect.",
    "move it to a prefix that docs/annotations.md names",
  ),
  ANNOTATION_INDEX_UNUSED: warning(
    "a prefix matches no path, or no listener",
    "index.<rule>-<path> counts the entries of spec.rules, and the paths of each, from 0. On a Gateway or ListenerSet, listener.<name> names one of its listeners. The path or listener is missing, so the annotation has no effect.",
    "correct the numbers, or the name of the listener",
  ),

  // Basic, forward and external auth.

  AUTH_CONFIG_INVALID: error(
    "an auth setting is invalid",
    "A value of the Auth object or of an auth annotation can't be used. The paths it protects answer 503.",
    "correct the value; the paths stay closed until then",
  ),
  AUTH_UNSUPPORTED: error(
    "an auth setting is not supported",
    "The setting restricts access, so ignoring it would open the paths. They answer 503 instead.",
    "use basic auth with apr1 hashes or forward auth, or remove the setting",
  ),
  AUTH_REFERENCE_NOT_FOUND: error(
    "an auth setting names a Secret or ConfigMap that does not exist",
    "The paths that the setting protects answer 503 until the object exists; then they are served at once.",
    "create the object, or correct its namespace and name",
  ),
  AUTH_REFERENCE_FORBIDDEN: error(
    "an auth setting may not use an object of another namespace",
    "Ingresses and AuthPolicies may name Secrets and ConfigMaps of their own namespace only, so they can't check passwords against other namespaces' data, or send it. The paths answer 503.",
    "move the object, create a ReferenceGrant in its namespace, or enable allowCrossNamespaceAuth",
  ),
  AUTH_SECRET_UNUSABLE: error(
    "a Secret for basic auth can't be used",
    "It lacks the layout of its secret type, or none of its users can log in. The paths it protects answer 503.",
    "give an auth-file secret the key `auth` with lines <user>:<apr1 hash>, an auth-map secret one key for each user with the apr1 hash; `openssl passwd -apr1` prints hashes",
  ),
  AUTH_USER_UNUSABLE: warning(
    "a user of a basic auth Secret can't log in",
    "The entry is not <user>:<apr1 hash>. The Secret's other users are not affected.",
    "create the hash with `openssl passwd -apr1` or `htpasswd -nm <user>`",
  ),
  AUTH_USER_DUPLICATE: warning(
    "a basic auth Secret lists a user twice",
    "The first line of the user counts, as in Apache and nginx.",
    "remove one of the lines",
  ),
  AUTH_SECRET_KEY_IGNORED: warning(
    "a key of an auth-file Secret is ignored",
    "Only the key `auth` of an auth-file Secret is read.",
    "remove the key, or use the secret type auth-map, where each key is a user",
  ),
  AUTH_HEADER_DUPLICATE: warning(
    "two keys of a header ConfigMap name the same header",
    "Header names are compared without case. The first in byte order is used; others are ignored.",
    "remove one of the keys",
  ),
  AUTH_SETTING_WITHOUT_EFFECT: warning(
    "an auth setting has no effect",
    "It belongs to an auth method that is not configured here, or its place is not read. Or it names response headers of the auth service that only the gateway sends to backends, or asks for longer bodies than the gateway holds.",
    "add the setting that it belongs to, or remove it",
  ),
  AUTH_SERVICE_NOT_FOUND: warning(
    "the auth service is not a known Service",
    "The host of the auth URL has the form of a Service name, but no Service has that name and port. Each request looks the host up in DNS.",
    "correct name, namespace or port of the Service",
  ),
  AUTH_URL_FRAGMENT: warning(
    "the auth URL has a fragment",
    "The part after # is never sent in a request (RFC 9110, 4.2.5), so it is ignored.",
    "write %23 for a # that belongs to the path or query, or remove the fragment",
  ),

  // BackendTLSPolicies, AuthPolicies and auth filters.

  POLICY_TARGET_NOT_FOUND: error(
    "the target of a policy does not exist",
    "The object in targetRefs does not exist, or the Service has no port of that name. The policy has no effect there.",
    "create the object, or correct the name or sectionName; targets are in the policy's own namespace",
  ),
  POLICY_TARGET_UNSUPPORTED: error(
    "a policy targets a kind that it does not support",
    "A BackendTLSPolicy targets Services, an AuthPolicy Gateways, ListenerSets, HTTPRoutes, GRPCRoutes, and HTTP and HTTPS listeners. It has no effect on other targets.",
    "correct group, kind and section of the target",
  ),
  POLICY_NOT_FOR_CONNECTIONS: warning(
    "an AuthPolicy does not cover all listeners of its Gateway",
    "Listeners of protocol TLS, TCP and UDP forward connections and datagrams without reading them, so the gateway can't ask for a login there.",
    "give such listeners a Gateway of their own, or name the listeners that the policy is for (sectionName)",
  ),
  POLICY_CONFLICT: error(
    "two policies have the same target",
    "Of policies for the same object or section, the oldest is in force, then the first by namespace and name. This one is not.",
    "remove one of them, or let one name a section (sectionName)",
  ),
  POLICY_UNUSED: warning(
    "an AuthPolicy protects nothing",
    "It has no targetRefs, and no ExtensionRef filter of a served route names it.",
    "add targetRefs, or name it in an ExtensionRef filter of a rule of its namespace",
  ),
  POLICY_STATUS_FULL: warning(
    "a policy is used in more places than its status can list",
    "A status holds sixteen entries, including other controllers'. The policy is in force everywhere; only its status is cut.",
    "nothing needs to be done",
  ),
  BACKEND_TLS_INVALID: error(
    "a BackendTLSPolicy can't be used as written",
    "Its authorities or names can't be read. Without a usable authority, or with an unknown name, its target Services answer 500: no request reaches them unchecked.",
    "give caCertificateRefs a ConfigMap or Secret with PEM certificates under ca.crt, or wellKnownCACertificates System",
  ),
  AUTH_FILTER_UNRESOLVED: error(
    "an auth filter names an object that does not exist",
    "Skipping the filter would open the rule, so its requests answer 500 until the filter can be resolved.",
    "create the AuthPolicy or Service, correct its name, or create a ReferenceGrant",
  ),

  // GatewayClasses, Gateways and ListenerSets; their conditions say the same.

  GATEWAY_CLASS_INVALID: error(
    "a GatewayClass can't be accepted",
    "Its parametersRef does not name a readable ConfigMap. Without these parameters, its Gateways are not served.",
    "correct the ConfigMap or the reference (docs/gateway-api.md)",
  ),
  GATEWAY_NOT_SERVED: info(
    "a Gateway belongs to another controller",
    "albc serves Gateways whose GatewayClass exists and has its controller name (option controllerName).",
    "nothing needs to be done if another controller serves it; else correct its class, or create the GatewayClass",
  ),
  GATEWAY_INVALID: error(
    "a Gateway can't be accepted",
    "The Gateway needs something that does not exist, or none of its listeners is valid. No part of it is served.",
    "correct the field",
  ),
  GATEWAY_ADDRESS: error(
    "a Gateway does not get its address",
    "Addresses come from the option gatewayAddresses, and each belongs to one Gateway. The Gateway is served on those that it got; without any, it is not served. Without that option, Gateways have the addresses of publishService and are served even while that Service has none.",
    "add addresses that the machine holds to the option gatewayAddresses, or ask for another one; for a Service without an address, set publishAddress",
  ),
  LISTENER_OVER_BUDGET: error(
    "no socket is left for a port",
    "Each nginx worker holds every listening socket, so their number is limited (option listenerSockets, and half of the files that a process may open). A port needs one socket for each address; on all addresses it needs two, for IPv4 and IPv6, or one without the option ipv6. A UDP port needs them for each worker, as does a TCP port that is open both on all and on single addresses. A port needs one more if a TLS listener of it passes TLS through, and one more if it has both TLS and HTTPS listeners. A TLSRoute whose TLS ends here needs one of the remaining sockets for each certificate that its names can have. Listeners and the names in their certificates also take bytes of policy.json, a quarter of the option policySize. Namespaces share both: while there are enough, nothing is lost; otherwise the namespaces that use most lose their newest Frontends, listeners and TLSRoutes.",
    "remove Frontends, listeners or TLSRoutes of this namespace, or raise the option listenerSockets and the limit of open files",
  ),
  LOCATIONS_OVER_BUDGET: error(
    "no location of nginx is left for a setting",
    "Each set of error statuses, each set of retry codes and each body limit needs locations, each combination of them its own, in every server of nginx, whose memory all namespaces pay for. Namespaces share as many different ones as the option nginxLocations says; Gateways and ListenerSets have as many for themselves. While there are enough, nothing is lost; otherwise the namespaces that use most go without for their newest objects: errors are passed on instead of replaced by a page, answers are not tried again, and a body without a declared length is held, and refused above its limit or 128 KiB.",
    "use fewer different values in the namespace, or raise the option nginxLocations",
  ),
  BACKEND_TLS_OVER_BUDGET: error(
    "a BackendTLSPolicy gets no share of what TLS to backends costs",
    "Different authorities of backends have locations of nginx of their own, which cost every worker memory and each reload time. Namespaces share 400 units: authorities cost one, or one for each 4.5 KiB; hostnames and names of the certificate cost one for each 4.5 KiB. What is equal costs once. While there are enough, nothing is lost; otherwise the newest policies of the namespaces that use most can't be used, and their Services answer 500: they are never reached without the TLS that a policy asks for.",
    "use fewer different authorities in the namespace, or put only the authorities that are needed into the ConfigMap",
  ),
  POLICY_OVER_BUDGET: error(
    "an object gets no share of the policy",
    "The routes and auth of all objects together may take as many bytes of policy.json as the option policySize says, and namespaces share them. While there are enough, nothing is lost; otherwise the newest objects of the namespaces that use most are closed: their paths answer 503, and their statuses say that they are not accepted. If closed objects name more hosts and paths than a quarter of it, the newest of them close all routes of their namespace instead. Endpoints share another quarter: a Service without a share has none, so its routes answer 503. A few kilobytes can become megabytes where one setting is repeated for each path, or a route is bound on many hosts and listeners.",
    "make the object smaller, remove objects of this namespace, or raise the option policySize and the memory of albc and nginx",
  ),
  GATEWAY_REFERENCE: error(
    "a reference of a Gateway can't be resolved",
    "The object is missing, unusable, of a kind that is not read, or in another namespace without a ReferenceGrant. Whatever needs it is not served.",
    "correct the reference or the object, or create a ReferenceGrant in its namespace",
  ),
  LISTENER_INVALID: error(
    "a listener can't be served as written",
    "Its protocol or another value is unknown, or no certificate authority for its clients is usable. This listener is not served; the others are.",
    "correct the value",
  ),
  LISTENER_CONFLICT: error(
    "two listeners want the same port",
    "Listeners on one port need the same protocol and different hostnames. In one object, all lose. Otherwise a Gateway wins over its ListenerSets, and an older object over a younger one.",
    "give the listener another port or hostname",
  ),
  LISTENER_OVERLAP: info(
    "two TLS listeners share hosts or certificate names",
    "The more specific listener serves the hosts. A client that reuses its connection for a host of the other listener gets 421 and opens a new one.",
    "nothing needs to be done; certificates without common names make clients open a new connection at once",
  ),
  INGRESS_HOST_TAKEN: warning(
    "a Gateway takes a host of an Ingress",
    "One listener owns a host on a port, and a Gateway's listener is more specific than a port for Ingresses. It answers all requests of the host on that port, the Ingress none.",
    "give the Gateway's listener another port or hostname, or Gateways addresses of their own (option gatewayAddresses)",
  ),
  LISTENER_SET_NOT_SERVED: error(
    "a ListenerSet is not served",
    "Its Gateway allows none from its namespace or is not accepted, or none of its listeners is valid.",
    "allow it in the Gateway's spec.allowedListeners, or correct its listeners",
  ),
  LISTENER_SET_UNATTACHED: warning(
    "a ListenerSet belongs to no Gateway",
    "The Gateway in spec.parentRef does not exist, so nothing serves the set.",
    "create the Gateway, or correct the name or the namespace",
  ),
  CLIENT_CERTIFICATES_UNCHECKED: warning(
    "clients pass without a valid certificate",
    "In mode AllowInsecureFallback, the gateway asks clients for a certificate and serves them whatever they send. Terminating TLS listeners never ask, whatever spec.tls.frontend says. Backends must not take a certificate as proof of the client's identity.",
    "use AllowValidOnly and a listener of protocol HTTPS, or check the certificates behind the gateway (mode Passthrough)",
  ),

  // Routes of Gateway API; the conditions of their statuses say the same.

  ROUTE_OF_MESH: info(
    "a route's parent is a Service",
    "Such routes are for requests between Services, which bypass gateways. albc leaves them to a mesh; the route's other parents are served.",
    "name a Gateway as parent if the route is for requests from outside",
  ),
  ROUTE_PARENT_FOREIGN: info(
    "a route's parent belongs to another controller",
    "Its GatewayClass is another controller's. albc writes no status for it.",
    "nothing needs to be done if another controller serves it; else correct the name or namespace",
  ),
  ROUTE_PARENT_NOT_FOUND: warning(
    "a route's parent does not exist",
    "albc reads no Gateway or ListenerSet with this name. The route serves nothing there, and no controller can write a status for it.",
    "correct the name or namespace of the parent, or create it",
  ),
  ROUTE_NOT_ATTACHED: error(
    "no listener of the parent accepts the route",
    "The listeners' names, ports, kinds, namespaces or hostnames exclude the route. It serves nothing there; its condition Accepted is False and says why.",
    "compare the parentRef and hostnames with the parent's listeners and their allowedRoutes",
  ),
  ROUTE_VALUE_UNSUPPORTED: error(
    "a value of a route is not supported",
    "The rule can't work as written. Its requests answer 500, so no wider rule serves them. Other rules are served.",
    "correct the value",
  ),
  ROUTE_VALUE_LESSENED: warning(
    "a rule asks for more than there is",
    "A request has at most ten tries, so that it can't become many. The rule is served with nine further tries.",
    "write 9 or less",
  ),
  ROUTE_TOO_LARGE: error(
    "a route is too large to be served",
    "A route makes a binding for each listener, hostname and match: at most 16,384, with at most 4 MiB of paths and conditions. No part of it is served; its requests answer 500. With too many paths, so does everything below their first elements, or its whole hosts.",
    "write fewer hostnames or matches, spread them over routes, or name single listeners with parentRefs[].sectionName",
  ),
  ROUTE_FILTERS_INCOMPATIBLE: error(
    "filters of a route can't be combined",
    "The rule can't work as written. Its requests answer 500, so no wider rule serves them. Other rules are served.",
    "leave one of the filters out, or spread them over rules",
  ),
  ROUTE_BACKEND_NOT_FOUND: error(
    "a route's backend does not exist",
    "The Service or its port does not exist (yet). Its share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    "create the Service, or correct name, namespace or port",
  ),
  ROUTE_BACKEND_KIND: error(
    "a route's backend is not a Service",
    "Only Service ports can be backends. This one's share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    "name a Service",
  ),
  ROUTE_BACKEND_NOT_PERMITTED: error(
    "a route may not name a backend of another namespace",
    "No ReferenceGrant in the Service's namespace permits it. Its share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    "create a ReferenceGrant in the namespace of the Service",
  ),
  ROUTE_BACKEND_PROTOCOL: error(
    "a backend's protocol is not supported",
    "Routes of this kind do not support the appProtocol of the Service port. The backend's share of requests gets 500; a mirror is dropped.",
    "use http, https, grpc, grpcs, kubernetes.io/h2c, kubernetes.io/ws or kubernetes.io/wss, or none",
  ),
  ROUTE_TEXT_LITERAL: warning(
    "a value of a filter looks like a template and is sent as it is written",
    "Filters of Gateway API have no variables, captures, queries or URLs in paths: a path is a path, and what can't stand in one is percent-encoded.",
    "write the value itself; on an Ingress, rewrite-target and permanent-redirect expand variables",
  ),
  ROUTE_CORS_PREFLIGHT: warning(
    "a CORS filter gets no preflight",
    "Browsers ask with OPTIONS, without the headers of the later request, whether they may send it. A rule that matches a method or a header never gets that request, so another rule or none answers it.",
    "add a match with method OPTIONS, or without method and headers",
  ),
  ROUTE_REWRITE_ESCAPES: warning(
    "escapes in paths can't be kept by a rewrite for HTTP/2",
    "nginx sends a rewritten path to an h2c or gRPC backend decoded, so /a%2Fb would become /a/b, another path. A request whose rewritten path holds such an escape gets 400; all others are served.",
    "leave the path as it is, or serve the port by HTTP/1.1, if clients send such paths",
  ),
  ROUTE_MIRROR_PROTOCOL: error(
    "a mirror's protocol is not supported",
    "Mirrored requests use HTTP/1.1, which an h2c or gRPC Service does not understand; those of a GRPCRoute are gRPC. The requests are served, but not mirrored.",
    "mirror to a port of http or https, or remove the filter",
  ),
  ROUTE_BACKEND_TLS_NAMES: error(
    "subjectAltNames can't be checked over gRPC",
    "nginx checks the certificate of a gRPC backend for validation.hostname only, and no request may reach a backend without the checks of its BackendTLSPolicy. The backend's share of requests gets 500.",
    "let the certificate have the name of validation.hostname, and remove other subjectAltNames",
  ),
  ROUTE_BACKEND_EXTERNAL_NAME: error(
    "a route's backend is a Service of type ExternalName",
    "Such a Service can point at any DNS name, even one that its author can't reach otherwise, so it can't be a backend. The backend's share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    "use a Service without selector and an EndpointSlice with the addresses",
  ),
  STREAM_BACKEND_TLS: error(
    "a TLSRoute can't follow a BackendTLSPolicy",
    "Where a listener ends TLS, all backends of a rule share one TLS configuration, and nginx can check one name: validation.hostname. A backend that needs something else gets nothing; its share of the connections is closed.",
    "give the rule's Services one policy, without subjectAltNames, or let the listener pass TLS through",
  ),
  STREAM_ROUTE_SHADOWED: warning(
    "an older route gets the connections",
    "A TCP or UDP port, or a server name, has one route: the oldest one. This route is accepted, and serves once the older one is removed.",
    "give the route a listener or hostname of its own, or remove one of the two",
  ),
  ROUTE_WITHOUT_BACKEND: warning(
    "a rule has no destination",
    "The rule neither redirects nor has a backend with a weight above 0. Its requests answer 500; connections are closed.",
    "add a backendRef or a RequestRedirect filter",
  ),
};

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CATALOG;
