import type { Port } from "./upstream.js";
import { type LogFormat, DEFAULT_LOG_FIELDS } from "./log-fields.js";

export { DEFAULT_LOG_FIELDS, LOG_FIELDS, LOG_FORMATS } from "./log-fields.js";

/** What a compilation depends on besides the objects (docs/options.md); src/cli/settings.ts reads them. */
export interface CompileOptions {
  readonly domains: Domains;
  /** Serve only the ALB2 `<namespace>/<name>`; empty: every ALB2. */
  readonly alb: string;
  /** Ports of Ingresses without an ALB2; 0: not served. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The served class without an ALB2. */
  readonly ingressClass: string;
  /** Whether Ingresses without a class are served without an ALB2; from files they always are. */
  readonly ingressWithoutClass: boolean;
  /** Namespaces whose Ingresses may take precedence over routes of other namespaces by their priority. */
  readonly ingressPriorityNamespaces: readonly string[];
  /** Narrower hosts and paths win over older ones of another namespace. */
  readonly sharedHosts: boolean;
  /** `spec.controller` of the IngressClasses to serve, besides the class named `ingressClass`. */
  readonly ingressController: string;
  /** `controllerName` of the GatewayClasses to serve, and of our entries in statuses. */
  readonly controllerName: string;
  /** Addresses and CIDRs of the machine, of which each Gateway gets one; empty: all Gateways share the wildcard address. */
  readonly gatewayAddresses: readonly string[];
  /** Maximum number of listening sockets: addresses × ports, for UDP × workers. */
  readonly listenerSockets: number;
  /** Maximum number of different settings that need locations in nginx.conf: of Gateways, and as many of other objects. */
  readonly nginxLocations: number;
  /** Bytes of policy.json that the routes of all objects may take, with their auth; closed objects may take a quarter more. */
  readonly policySize: number;
  /** Processors of the machine, which is the number of workers if `workers` is 0. Detected, not an option. */
  readonly processors: number;
  /** `ADDRESS:PORT` of albc's health checks and metrics, which no endpoint may be; empty: there are none. */
  readonly healthAddress: string;
  /** Addresses of the machine. Detected, not an option. */
  readonly machineAddresses: readonly string[];
  /** The machine's addresses on its default routes, at most one IPv4 and one IPv6. Detected, not an option. */
  readonly routedAddresses: readonly string[];
  /** `<namespace>/<name>` of the Service in front of albc, whose addresses go into statuses of Ingresses and Gateways; empty: none. */
  readonly publishService: string;
  /** Addresses and names for statuses of Ingresses and Gateways, if no Service has them. */
  readonly publishAddress: readonly string[];
  /** `<namespace>/<name>` of the Secret with the certificate for names without their own; empty: none. */
  readonly defaultCertificate: string;
  /** Whether Ingresses and AuthPolicies may name Secrets and ConfigMaps of other namespaces. */
  readonly allowCrossNamespaceAuth: boolean;
  /** What happens if a restriction of access can't be enforced: its paths answer 503, or are served and reported as an error. */
  readonly unsupportedRestrictions: "close" | "report";
  /** Whether directives of snippets are translated; otherwise a snippet has no effect, and closes its paths if it may restrict. */
  readonly snippets: "refuse" | "translate";
  /** Namespaces whose Secrets are read, `*` for all; Secrets of other namespaces look as if they did not exist. */
  readonly secretNamespaces: readonly string[];
  /** The last part of Services' names: `<service>.<namespace>.svc.<cluster domain>`. */
  readonly clusterDomain: string;
  /** Ports that nginx can't bind: `80` on all addresses, `10.0.0.1:80` or `[fd00::1]:80` on one, `53/udp`. Detected, not an option. */
  readonly unavailablePorts: readonly string[];
  /** Because of which nginx refuses its configuration. Detected, not an option. */
  readonly refusedObjects: readonly RefusedObject[];
  /** Whether routes whose parent is not among the objects are checked as if there were one. For `validate`, not an option. */
  readonly checksUnattached: boolean;
  /** Whether nginx has its stream module, which ports of TCPRoutes, UDPRoutes and TLSRoutes need. Detected, unless it is set. */
  readonly stream: boolean;
  /** Loopback and link-local addresses and CIDRs that auth URLs of Ingresses and AuthPolicies may name. */
  readonly authAddresses: readonly string[];
  readonly auth: {
    /** Milliseconds for the whole auth request. */
    readonly timeout: number;
    /** Whether certificates of https auth services are checked. */
    readonly tlsVerify: boolean;
  };
  /** Pages for errors of routes that have no pages of their own, and of requests without a route. Absent: none. */
  readonly errorPages?: GatewayErrorPages;
  readonly dataPlane: DataPlaneOptions;
}

export interface RefusedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** What nginx says. */
  readonly reason: string;
  /** Nothing of it is translated, because nginx refuses its closed form, too, or it has none. */
  readonly isLeftOut: boolean;
}

