import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of GatewayClasses, Gateways and ListenerSets reports; their conditions say the same. */
export const GATEWAY_DIAGNOSTICS = {
  GATEWAY_CLASS_INVALID: {
    severity: "error",
    title: "a GatewayClass can't be accepted",
    explanation:
      "Its parametersRef does not name a readable ConfigMap. Without these parameters, its Gateways are not served.",
    hint: "correct the ConfigMap or the reference (docs/gateway-api.md)",
  },
  GATEWAY_NOT_SERVED: {
    severity: "info",
    title: "a Gateway belongs to another controller",
    explanation:
      "albc serves Gateways whose GatewayClass exists and has its controller name (option controllerName).",
    hint: "nothing needs to be done if another controller serves it; else correct its class, or create that",
  },
  GATEWAY_INVALID: {
    severity: "error",
    title: "a Gateway can't be accepted",
    explanation:
      "The Gateway needs something that does not exist, or none of its listeners is valid. No part of it is served.",
    hint: "correct the field",
  },
  GATEWAY_ADDRESS: {
    severity: "error",
    title: "a Gateway does not get its address",
    explanation:
      "Addresses come from the option gatewayAddresses, and each belongs to one Gateway. The Gateway is served on those that it got; without any, it is not served.",
    hint: "add addresses that the machine holds to the option gatewayAddresses, or ask for another one",
  },
  LISTENER_OVER_BUDGET: {
    severity: "error",
    title: "no socket is left for a port",
    explanation:
      "Each nginx worker holds every listening socket, so their number is limited (option listenerSockets, and half of the files that a process may open). A port needs one socket for each address; on all addresses it needs two, for IPv4 and IPv6, or one without the option ipv6. A UDP port needs them for each worker, as does a TCP port that is open both on all and on single addresses. A port needs one more if a TLS listener of it passes TLS through, and one more if it has both TLS and HTTPS listeners. A TLSRoute whose TLS ends here needs one of the remaining sockets for each certificate that its names can have. Namespaces get equal shares. A namespace that wants more loses its newest Frontends, listeners and TLSRoutes; all others are served.",
    hint: "remove Frontends, listeners or TLSRoutes of this namespace, or raise the option listenerSockets and the limit of open files",
  },
  GATEWAY_REFERENCE: {
    severity: "error",
    title: "a reference of a Gateway can't be resolved",
    explanation:
      "The object is missing, unusable, of a kind that is not read, or in another namespace without a ReferenceGrant. Whatever needs it is not served.",
    hint: "correct the reference or the object, or write a ReferenceGrant in its namespace",
  },
  LISTENER_INVALID: {
    severity: "error",
    title: "a listener can't be served as written",
    explanation:
      "Its protocol or another value is unknown, or no certificate authority for its clients is usable. This listener is not served; the others are.",
    hint: "correct the value",
  },
  LISTENER_CONFLICT: {
    severity: "error",
    title: "two listeners want the same port",
    explanation:
      "Listeners on one port need the same protocol and different hostnames. In one object, all lose. Otherwise a Gateway wins over its ListenerSets, and an older object over a younger one.",
    hint: "give the listener another port or hostname",
  },
  LISTENER_OVERLAP: {
    severity: "info",
    title: "two TLS listeners share hosts or certificate names",
    explanation:
      "The more specific listener serves the hosts. A client that reuses its connection for a host of the other listener gets 421 and opens a new one.",
    hint: "nothing needs to be done; certificates without common names make clients open a new connection at once",
  },
  INGRESS_HOST_TAKEN: {
    severity: "warning",
    title: "a Gateway takes a host of an Ingress",
    explanation:
      "One listener owns a host on a port, and a Gateway's listener is more specific than a port for Ingresses. It answers all requests of the host on that port, the Ingress none.",
    hint: "give the Gateway's listener another port or hostname, or Gateways addresses of their own (option gatewayAddresses)",
  },
  LISTENER_SET_NOT_SERVED: {
    severity: "error",
    title: "a ListenerSet is not served",
    explanation:
      "Its Gateway allows none from its namespace or is not accepted, or none of its listeners is valid.",
    hint: "allow it in the Gateway's spec.allowedListeners, or correct its listeners",
  },
  LISTENER_SET_UNATTACHED: {
    severity: "warning",
    title: "a ListenerSet belongs to no Gateway",
    explanation: "The Gateway in spec.parentRef does not exist, so nothing serves the set.",
    hint: "create the Gateway, or correct the name or the namespace",
  },
  CLIENT_CERTIFICATES_UNCHECKED: {
    severity: "warning",
    title: "clients pass without a valid certificate",
    explanation:
      "In mode AllowInsecureFallback, the gateway asks clients for a certificate and serves them whatever they send. Terminating TLS listeners never ask, whatever spec.tls.frontend says. Backends must not take a certificate as proof of the client's identity.",
    hint: "use AllowValidOnly and a listener of protocol HTTPS, or check the certificates behind the gateway (mode Passthrough)",
  },
} as const satisfies Record<string, CatalogEntry>;

