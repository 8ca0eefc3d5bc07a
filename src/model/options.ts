/** What a compilation depends on besides the objects. Plain values: the edges read files, flags and variables. */
export interface CompileOptions {
  readonly domains: Domains;
  /** Serve only the ALB2 `<namespace>/<name>`; empty: every ALB2. */
  readonly alb: string;
  /** Ports for Ingresses when there is no ALB2; 0 switches one off. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Class served when there is no ALB2. */
  readonly ingressClass: string;
  /** Ingresses without a class are served when there is no ALB2; always from files. */
  readonly ingressWithoutClass: boolean;
  /** Namespaces whose Ingresses' priorities count ahead of other namespaces' routes. */
  readonly ingressPriorityNamespaces: readonly string[];
  /** Narrower hosts and paths win over older ones of another namespace. */
  readonly sharedHosts: boolean;
  /** Controller name of the IngressClass objects that are ours besides the one named `ingressClass`. */
  readonly ingressController: string;
  /** Controller name of the GatewayClasses that are ours, and of what is ours in statuses. */
  readonly controllerName: string;
  /** Addresses and CIDRs that the machine holds, for Gateways to have one each; none: they share the wildcard address. */
  readonly gatewayAddresses: readonly string[];
  /** How many sockets all ports may have together: addresses × ports, for UDP × workers. */
  readonly listenerSockets: number;
  /** Of the machine: how many workers 0 of them are. Found out, never given. */
  readonly processors: number;
  /** `ADDRESS:PORT` where albc answers health checks and metrics: no endpoint may lead there; empty: nowhere. */
  readonly healthAddress: string;
  /** `<namespace>/<name>` of the Service before us, whose addresses the statuses of Ingresses name; empty: none. */
  readonly publishService: string;
  /** Addresses and names that the statuses of Ingresses name, when no Service has them. */
  readonly publishAddress: readonly string[];
  /** `<namespace>/<name>` of the secret with the certificate for names without one of their own; empty: none. */
  readonly defaultCertificate: string;
  /** Ingresses and AuthPolicies may name secrets and config maps of other namespaces. */
  readonly allowCrossNamespaceAuth: boolean;
  /** What becomes of a restriction of access that can't be honoured: its paths answer 503, or are served with an error. */
  readonly unsupportedRestrictions: "close" | "report";
  /** Namespaces whose Secrets are read, `*` for all: another one's can't be told from those that do not exist. */
  readonly secretNamespaces: readonly string[];
  /** Ends the names of Services: `<service>.<namespace>.svc.<cluster domain>`. */
  readonly clusterDomain: string;
  /** What can't be listened on: `80` on every address, `10.0.0.1:80` or `[fd00::1]:80` on one; `53/udp`. Found out, never given. */
  readonly unavailablePorts: readonly string[];
  /** nginx has its stream module: ports of TCP, UDP and TLSRoutes can be served. Given, or found out. */
  readonly stream: boolean;
  readonly auth: AuthOptions;
  readonly dataPlane: DataPlaneOptions;
}

/** Identifiers that carry a vendor's name. */
export interface Domains {
  /** Group of ALB2, Frontend, Rule. */
  readonly group: string;
  /** Own annotations: `alb.ingress.cpaas.io/...`. */
  readonly annotations: string;
  /** Annotations that behave as ingress-nginx's: `nginx.ingress.kubernetes.io/...`. */
  readonly compatAnnotations: string;
  /** Labels such as `alb2.<labels>/name` and `<labels>/project`. */
  readonly labels: string;
}

interface AuthOptions {
  /** Milliseconds for the whole auth request. */
  readonly timeout: number;
  /** Check the certificate of https auth services. */
  readonly tlsVerify: boolean;
}

export interface DataPlaneOptions {
  /** Proxies (CIDRs) whose X-Forwarded-* and X-Real-IP are believed. */
  readonly trustedProxies: readonly string[];
  /** Expect the PROXY protocol on every listener. */
  readonly proxyProtocol: boolean;
  /** `off`, `stdout`, or a file below the run folder. */
  readonly accessLog: string;
  /** Number of nginx workers; 0: one for each processor. */
  readonly workers: number;
  readonly ipv6: boolean;
  /** Largest request body in bytes where no annotation says otherwise; 0: no limit. */
  readonly bodyLimit: number;
  /** Requests at once of a connection of HTTP/2. */
  readonly http2Streams: number;
  /** Concurrent requests of a client address; 0: no limit. */
  readonly clientRequests: number;
  /** Seconds that connections in flight have after a reload before they are closed. */
  readonly drainTimeout: number;
}

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
  processors: 1,
  healthAddress: "",
  publishService: "",
  publishAddress: [],
  defaultCertificate: "",
  allowCrossNamespaceAuth: false,
  unsupportedRestrictions: "close",
  secretNamespaces: ["*"],
  clusterDomain: "cluster.local",
  unavailablePorts: [],
  stream: true,
  auth: { timeout: 5000, tlsVerify: true },
  dataPlane: {
    trustedProxies: [],
    proxyProtocol: false,
    accessLog: "logs/access.log",
    workers: 0,
    ipv6: true,
    bodyLimit: 0,
    http2Streams: 128,
    clientRequests: 2048,
    drainTimeout: 240,
  },
};
