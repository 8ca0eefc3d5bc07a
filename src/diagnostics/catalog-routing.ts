import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of listeners, routes, backends and annotations reports. */
export const ROUTING_DIAGNOSTICS = {
  ANNOTATION_INVALID: {
    severity: "error",
    title: "an annotation's value is invalid",
    explanation:
      "The value can't be read as the annotation's type. One that only tunes is ignored; when it restricts access, the paths answer 503. Of a header rewrite only the named parts are left out.",
    hint: "see docs/annotations.md for the values that it takes",
  },
  SERVICE_NOT_FOUND: {
    severity: "error",
    title: "a backend's Service does not exist",
    explanation:
      "The reference names a Service that is not there (yet). Its share of the requests answers 503 until it appears.",
    hint: "create the Service, or correct the name or the namespace",
  },
  SERVICE_PORT_NOT_FOUND: {
    severity: "error",
    title: "a backend's Service has no such port",
    explanation:
      "The reference names a port, by number or name, that the Service does not have for TCP. Its share of the requests answers 503.",
    hint: "name a port of the Service's spec.ports",
  },
  SERVICE_EXTERNAL_NAME: {
    severity: "error",
    title: "a backend's Service is of type ExternalName",
    explanation:
      "Such a Service points at any DNS name, also at ones that its author could not reach otherwise, so it is not used as a backend. Its share of the requests answers 503.",
    hint: "use a Service without selector and an EndpointSlice with the addresses",
  },
  ENDPOINT_REFUSED: {
    severity: "error",
    title: "an endpoint is albc itself",
    explanation:
      "nginx runs on the machine of albc, so an endpoint with a loopback address and the port of the option healthAddress would publish albc's metrics. Such an endpoint is left out; the others of its Service are used.",
    hint: "give the endpoint the address and port of the application",
  },
  SERVICE_TOO_LARGE: {
    severity: "error",
    title: "a Service has too many endpoints for all of its ports",
    explanation:
      "Each port of a Service that routes name has all of its endpoints. A Service may always have 8 such ports, and more while ports times endpoints are at most 16,384 (an EndpointSlice counts as one endpoint). The other ports, the last in the order of `namespace/service/port`, have no endpoints: their requests answer 503. Everything else is served.",
    hint: "let routes name fewer ports of the Service, or spread the ports over several Services",
  },
  PORT_UNAVAILABLE: {
    severity: "error",
    title: "a port can't be listened on",
    explanation:
      "nginx could not bind it: another process has it, the machine has no such address, or ports below 1024 are not allowed. Nothing is served on it; everything else is. It is tried again every 30 seconds, and at each change.",
    hint: "end the other process, or choose another port",
  },
  CERTIFICATE_UNUSABLE: {
    severity: "error",
    title: "a certificate can't be used",
    explanation:
      "The Secret is missing, or does not hold a certificate chain and its private key in PEM, or the key is too weak, or RSA with more than 4096 bits, or the chain has more than 16 certificates or 64 KiB. The hosts have no certificate of their own: the default certificate answers, or the handshake fails.",
    hint: "make a Secret of type kubernetes.io/tls with tls.crt (leaf first) and tls.key",
  },
  CERTIFICATE_EXPIRED: {
    severity: "warning",
    title: "a certificate has expired",
    explanation:
      "Clients refuse it, so the host can't be reached by HTTPS; plain HTTP may redirect there. It is served all the same. The metric albc_certificate_days_left tells before.",
    hint: "renew the certificate in the Secret",
  },
  CERTIFICATE_HOST_MISMATCH: {
    severity: "warning",
    title: "a certificate is not for the host",
    explanation:
      "Clients compare the host with the DNS names of the certificate's subjectAltName (RFC 9525), where a wildcard stands for one label; they ignore its common name. They refuse the certificate for the host. It is served all the same. For a wildcard host, one name below it is enough.",
    hint: "put a certificate into the Secret that has the host as a DNS name, or name another Secret",
  },
  CERTIFICATE_CONFLICT: {
    severity: "warning",
    title: "two certificates are for one host",
    explanation:
      "Several objects give a host certificates on one port. The one of the older object is served.",
    hint: "leave the host in one of the objects, or let them name the same secret",
  },
  TLS_HOST_UNUSED: {
    severity: "warning",
    title: "a host in the TLS of an Ingress is not its own",
    explanation:
      "An Ingress has certificates and redirects to HTTPS for the hosts of its own rules, unless an older object of another namespace names the host. This entry changes nothing for the host.",
    hint: "add a rule for the host to this Ingress, or leave the certificate to the namespace that has the host",
  },
  SETTING_IGNORED: {
    severity: "error",
    title: "a setting is invalid and has no effect",
    explanation:
      "The value can't be used. It only tunes, so everything else of the object is served as if the setting were absent. Of a header rewrite only the named parts are left out.",
    hint: "correct the value, or remove the setting",
  },
  SETTING_UNSUPPORTED: {
    severity: "warning",
    title: "a setting is not supported",
    explanation:
      "The setting is one of the origin (its web application firewall, tracing, connection keepalive) that has no effect here. Everything else of the object is served.",
    hint: "remove the setting, or put what it did in front of the gateway",
  },
  ALB_NOT_FOUND: {
    severity: "error",
    title: "the load balancer to serve does not exist",
    explanation:
      "The option alb names an ALB2 that is not among the objects. Nothing is served until it appears, since its auth is not known.",
    hint: "create the ALB2, or correct the option",
  },
  SETTING_WITHOUT_EFFECT: {
    severity: "info",
    title: "a setting does nothing here",
    explanation:
      "The field is for what deploys the load balancer (its network, its pods, the Service before it), not for the data plane.",
    hint: "nothing needs to be done",
  },
  ALB_WITHOUT_PROJECTS: {
    severity: "warning",
    title: "an ALB2 names no project",
    explanation:
      "An ALB2 serves the Ingresses of the projects that it names, by the project label of their namespaces. Without any it serves none; its Frontends and Rules are served.",
    hint: "name projects in spec.config.projects; ALL_ALL means every namespace",
  },
  PORT_CONFLICT: {
    severity: "error",
    title: "two objects want the same port",
    explanation:
      "A port has one owner. The older one has it; what the other one would have served on it is not served.",
    hint: "give one of them another port",
  },
  PORT_CLOSED: {
    severity: "error",
    title: "a port is closed until its Frontend can be read",
    explanation:
      "An ALB2 serves Ingresses on the port without a Frontend, but there is a Frontend that can't be read and may be for it. It may hold auth, so the port answers 503 to everything.",
    hint: "correct the Frontend, or remove it",
  },
  PROTOCOL_UNSUPPORTED: {
    severity: "error",
    title: "a Frontend's protocol is not served",
    explanation:
      "Frontends of protocol http, https and grpc are served. The port of any other stays closed.",
    hint: "use http, https or grpc",
  },
  FRONTEND_UNATTACHED: {
    severity: "warning",
    title: "a Frontend belongs to no ALB2",
    explanation:
      "A Frontend belongs to the ALB2 that its label alb2.<label domain>/name names, in its own namespace. Without one its port stays closed; without the label, or with one that is one or two letters away from an ALB2's name, also a port of the same number that this ALB2 has for its Ingresses.",
    hint: "set the label to the name of an ALB2 in the same namespace",
  },
  RULE_UNATTACHED: {
    severity: "warning",
    title: "a Rule belongs to no Frontend that is served",
    explanation:
      "A Rule belongs to the Frontend that its labels alb2.<label domain>/name and alb2.<label domain>/frontend name, in its own namespace. Without one it is not served; where a label is missing, or one or two letters away from a name, its requests answer 503 on every Frontend that may be meant, since it may protect them. A name with another number, such as alb-00081, is another one.",
    hint: "set both labels to an ALB2 and a Frontend of the same namespace",
  },
  RULE_GENERATED: {
    severity: "info",
    title: "a Rule that was generated from an Ingress is not served",
    explanation:
      "The label alb2.<label domain>/source-type: ingress or spec.source.type: ingress says that another controller made the Rule from an Ingress. The Ingress is served by itself, with its current content, so the Rule is left out.",
    hint: "remove the Rule once the controller that made it is gone; if it is your own, remove the label and spec.source",
  },
  RULE_WITHOUT_MATCH: {
    severity: "error",
    title: "a Rule matches nothing",
    explanation:
      "A Rule's requests are those that its dslx matches. Without a term that has a row there are none, so the Rule is not served. If it has one of the old texts dsl, domain or url, it may be meant to protect something: what that text names answers 503, and every Rule of the namespace if a dsl can't be read.",
    hint: "write at least one valid term in spec.dslx",
  },
  RULE_MATCH_INVALID: {
    severity: "error",
    title: "a term of a Rule's match is invalid",
    explanation:
      "The match can't be done as written. The Rule keeps its rank and its other terms, and answers 500 to every request that these match, so that no wider rule serves its requests. If no term can be read, that is every request of the Frontend that no rule of a higher rank serves.",
    hint: "correct the term",
  },
  OBJECT_TOO_LARGE: {
    severity: "error",
    title: "an Ingress or a Rule is too large to be served",
    explanation:
      "Each path of an Ingress is bound once for each name of server-alias, and each condition of a Rule once for each host: together at most 16,384 bindings, with at most 4 MiB of paths and conditions. Annotations of an Ingress, and what they name, hold for every path: together at most 16 MiB. Nothing of such an object is served; its requests answer 500, and so do all of the names of server-alias.",
    hint: "spread hosts or paths over several objects, or write fewer of them",
  },
  RULE_INVALID: {
    severity: "error",
    title: "a Rule can't be done as written",
    explanation:
      "Without this setting the Rule would do something else than it says, so its requests answer 500.",
    hint: "correct the value",
  },
  BACKEND_INVALID: {
    severity: "error",
    title: "a backend is no port of a Service",
    explanation: "Only ports of Services can be backends. The path answers 500.",
    hint: "name a Service and its port",
  },
  INGRESS_PATH_INVALID: {
    severity: "error",
    title: "a path of an Ingress can't be matched",
    explanation:
      "The path is a regular expression that is not valid. What it could have matched answers 500, so that no wider rule serves it.",
    hint: "correct the path",
  },
  INGRESS_PATH_TEXT: {
    severity: "warning",
    title: "a path of an Ingress looks like a regular expression and is none",
    explanation:
      "A path of type Prefix or Exact is text, and without use-regex or rewrite-target so is one of type ImplementationSpecific, as in ingress-nginx. It matches only requests that contain its special characters. An Ingress that an ALB2 serves reads a path of type ImplementationSpecific as a regular expression.",
    hint: "set use-regex to true if it is meant as a regular expression; a Prefix needs no `*` at its end",
  },
  PRIORITY_LOCAL: {
    severity: "info",
    title: "a priority counts in its namespace alone",
    explanation:
      "ingress-rule-priority orders the paths of one namespace. A path without a host stays behind every object of another namespace that names the host, whatever its priority.",
    hint: "name a host, or list the namespace in the option ingressPriorityNamespaces",
  },
  INGRESS_PATH_SHADOWED: {
    severity: "warning",
    title: "two paths are for the same requests",
    explanation:
      "Another rule has all requests of this host and path, and is tried first. For the same path the older object is first; a host belongs to the namespace with the oldest object that names it or the wildcard above it, and its paths come before those of other namespaces. No request reaches this path.",
    hint: "remove one of them, or give it another host or path; with the option sharedHosts, narrower paths and hosts come first whichever namespace has them",
  },
  INGRESS_REGEX_HOST: {
    severity: "warning",
    title: "a path is a regular expression because of another Ingress",
    explanation:
      "use-regex and rewrite-target hold for all paths of a host, as in ingress-nginx: the path matches without case, and everything that begins with it.",
    hint: "give the Ingress with use-regex or rewrite-target a host of its own",
  },
  PUBLISHED_SERVICE_NOT_FOUND: {
    severity: "warning",
    title: "the Service whose addresses are published does not exist",
    explanation:
      "The option publishService names a Service that is not among the objects. The statuses of Ingresses stay as they are until it appears.",
    hint: "create the Service, correct the option, or let its namespace be watched (option namespaces)",
  },
  INGRESS_NOT_SERVED: {
    severity: "info",
    title: "an Ingress is left to another controller",
    explanation:
      "No load balancer here has its class, or the project of its namespace. With ALB2 objects the class is the name of the ALB2.",
    hint: "nothing needs to be done if another controller serves it; else correct its class",
  },
  INGRESS_CANARY: {
    severity: "warning",
    title: "a canary Ingress is not served",
    explanation:
      "Serving its rules by themselves would send all requests to the canary, so they are left out; the main Ingress gets all requests.",
    hint: "use weights of a Rule's serviceGroup, or remove the Ingress",
  },
  ANNOTATION_CLOSED: {
    severity: "error",
    title: "an annotation that restricts access or redirects is invalid",
    explanation:
      "The value can't be read. Without it every client could pass, or a backend would answer in place of a redirect, so the paths answer 503. With the option unsupportedRestrictions: report they are served, and the code is ANNOTATION_INVALID.",
    hint: "correct the value; the paths stay closed until then",
  },
  RESTRICTION_UNSUPPORTED: {
    severity: "error",
    title: "a restriction of access is not supported",
    explanation:
      "The setting decides who may pass (a web application firewall, or a snippet with directives that are not known to be harmless), and the gateway can't enforce it. Its paths answer 503. With the option unsupportedRestrictions: report they are served without it.",
    hint: "restrict access by source ranges or authentication and remove the setting, or set the option unsupportedRestrictions to report",
  },
  LIMIT_UNSUPPORTED: {
    severity: "error",
    title: "a limit is not enforced",
    explanation:
      "The setting limits how much clients may send or receive, and the gateway can't enforce it. The paths are served without the limit.",
    hint: "limit requests in front of the gateway or in the backend, and remove the setting",
  },
  ANNOTATION_MISSPELT: {
    severity: "error",
    title: "an annotation that restricts access is probably misspelt",
    explanation:
      "Its name is near to that of an annotation that restricts access, or of that family (auth-…, …-source-range); or it restricts access, and its domain is missing, one or two letters away from ours or made of the same words (nginx, ingress, kubernetes and so on), it is not read under its prefix, its index points at no path, or it stands among the labels or on an object of another kind. Without the restriction every client could pass, so the paths that it is for answer 503; those of the whole object, unless only the name is wrong. On an ALB2, Frontend or Gateway it is only reported. One without a value is only reported as unknown.",
    hint: "correct the key, or remove the annotation; docs/annotations.md lists them",
  },
  ANNOTATION_UNKNOWN: {
    severity: "warning",
    title: "an annotation is not known",
    explanation:
      "Its key has one of our domains, or one that is near, but no such annotation exists. It has no effect.",
    hint: "correct the name, or remove the annotation; docs/annotations.md lists them",
  },
  ANNOTATION_UNSUPPORTED: {
    severity: "warning",
    title: "an annotation is not supported",
    explanation: "The annotation is one of ingress-nginx or of the origin that has no effect here.",
    hint: "remove the annotation; docs/annotations.md says what to use instead",
  },
  ANNOTATION_PREFIX: {
    severity: "warning",
    title: "an annotation stands under the wrong prefix",
    explanation: "The annotation exists, but is not read under this prefix. It has no effect.",
    hint: "move it to a prefix that docs/annotations.md names",
  },
  ANNOTATION_INDEX_UNUSED: {
    severity: "warning",
    title: "an index prefix points at no path",
    explanation:
      "index.<rule>-<path> counts the entries of spec.rules and the paths of each from 0. There is no such path, so the annotation has no effect.",
    hint: "correct the numbers",
  },
} as const satisfies Record<string, CatalogEntry>;
