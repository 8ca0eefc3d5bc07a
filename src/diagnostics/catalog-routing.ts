import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of listeners, routes, backends and annotations reports. */
export const ROUTING_DIAGNOSTICS = {
  ANNOTATION_INVALID: {
    severity: "error",
    title: "an annotation's value is invalid",
    explanation:
      "The value can't be read as the annotation's type. If it only tunes, it is ignored; if it restricts access, its paths answer 503. Of a header rewrite, only the named parts are left out.",
    hint: "see docs/annotations.md for the values that it takes",
  },
  SERVICE_NOT_FOUND: {
    severity: "error",
    title: "a backend's Service does not exist",
    explanation:
      "The reference names a Service that does not exist (yet). Its share of requests gets 503 until it exists.",
    hint: "create the Service, or correct the name or the namespace",
  },
  SERVICE_PORT_NOT_FOUND: {
    severity: "error",
    title: "a backend's Service has no such port",
    explanation:
      "The reference names a port, by number or name, that the Service does not have for TCP. Its share of requests gets 503.",
    hint: "name a port of the Service's spec.ports",
  },
  SERVICE_EXTERNAL_NAME: {
    severity: "error",
    title: "a backend's Service is of type ExternalName",
    explanation:
      "Such a Service can point at any DNS name, even one that its author can't reach otherwise, so it can't be a backend. Its share of requests gets 503.",
    hint: "use a Service without selector and an EndpointSlice with the addresses",
  },
  ENDPOINT_REFUSED: {
    severity: "error",
    title: "an endpoint is albc itself",
    explanation:
      "nginx runs on albc's machine, so an endpoint with a loopback address and the port of the option healthAddress would publish albc's metrics. This endpoint is ignored; the Service's other endpoints are used.",
    hint: "give the endpoint the address and port of the application",
  },
  SERVICE_TOO_LARGE: {
    severity: "error",
    title: "a Service has too many endpoints for its ports",
    explanation:
      "Each Service port that routes name gets all endpoints of the Service. 8 such ports are always allowed, and more while ports times endpoints are at most 16,384 (each EndpointSlice counts as one more endpoint). The other ports, last in the order of `namespace/service/port`, get no endpoints: their requests answer 503. Everything else is served.",
    hint: "let routes name fewer ports of the Service, or spread the ports over several Services",
  },
  PORT_UNAVAILABLE: {
    severity: "error",
    title: "nginx can't listen on a port",
    explanation:
      "nginx could not bind it: another process uses it, the machine lacks the address, or ports below 1024 are not allowed. The port is not served; everything else is. albc tries again every 30 seconds, and at each change.",
    hint: "end the other process, or choose another port",
  },
  CERTIFICATE_UNUSABLE: {
    severity: "error",
    title: "a certificate can't be used",
    explanation:
      "The Secret is missing or lacks a PEM certificate chain with its private key, the key is too weak or RSA with more than 4096 bits, or the chain exceeds 16 certificates or 64 KiB. The hosts have no certificate of their own: the default certificate is served, or the handshake fails.",
    hint: "make a Secret of type kubernetes.io/tls with tls.crt (leaf first) and tls.key",
  },
  CERTIFICATE_EXPIRED: {
    severity: "warning",
    title: "a certificate has expired",
    explanation:
      "It is still served, but clients refuse it, so HTTPS fails for the host; plain HTTP may redirect there. The metric albc_certificate_days_left warns in advance.",
    hint: "renew the certificate in the Secret",
  },
  CERTIFICATE_HOST_MISMATCH: {
    severity: "warning",
    title: "a certificate does not match the host",
    explanation:
      "Clients compare the host with the DNS names in the certificate's subjectAltName (RFC 9525), where a wildcard matches one label; they ignore its common name. It is still served, but clients refuse it for the host. For a wildcard host, one name below it is enough.",
    hint: "put a certificate into the Secret that has the host as a DNS name, or name another Secret",
  },
  CERTIFICATE_CONFLICT: {
    severity: "warning",
    title: "a host has two certificates",
    explanation:
      "Several objects give a host certificates on one port. The oldest object's is served.",
    hint: "leave the host in one of the objects, or let them name the same secret",
  },
  TLS_HOST_UNUSED: {
    severity: "warning",
    title: "an Ingress has TLS for a host that it does not own",
    explanation:
      "An Ingress has certificates and HTTPS redirects for the hosts of its own rules, unless an older object of another namespace names the host. This entry has no effect on the host.",
    hint: "add a rule for the host to this Ingress, or leave the certificate to the namespace that has the host",
  },
  SETTING_IGNORED: {
    severity: "error",
    title: "a setting is invalid and has no effect",
    explanation:
      "The value can't be used. It only tunes, so the object is served as if the setting were absent. Of a header rewrite, only the named parts are ignored.",
    hint: "correct the value, or remove the setting",
  },
  SETTING_UNSUPPORTED: {
    severity: "warning",
    title: "a setting is not supported",
    explanation:
      "The setting is one of the origin (web application firewall, tracing, connection keepalive) that has no effect here. The rest of the object is served.",
    hint: "remove the setting, or put what it did in front of the gateway",
  },
  ALB_NOT_FOUND: {
    severity: "error",
    title: "the load balancer to serve does not exist",
    explanation:
      "The option alb names an ALB2 that does not exist. Its auth is unknown, so nothing is served until it exists.",
    hint: "create the ALB2, or correct the option",
  },
  SETTING_WITHOUT_EFFECT: {
    severity: "info",
    title: "a setting has no effect here",
    explanation:
      "The field is for whatever deploys the load balancer (network, pods, the Service in front), not for the data plane.",
    hint: "nothing needs to be done",
  },
  ALB_WITHOUT_PROJECTS: {
    severity: "warning",
    title: "an ALB2 names no project",
    explanation:
      "An ALB2 serves the Ingresses of the projects that it names, by the project label of their namespaces. Without any it serves no Ingresses, only Frontends and Rules.",
    hint: "name projects in spec.config.projects; ALL_ALL means every namespace",
  },
  PORT_CONFLICT: {
    severity: "error",
    title: "two objects want the same port",
    explanation:
      "A port has one owner: the older object. What the other object would serve on the port is not served.",
    hint: "give one of them another port",
  },
  PORT_CLOSED: {
    severity: "error",
    title: "a port is closed until its Frontend can be read",
    explanation:
      "An ALB2 serves Ingresses on the port without a Frontend, but an unreadable Frontend may be for that port. It may configure auth, so the port answers 503 to everything.",
    hint: "correct the Frontend, or remove it",
  },
  PROTOCOL_UNSUPPORTED: {
    severity: "error",
    title: "a Frontend's protocol is not served",
    explanation:
      "Frontends of protocol http, https and grpc are served. Ports of others stay closed.",
    hint: "use http, https or grpc",
  },
  FRONTEND_UNATTACHED: {
    severity: "warning",
    title: "a Frontend belongs to no ALB2",
    explanation:
      "A Frontend belongs to the ALB2 in its own namespace that its label alb2.<label domain>/name names. Without one, its port stays closed. If the label is missing, or one or two letters away from an ALB2's name, the same port of this ALB2's Ingresses is closed too.",
    hint: "set the label to the name of an ALB2 in the same namespace",
  },
  RULE_UNATTACHED: {
    severity: "warning",
    title: "a Rule belongs to no Frontend that is served",
    explanation:
      "A Rule belongs to the Frontend in its own namespace that its labels alb2.<label domain>/name and alb2.<label domain>/frontend name. Without one it is not served. If a label is missing, or one or two letters away from a name, its requests answer 503 on every Frontend it may mean, since it may protect them. A name with another number, such as alb-00081, is not close.",
    hint: "set both labels to an ALB2 and a Frontend of the same namespace",
  },
  RULE_GENERATED: {
    severity: "info",
    title: "a Rule generated from an Ingress is not served",
    explanation:
      "The label alb2.<label domain>/source-type: ingress or spec.source.type: ingress says that another controller made the Rule from an Ingress. The Ingress itself is served, with its current content, so the Rule is ignored.",
    hint: "remove the Rule once the controller that made it is gone; if it is your own, remove the label and spec.source",
  },
  RULE_WITHOUT_MATCH: {
    severity: "error",
    title: "a Rule matches nothing",
    explanation:
      "A Rule's dslx selects its requests. Without a term that has a row there are none, so the Rule is not served. If it has one of the old texts dsl, domain or url, it may be meant to protect something: what that text names answers 503, and if a dsl can't be read, so does every Rule of the namespace.",
    hint: "write at least one valid term in spec.dslx",
  },
  RULE_MATCH_INVALID: {
    severity: "error",
    title: "a term of a Rule's match is invalid",
    explanation:
      "The match can't work as written. The Rule keeps its rank and its other terms, and answers 500 to every request that these match, so no wider rule serves them. If no term can be read, those are all requests of the Frontend that no rule of a higher rank serves.",
    hint: "correct the term",
  },
  OBJECT_TOO_LARGE: {
    severity: "error",
    title: "an Ingress or a Rule is too large to be served",
    explanation:
      "Each path of an Ingress makes a binding for each name in server-alias, and each condition of a Rule for each host: together at most 16,384 bindings, with at most 4 MiB of paths and conditions. Annotations of an Ingress, and what they name, count for every path: together at most 16 MiB. No part of the object is served; its requests answer 500, including all names in server-alias.",
    hint: "spread hosts or paths over several objects, or write fewer of them",
  },
  RULE_INVALID: {
    severity: "error",
    title: "a Rule can't work as written",
    explanation:
      "Without this setting the Rule would behave differently, so its requests answer 500.",
    hint: "correct the value",
  },
  BACKEND_INVALID: {
    severity: "error",
    title: "a backend is not a Service port",
    explanation: "Only Service ports can be backends. The path answers 500.",
    hint: "name a Service and its port",
  },
  INGRESS_PATH_INVALID: {
    severity: "error",
    title: "a path of an Ingress can't be matched",
    explanation:
      "The path is an invalid regular expression. What it could have matched answers 500, so no wider rule serves it.",
    hint: "correct the path",
  },
  INGRESS_PATH_TEXT: {
    severity: "warning",
    title: "a path of an Ingress looks like a regular expression but is not one",
    explanation:
      "A path of type Prefix or Exact is text; so is one of type ImplementationSpecific without use-regex or rewrite-target, as in ingress-nginx. It matches only requests that contain its special characters. If an ALB2 serves the Ingress, ImplementationSpecific paths are regular expressions.",
    hint: "set use-regex to true if it is meant as a regular expression; a Prefix needs no `*` at its end",
  },
  PRIORITY_LOCAL: {
    severity: "info",
    title: "a priority counts only in its namespace",
    explanation:
      "ingress-rule-priority orders the paths of one namespace. A path without a host stays behind all objects of other namespaces that name the host, whatever its priority.",
    hint: "name a host, or list the namespace in the option ingressPriorityNamespaces",
  },
  INGRESS_PATH_SHADOWED: {
    severity: "warning",
    title: "two paths match the same requests",
    explanation:
      "Another rule matches all requests of this host and path, and is tried first. For the same path, the older object wins. A host belongs to the namespace with the oldest object that names it or the wildcard above it; that namespace's paths come before those of others. No request reaches this path.",
    hint: "remove one of them, or give it another host or path; with the option sharedHosts, narrower paths and hosts come first whichever namespace has them",
  },
  INGRESS_REGEX_HOST: {
    severity: "warning",
    title: "a path is a regular expression because of another Ingress",
    explanation:
      "use-regex and rewrite-target apply to all paths of a host, as in ingress-nginx: this path matches everything that begins with it, ignoring case.",
    hint: "give the Ingress with use-regex or rewrite-target a host of its own",
  },
  PUBLISHED_SERVICE_NOT_FOUND: {
    severity: "warning",
    title: "the Service whose addresses are published does not exist",
    explanation:
      "albc does not read the Service that the option publishService names. Statuses of Ingresses stay unchanged until it appears.",
    hint: "create the Service, correct the option, or let its namespace be watched (option namespaces)",
  },
  INGRESS_NOT_SERVED: {
    severity: "info",
    title: "an Ingress belongs to another controller",
    explanation:
      "No load balancer here serves its class, or its namespace's project. With ALB2 objects, the class is the ALB2's name.",
    hint: "nothing needs to be done if another controller serves it; else correct its class",
  },
  INGRESS_CANARY: {
    severity: "warning",
    title: "a canary Ingress is not served",
    explanation:
      "On their own, its rules would send all requests to the canary, so they are ignored; the main Ingress gets all requests.",
    hint: "use weights of a Rule's serviceGroup, or remove the Ingress",
  },
  ANNOTATION_CLOSED: {
    severity: "error",
    title: "an annotation that restricts access or redirects is invalid",
    explanation:
      "The value can't be read. Ignoring it could let every client in, or replace a redirect by a backend's answer, so the paths answer 503. With the option unsupportedRestrictions: report they are served, and the code is ANNOTATION_INVALID.",
    hint: "correct the value; the paths stay closed until then",
  },
  RESTRICTION_UNSUPPORTED: {
    severity: "error",
    title: "a restriction of access is not supported",
    explanation:
      "The setting restricts access (a web application firewall, or a snippet with directives not known to be harmless), and the gateway can't enforce it. Its paths answer 503. With the option unsupportedRestrictions: report they are served without it.",
    hint: "restrict access by source ranges or authentication and remove the setting, or set the option unsupportedRestrictions to report",
  },
  LIMIT_UNSUPPORTED: {
    severity: "error",
    title: "a limit is not enforced",
    explanation:
      "The setting limits how much clients send or receive, and the gateway can't enforce it. The paths are served without the limit.",
    hint: "limit requests in front of the gateway or in the backend, and remove the setting",
  },
  ANNOTATION_MISSPELT: {
    severity: "error",
    title: "an annotation that restricts access is probably misspelt",
    explanation:
      "The name is close to an annotation that restricts access, or to that family (auth-…, …-source-range). Or the annotation restricts access, but its domain is missing, one or two letters off or made of the same words (nginx, ingress, kubernetes and so on), its prefix is not read, its index matches no path, or it is a label or on an object of another kind. Ignoring it could let every client in, so its paths answer 503, or the whole object's unless only the name is wrong. On an ALB2, Frontend or Gateway it is only reported. Without a value it is only reported as unknown.",
    hint: "correct the key, or remove the annotation; docs/annotations.md lists them",
  },
  ANNOTATION_UNKNOWN: {
    severity: "warning",
    title: "an annotation is unknown",
    explanation:
      "Its key has one of our domains or a similar one, but no such annotation exists. It has no effect.",
    hint: "correct the name, or remove the annotation; docs/annotations.md lists them",
  },
  ANNOTATION_UNSUPPORTED: {
    severity: "warning",
    title: "an annotation is not supported",
    explanation: "The annotation exists in ingress-nginx or the origin, but has no effect here.",
    hint: "remove the annotation; docs/annotations.md says what to use instead",
  },
  ANNOTATION_PREFIX: {
    severity: "warning",
    title: "an annotation has the wrong prefix",
    explanation: "The annotation exists, but is not read under this prefix. It has no effect.",
    hint: "move it to a prefix that docs/annotations.md names",
  },
  ANNOTATION_INDEX_UNUSED: {
    severity: "warning",
    title: "an index prefix matches no path",
    explanation:
      "index.<rule>-<path> counts the entries of spec.rules, and the paths of each, from 0. This path is missing, so the annotation has no effect.",
    hint: "correct the numbers",
  },
} as const satisfies Record<string, CatalogEntry>;