export interface GatewayErrorPages {
  /** From 400 to 599, in ascending order, each once. */
  readonly statuses: readonly number[];
  /** Who has the pages. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: Port };
  /** The pages by name: `404.html`, `404.json`; `5xx.html` for the rest of its class. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Identifiers with a vendor's name. */
export interface Domains {
  /** Group of ALB2, Frontend, Rule. */
  readonly group: string;
  /** Own annotations: `alb.ingress.cpaas.io/...`. */
  readonly annotations: string;
  /** Annotations that work as in ingress-nginx: `nginx.ingress.kubernetes.io/...`. */
  readonly compatAnnotations: string;
  /** Labels such as `alb2.<labels>/name` and `<labels>/project`. */
  readonly labels: string;
}

/** Without `debug`: it shows whole headers, with their secrets. */
export const NGINX_LOG_LEVELS = ["info", "notice", "warn", "error", "crit"] as const;

export type NginxLogLevel = (typeof NGINX_LOG_LEVELS)[number];

export const TRACE_MODES = ["off", "headers", "spans"] as const;

/** `continue`: the trace of a client goes on, and the gateway samples; `trust`: it is sampled as the client says; `ignore`: a new trace. */
export const TRACE_CLIENTS = ["continue", "trust", "ignore"] as const;

/** W3C Trace Context of requests. */
export interface TraceOptions {
  /** `headers`: requests have a traceparent; `spans`: sampled ones are also reported. */
  readonly mode: (typeof TRACE_MODES)[number];
  /** Percentage of requests that are sampled, except those of routes with a rate of their own. */
  readonly rate: number;
  readonly clients: (typeof TRACE_CLIENTS)[number];
  /** `ADDRESS:PORT` (UDP) where albc takes the reports. */
  readonly address: string;
}

export interface DataPlaneOptions {
  /** CIDRs of trusted proxies, whose X-Forwarded-* and X-Real-IP are used. */
  readonly trustedProxies: readonly string[];
  /** Whether every listener expects the PROXY protocol. */
  readonly proxyProtocol: boolean;
  /** `off`, `stdout`, or a file below the run folder. */
  readonly accessLog: string;
  readonly accessLogFormat: LogFormat;
  /** Names of LOG_FIELDS, for the format `json`. */
  readonly accessLogFields: readonly string[];
  readonly trace: TraceOptions;
  /** Least severe level of nginx's own log. */
  readonly nginxLogLevel: NginxLogLevel;
  /** Number of nginx workers; 0: one for each processor. */
  readonly workers: number;
  readonly ipv6: boolean;
  /** Largest request body in bytes for routes without their own limit; 0: no limit. */
  readonly bodyLimit: number;
  /** Route.outageErrors for routes without their own. */
  readonly outageErrors: number;
  /** Whether responses are buffered; otherwise all are streamed. */
  readonly buffering: boolean;
  /** Concurrent requests of an HTTP/2 connection. */
  readonly http2Streams: number;
  /** Concurrent requests of a client's address; 0: no limit. */
  readonly clientRequests: number;
  /** Routes and auth policies with metrics of their own; 0: none, and no route is counted. */
  readonly routeMetrics: number;
  /** Seconds after a reload until old workers close their connections. */
  readonly drainTimeout: number;
}

/** From files auth URLs may name them, as endpoints may be there. */
export const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

export const DEFAULT_OPTIONS: CompileOptions = {
  domains: {
    group: "crd.alauda.io",
    annotations: "alb.ingress.cpaas.io",
    compatAnnotations: "nginx.ingress.kubernetes.io",
    labels: "cpaas.io",
  },
  alb: "",
  httpPort: 80,
  httpsPort: 443,
  ingressClass: "nginx",
  ingressWithoutClass: true,
  ingressPriorityNamespaces: [],
  sharedHosts: false,
  ingressController: "k8s.io/ingress-nginx",
  controllerName: "alb.cpaas.io/gateway-controller",
  gatewayAddresses: [],
  listenerSockets: 8192,
  nginxLocations: 256,
  policySize: 128 * 1024 * 1024,
  processors: 1,
  healthAddress: "",
  machineAddresses: [],
  routedAddresses: [],
  publishService: "",
  publishAddress: [],
  defaultCertificate: "",
  allowCrossNamespaceAuth: false,
  unsupportedRestrictions: "close",
  snippets: "refuse",
  secretNamespaces: ["*"],
  clusterDomain: "cluster.local",
  unavailablePorts: [],
  refusedObjects: [],
  checksUnattached: false,
  stream: true,
  authAddresses: LOOPBACK,
  auth: { timeout: 5000, tlsVerify: true },
  dataPlane: {
    trustedProxies: [],
    proxyProtocol: false,
    accessLog: "logs/access.log",
    accessLogFormat: "json",
    accessLogFields: DEFAULT_LOG_FIELDS,
    trace: { mode: "off", rate: 1, clients: "continue", address: "127.0.0.1:10255" },
    nginxLogLevel: "warn",
    workers: 0,
    ipv6: true,
    bodyLimit: 0,
    outageErrors: 0,
    buffering: true,
    http2Streams: 128,
    clientRequests: 2048,
    routeMetrics: 10_000,
    drainTimeout: 240,
  },
};