/** What translation of routes reports; conditions of their status say the same. */
export const ROUTE_DIAGNOSTICS = {
  ROUTE_OF_MESH: {
    severity: "info",
    title: "a route's parent is a Service",
    explanation:
      "Such routes are for requests between Services, which bypass gateways. albc leaves them to a mesh; the route's other parents are served.",
    hint: "name a Gateway as parent if the route is for requests from outside",
  },
  ROUTE_PARENT_FOREIGN: {
    severity: "info",
    title: "a route's parent belongs to another controller",
    explanation: "Its GatewayClass is another controller's. albc writes no status for it.",
    hint: "nothing needs to be done if another controller serves it; else correct the name or namespace",
  },
  ROUTE_PARENT_NOT_FOUND: {
    severity: "warning",
    title: "a route's parent does not exist",
    explanation:
      "albc reads no Gateway or ListenerSet with this name. The route serves nothing there, and no controller can write a status for it.",
    hint: "correct the name or namespace of the parent, or create it",
  },
  ROUTE_NOT_ATTACHED: {
    severity: "error",
    title: "no listener of the parent accepts the route",
    explanation:
      "The listeners' names, ports, kinds, namespaces or hostnames exclude the route. It serves nothing there; its condition Accepted is False and says why.",
    hint: "compare the parentRef and hostnames with the parent's listeners and their allowedRoutes",
  },
  ROUTE_VALUE_UNSUPPORTED: {
    severity: "error",
    title: "a value of a route is not supported",
    explanation:
      "The rule can't work as written. Its requests answer 500, so no wider rule serves them. Other rules are served.",
    hint: "correct the value",
  },
  ROUTE_TOO_LARGE: {
    severity: "error",
    title: "a route is too large to be served",
    explanation:
      "A route makes a binding for each listener, hostname and match: at most 16,384, with at most 4 MiB of paths and conditions. No part of it is served; its requests answer 500. With too many paths, so does everything below their first elements, or its whole hosts.",
    hint: "write fewer hostnames or matches, spread them over routes, or name single listeners with parentRefs[].sectionName",
  },
  ROUTE_FILTERS_INCOMPATIBLE: {
    severity: "error",
    title: "filters of a route can't be combined",
    explanation:
      "The rule can't work as written. Its requests answer 500, so no wider rule serves them. Other rules are served.",
    hint: "leave one of the filters out, or spread them over rules",
  },
  ROUTE_BACKEND_NOT_FOUND: {
    severity: "error",
    title: "a route's backend does not exist",
    explanation:
      "The Service or its port does not exist (yet). Its share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    hint: "create the Service, or correct name, namespace or port",
  },
  ROUTE_BACKEND_KIND: {
    severity: "error",
    title: "a route's backend is not a Service",
    explanation:
      "Only Service ports can be backends. This one's share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    hint: "name a Service",
  },
  ROUTE_BACKEND_NOT_PERMITTED: {
    severity: "error",
    title: "a route may not name a backend of another namespace",
    explanation:
      "No ReferenceGrant in the Service's namespace permits it. Its share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    hint: "create a ReferenceGrant in the namespace of the Service",
  },
  ROUTE_BACKEND_PROTOCOL: {
    severity: "error",
    title: "a backend's protocol is not supported",
    explanation:
      "Routes of this kind do not support the appProtocol of the Service port. The backend's share of requests gets 500; a mirror is dropped.",
    hint: "use http, https, grpc, grpcs, kubernetes.io/h2c, kubernetes.io/ws or kubernetes.io/wss, or none",
  },
  ROUTE_MIRROR_PROTOCOL: {
    severity: "error",
    title: "a mirror's protocol is not supported",
    explanation:
      "Mirrored requests use HTTP/1.1, which an h2c or gRPC Service does not understand; those of a GRPCRoute are gRPC. The requests are served, but not mirrored.",
    hint: "mirror to a port of http or https, or remove the filter",
  },
  ROUTE_BACKEND_TLS_NAMES: {
    severity: "error",
    title: "subjectAltNames can't be checked over gRPC",
    explanation:
      "nginx checks the certificate of a gRPC backend for validation.hostname only, and no request may reach a backend without the checks of its BackendTLSPolicy. The backend's share of requests gets 500.",
    hint: "let the certificate have the name of validation.hostname, and remove subjectAltNames",
  },
  ROUTE_BACKEND_EXTERNAL_NAME: {
    severity: "error",
    title: "a route's backend is a Service of type ExternalName",
    explanation:
      "Such a Service can point at any DNS name, even one that its author can't reach otherwise, so it can't be a backend. The backend's share of requests gets 500, its share of connections is closed, and a mirror is dropped.",
    hint: "use a Service without selector and an EndpointSlice with the addresses",
  },
  STREAM_BACKEND_TLS: {
    severity: "error",
    title: "a TLSRoute can't follow a BackendTLSPolicy",
    explanation:
      "Where a listener ends TLS, all backends of a rule share one TLS configuration, and nginx can check one name: validation.hostname. A backend that needs something else gets nothing; its share of the connections is closed.",
    hint: "give the rule's Services one policy, without subjectAltNames, or let the listener pass TLS through",
  },
  STREAM_ROUTE_SHADOWED: {
    severity: "warning",
    title: "an older route gets the connections",
    explanation:
      "A TCP or UDP port, or a server name, has one route: the oldest one. This route is accepted, and serves once the older one is removed.",
    hint: "give the route a listener or hostname of its own, or remove one of the two",
  },
  ROUTE_WITHOUT_BACKEND: {
    severity: "warning",
    title: "a rule has no destination",
    explanation:
      "The rule neither redirects nor has a backend with a weight above 0. Its requests answer 500; connections are closed.",
    hint: "add a backendRef or a RequestRedirect filter",
  },
} as const satisfies Record<string, CatalogEntry>;
