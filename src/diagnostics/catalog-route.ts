import type { CatalogEntry } from "./catalog-entry.js";

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
