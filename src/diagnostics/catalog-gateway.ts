import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of GatewayClasses, Gateways and ListenerSets reports; their conditions say the same. */
export const GATEWAY_DIAGNOSTICS = {
  GATEWAY_CLASS_INVALID: {
    severity: "error",
    title: "a GatewayClass can't be accepted",
    explanation:
      "Its parametersRef names no ConfigMap that can be read. Its Gateways are not served, since they would not be what it says.",
    hint: "correct the ConfigMap or the reference (docs/gateway-api.md)",
  },
  GATEWAY_NOT_SERVED: {
    severity: "info",
    title: "a Gateway is left to another controller",
    explanation:
      "Gateways are served whose GatewayClass exists and has our controller name (option controllerName).",
    hint: "nothing needs to be done if another controller serves it; else correct its class, or create that",
  },
  GATEWAY_INVALID: {
    severity: "error",
    title: "a Gateway can't be accepted",
    explanation:
      "The Gateway asks for something that is not there, or none of its listeners is valid. Nothing of it is served.",
    hint: "correct the field",
  },
  GATEWAY_ADDRESS: {
    severity: "error",
    title: "a Gateway does not get its address",
    explanation:
      "Addresses come from the option gatewayAddresses, and each belongs to one Gateway. The Gateway is served on those that it got, and on none if it got none.",
    hint: "add addresses that the machine holds to the option gatewayAddresses, or ask for another one",
  },
  LISTENER_OVER_BUDGET: {
    severity: "error",
    title: "there is no socket left for a port",
    explanation:
      "Each worker of nginx holds every listening socket, so their number is limited (option listenerSockets, and half of the files that a process may open). A port needs one for each address, or two (IPv4 and IPv6) where it is on all addresses; for UDP, and where a TCP port is on all addresses and on single ones, each of them for each worker; for TLS routes two more. A TLSRoute whose TLS ends here needs one for each certificate that its names can have, of those that ports leave. Namespaces get equal shares. One that wants more loses its newest Frontends, listeners and TLSRoutes; all others are served.",
    hint: "remove Frontends, listeners or TLSRoutes of this namespace, or raise the option listenerSockets and the limit of open files",
  },
  GATEWAY_REFERENCE: {
    severity: "error",
    title: "a reference of a Gateway can't be resolved",
    explanation:
      "The object is missing, is of a kind that is not read, can't be used, or is in another namespace without a ReferenceGrant. What needs it is not served.",
    hint: "correct the reference or the object, or write a ReferenceGrant in its namespace",
  },
  LISTENER_INVALID: {
    severity: "error",
    title: "a listener can't be served as written",
    explanation:
      "Its protocol or one of its values is not known here, or no certificate authority for its clients can be used. The listener is not served; the others are.",
    hint: "correct the value",
  },
  LISTENER_CONFLICT: {
    severity: "error",
    title: "two listeners want the same port",
    explanation:
      "Listeners of one port need one protocol and different hostnames. In one object all of them lose; else the Gateway comes before its ListenerSets, and the older object before the younger.",
    hint: "give the listener another port or hostname",
  },
  LISTENER_OVERLAP: {
    severity: "info",
    title: "two TLS listeners share hosts, or names in certificates",
    explanation:
      "The more specific one serves the hosts. A client that reuses its connection for a host of the other listener is answered 421 and opens a new one.",
    hint: "nothing needs to be done; certificates without common names make clients open a new connection at once",
  },
  INGRESS_HOST_TAKEN: {
    severity: "warning",
    title: "a Gateway takes a host of an Ingress",
    explanation:
      "A host and port belong to one listener, and that of a Gateway is more specific than a port for Ingresses. It answers the host's requests on that port, the Ingress none of them.",
    hint: "give the Gateway's listener another port or hostname, or Gateways addresses of their own (option gatewayAddresses)",
  },
  LISTENER_SET_NOT_SERVED: {
    severity: "error",
    title: "a ListenerSet is not served",
    explanation:
      "Its Gateway takes no ListenerSets of its namespace, is not accepted, or none of its listeners is valid.",
    hint: "allow it in the Gateway's spec.allowedListeners, or correct its listeners",
  },
  LISTENER_SET_UNATTACHED: {
    severity: "warning",
    title: "a ListenerSet belongs to no Gateway",
    explanation: "The Gateway that spec.parentRef names is not there, so nothing serves it.",
    hint: "create the Gateway, or correct the name or the namespace",
  },
  CLIENT_CERTIFICATES_UNCHECKED: {
    severity: "warning",
    title: "clients pass without a valid certificate",
    explanation:
      "With the mode AllowInsecureFallback clients are asked for a certificate and served whatever they show. Listeners of protocol TLS that terminate never ask for one, whatever spec.tls.frontend says. Backends must not take one for proof of who the client is.",
    hint: "use AllowValidOnly and a listener of protocol HTTPS, or check the certificates behind the gateway (mode Passthrough)",
  },
} as const satisfies Record<string, CatalogEntry>;

/** What translation of routes reports; conditions of their status say the same. */
export const ROUTE_DIAGNOSTICS = {
  ROUTE_OF_MESH: {
    severity: "info",
    title: "a route's parent is a Service",
    explanation:
      "Such routes are for requests between Services, which pass no gateway. They are left to a mesh; the route's other parents are served.",
    hint: "name a Gateway as parent if the route is for requests from outside",
  },
  ROUTE_PARENT_FOREIGN: {
    severity: "info",
    title: "a route's parent is not ours",
    explanation: "The parent's GatewayClass is another controller's. It gets no status from here.",
    hint: "nothing needs to be done if another controller serves it; else correct the name or namespace",
  },
  ROUTE_PARENT_NOT_FOUND: {
    severity: "warning",
    title: "a route's parent does not exist",
    explanation:
      "There is no such Gateway or ListenerSet among the objects that are read. The route serves nothing there, and no controller can write a status for it.",
    hint: "correct the name or namespace of the parent, or create it",
  },
  ROUTE_NOT_ATTACHED: {
    severity: "error",
    title: "no listener of the parent takes the route",
    explanation:
      "The listeners' names, ports, kinds, namespaces or hostnames exclude the route. It serves nothing there; its condition Accepted is False and says why.",
    hint: "compare the parentRef and hostnames with the parent's listeners and their allowedRoutes",
  },
  ROUTE_VALUE_UNSUPPORTED: {
    severity: "error",
    title: "a value of a route is not supported",
    explanation:
      "The rule can't be done as written, so its requests answer 500 and no wider rule serves them. Other rules are served.",
    hint: "correct the value",
  },
  ROUTE_TOO_LARGE: {
    severity: "error",
    title: "a route is too large to be served",
    explanation:
      "A route is bound once for each listener, hostname and match: at most 16,384 times, with at most 4 MiB of paths and conditions. Nothing of it is served. Its requests answer 500; where its paths are too many, so does all beneath their first elements, or its hosts altogether.",
    hint: "write fewer hostnames or matches, spread them over routes, or name single listeners with parentRefs[].sectionName",
  },
  ROUTE_FILTERS_INCOMPATIBLE: {
    severity: "error",
    title: "filters of a route can't stand together",
    explanation:
      "The rule can't be done as written, so its requests answer 500 and no wider rule serves them. Other rules are served.",
    hint: "leave one of the filters out, or spread them over rules",
  },
  ROUTE_BACKEND_NOT_FOUND: {
    severity: "error",
    title: "a route's backend does not exist",
    explanation:
      "The Service, or its port, is not there (yet). The backend's share of the requests answers 500, of connections it is closed; a mirror is dropped.",
    hint: "create the Service, or correct name, namespace or port",
  },
  ROUTE_BACKEND_KIND: {
    severity: "error",
    title: "a route's backend is no Service",
    explanation:
      "Only ports of Services can be backends. The backend's share of the requests answers 500, of connections it is closed; a mirror is dropped.",
    hint: "name a Service",
  },
  ROUTE_BACKEND_NOT_PERMITTED: {
    severity: "error",
    title: "a route may not name a backend of another namespace",
    explanation:
      "No ReferenceGrant in the Service's namespace permits it. The backend's share of the requests answers 500, of connections it is closed; a mirror is dropped.",
    hint: "create a ReferenceGrant in the namespace of the Service",
  },
  ROUTE_BACKEND_PROTOCOL: {
    severity: "error",
    title: "a backend's protocol can't be spoken",
    explanation:
      "The Service port's appProtocol is none that routes of this kind can speak. The backend's share of the requests answers 500; a mirror is dropped.",
    hint: "use http, https, grpc, grpcs, kubernetes.io/h2c, kubernetes.io/ws or kubernetes.io/wss, or none",
  },
  ROUTE_MIRROR_PROTOCOL: {
    severity: "error",
    title: "a mirror's protocol can't be spoken",
    explanation:
      "Copies of requests are sent by HTTP/1.1, which a Service of h2c or gRPC does not understand; a GRPCRoute's are gRPC. Nothing is copied, the requests are served.",
    hint: "mirror to a port of http or https, or remove the filter",
  },
  ROUTE_BACKEND_TLS_NAMES: {
    severity: "error",
    title: "subjectAltNames can't be checked over gRPC",
    explanation:
      "nginx checks the certificate of a gRPC backend for validation.hostname only, and a request must not reach one that is not checked as its BackendTLSPolicy says. The backend's share of the requests answers 500.",
    hint: "let the certificate have the name of validation.hostname, and remove subjectAltNames",
  },
  ROUTE_BACKEND_EXTERNAL_NAME: {
    severity: "error",
    title: "a route's backend is a Service of type ExternalName",
    explanation:
      "Such a Service points at any DNS name, also at ones that its author could not reach otherwise, so it is not used as a backend. The backend's share of the requests answers 500, of connections it is closed; a mirror is dropped.",
    hint: "use a Service without selector and an EndpointSlice with the addresses",
  },
  STREAM_BACKEND_TLS: {
    severity: "error",
    title: "a BackendTLSPolicy can't be kept to for a TLSRoute",
    explanation:
      "Where a listener ends TLS, connections to backends of a rule are all made by the same TLS, which nginx itself can check: for one name, validation.hostname. A backend that wants something else gets nothing; its share of the connections is closed.",
    hint: "give the rule's Services one policy, without subjectAltNames, or let the listener pass TLS through",
  },
  STREAM_ROUTE_SHADOWED: {
    severity: "warning",
    title: "an older route has the connections",
    explanation:
      "A port of TCP or UDP has one route, and so has a server name: the oldest one. This one is accepted, and serves when the older one is gone.",
    hint: "give the route a listener or hostname of its own, or remove one of the two",
  },
  ROUTE_WITHOUT_BACKEND: {
    severity: "warning",
    title: "a rule sends its requests nowhere",
    explanation:
      "The rule neither redirects nor has a backend with a weight above 0. Its requests answer 500; connections are closed.",
    hint: "add a backendRef or a RequestRedirect filter",
  },
} as const satisfies Record<string, CatalogEntry>;
