import {
  DEFAULT_LOG_FIELDS,
  LOG_FIELDS,
  LOG_FORMATS,
  NGINX_LOG_LEVELS,
  TRACE_CLIENTS,
  TRACE_MODES,
} from "../model/options.js";

/** Headings of docs/options.md and of the help, in this order. */
export const SETTING_TASKS = [
  "What is served",
  "The cluster",
  "Ports and addresses",
  "Auth and access",
  "Limits and buffers",
  "Logs",
  "Health and metrics",
  "Tracing",
  "Processes",
  "Names of the platform",
] as const;

/**
 * All options that are not arguments of one command: a row defines the key in albc.yaml, the flag, the variable and the default.
 * docs/options.md is generated from this table.
 */
export interface SettingRow {
  readonly key: string;
  readonly task: (typeof SETTING_TASKS)[number];
  readonly kind:
    | "text"
    | "whole"
    | "percent"
    | "switch"
    | "list"
    | "ranges"
    | "addresses"
    | "servers"
    | "domain"
    | "reference"
    | "log"
    | "endpoint"
    | "statuses"
    | "bytes"
    | "duration";
  readonly default: string | number | boolean | readonly string[];
  readonly description: string;
  /** Name of the value in the help of the flag. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
}

export const SETTINGS = [
  {
    key: "albApiGroup",
    task: "Names of the platform",
    kind: "domain",
    default: "crd.alauda.io",
    placeholder: "GROUP",
    description: "API group of ALB2, Frontend and Rule",
  },
  {
    key: "albAnnotationDomain",
    task: "Names of the platform",
    kind: "domain",
    default: "alb.ingress.cpaas.io",
    placeholder: "DOMAIN",
    description: "domain of the load balancer's own annotations",
  },
  {
    key: "compatAnnotationDomain",
    task: "Names of the platform",
    kind: "domain",
    default: "nginx.ingress.kubernetes.io",
    placeholder: "DOMAIN",
    description: "domain of the annotations that work as in ingress-nginx",
  },
  {
    key: "labelDomain",
    task: "Names of the platform",
    kind: "domain",
    default: "cpaas.io",
    placeholder: "DOMAIN",
    description: "domain of the labels that link Frontends, Rules and projects to an ALB2",
  },
  {
    key: "alb",
    task: "What is served",
    kind: "reference",
    default: "",
    placeholder: "NAMESPACE/NAME",
    description: "serve only this ALB2; empty: all",
  },
  {
    key: "httpPort",
    task: "Ports and addresses",
    kind: "whole",
    default: 80,
    placeholder: "PORT",
    description: "HTTP port for Ingresses when there is no ALB2; 0: none",
  },
  {
    key: "httpsPort",
    task: "Ports and addresses",
    kind: "whole",
    default: 443,
    placeholder: "PORT",
    description: "HTTPS port for Ingresses when there is no ALB2; 0: none",
  },
  {
    key: "ingressClass",
    task: "What is served",
    kind: "text",
    default: "nginx",
    placeholder: "NAME",
    description: "Ingress class served when there is no ALB2",
  },
  {
    key: "ingressWithoutClass",
    task: "What is served",
    kind: "switch",
    default: false,
    description:
      "serve the cluster's Ingresses without a class when there is no ALB2; those from files are always served",
  },
  {
    key: "ingressPriorityNamespaces",
    task: "What is served",
    kind: "list",
    default: [],
    placeholder: "NAMESPACE,…",
    description:
      "namespaces whose Ingresses may come ahead of other namespaces' routes by ingress-rule-priority; others only reorder their own",
  },
  {
    key: "sharedHosts",
    task: "What is served",
    kind: "switch",
    default: false,
    description:
      "let narrower hosts, paths and Gateway listeners of one namespace win over older ones of another, as in ingress-nginx; by default a host belongs to the namespace with the oldest object that names it",
  },
  {
    key: "ingressController",
    task: "What is served",
    kind: "text",
    default: "k8s.io/ingress-nginx",
    placeholder: "NAME",
    description: "controller name of the IngressClasses to serve",
  },
  {
    key: "controllerName",
    task: "What is served",
    kind: "text",
    default: "alb.cpaas.io/gateway-controller",
    placeholder: "NAME",
    description: "controller name of the GatewayClasses to serve",
  },
  {
    key: "gatewayAddresses",
    task: "Ports and addresses",
    kind: "ranges",
    default: [],
    placeholder: "ADDRESS|CIDR,…",
    description:
      "addresses of the machine, of which each Gateway gets one of its own; empty: Gateways share all addresses",
  },
  {
    key: "listenerSockets",
    task: "Ports and addresses",
    kind: "whole",
    default: 8192,
    placeholder: "NUMBER",
    description:
      "sockets for the ports of Gateways, ALB2s and Frontends together, shared by namespaces: a port needs one for each address, a UDP port one for each address and worker",
  },
  {
    key: "publishService",
    task: "The cluster",
    kind: "reference",
    default: "",
    placeholder: "NAMESPACE/NAME",
    description:
      "Service whose addresses go into the statuses of Ingresses and Gateways; its namespace must be watched; empty: none",
  },
  {
    key: "publishAddress",
    task: "The cluster",
    kind: "addresses",
    default: [],
    placeholder: "ADDRESS|NAME,…",
    description:
      "addresses for the statuses of Ingresses and Gateways, instead of those of a Service",
  },
  {
    key: "defaultCertificate",
    task: "Ports and addresses",
    kind: "reference",
    default: "",
    placeholder: "NAMESPACE/NAME",
    description: "Secret with the certificate for server names that have none of their own",
  },
  {
    key: "followLinks",
    task: "What is served",
    kind: "switch",
    default: false,
    description: "follow links in a folder of -f to files outside it",
  },
  {
    key: "startWithErrors",
    task: "What is served",
    kind: "switch",
    default: false,
    description:
      "be ready even if files of -f can't be read; otherwise /readyz is 503 until they are repaired",
  },
  {
    key: "allowCrossNamespaceAuth",
    task: "Auth and access",
    kind: "switch",
    default: false,
    description:
      "let Ingresses and AuthPolicies name auth Secrets and ConfigMaps of other namespaces",
  },
  {
    key: "authAddresses",
    task: "Auth and access",
    kind: "ranges",
    default: [],
    placeholder: "ADDRESS|CIDR,…",
    description:
      "loopback and link-local addresses that auth URLs of Ingresses and AuthPolicies may name; with objects from files, loopback is always allowed",
  },
  {
    key: "unsupportedRestrictions",
    task: "Auth and access",
    kind: "text",
    default: "close",
    choices: ["close", "report"],
    description:
      "whether paths with a restriction that can't be enforced (firewall, snippets that may deny, unreadable source ranges) answer 503, or are served and reported as errors",
  },
  {
    key: "snippets",
    task: "What is served",
    kind: "text",
    default: "refuse",
    choices: ["refuse", "translate"],
    description:
      "whether directives of snippets (configuration-snippet, server-snippet, auth-snippet) that docs/annotations.md lists are done; with translate, whoever writes an Ingress can change every header of its own paths",
  },
  {
    key: "clusterDomain",
    task: "The cluster",
    kind: "domain",
    default: "cluster.local",
    placeholder: "DOMAIN",
    description: "domain of the cluster's Services, for auth URLs that name one",
  },
  {
    key: "authTimeout",
    task: "Auth and access",
    kind: "duration",
    default: "5s",
    placeholder: "TIME",
    description: "timeout of a whole auth request",
  },
  {
    key: "authTlsVerify",
    task: "Auth and access",
    kind: "switch",
    default: true,
    description: "verify the certificates of https auth services",
  },
  {
    key: "authCaFile",
    task: "Auth and access",
    kind: "text",
    default: "",
    placeholder: "FILE",
    description: "CAs (PEM) for https auth services; empty: the system's",
  },
  {
    key: "trustedProxies",
    task: "Ports and addresses",
    kind: "ranges",
    default: [],
    placeholder: "CIDR,…",
    description: "proxies in front whose X-Forwarded-* and X-Real-IP are trusted",
  },
  {
    key: "proxyProtocol",
    task: "Ports and addresses",
    kind: "switch",
    default: false,
    description: "expect the PROXY protocol on every listener",
  },
  {
    key: "accessLog",
    task: "Logs",
    kind: "log",
    default: "logs/access.log",
    placeholder: "off|stdout|logs/FILE",
    description: "access log: `off`, `stdout`, or a file in the folder `logs` of the run folder",
  },
  {
    key: "accessLogFormat",
    task: "Logs",
    kind: "text",
    default: "json",
    choices: LOG_FORMATS,
    description: "format of the access log, see docs/logging.md",
  },
  {
    key: "accessLogFields",
    task: "Logs",
    kind: "list",
    default: DEFAULT_LOG_FIELDS,
    placeholder: "FIELD,…",
    choices: LOG_FIELDS.map(({ name }) => name),
    description: "fields of the access log in JSON, in this order, see docs/logging.md",
  },
  {
    key: "tracing",
    task: "Tracing",
    kind: "text",
    default: "off",
    choices: TRACE_MODES,
    description:
      "trace context of requests: off, headers (accept or create traceparent), or spans (also export them by OTLP), see docs/tracing.md",
  },
  {
    key: "traceRate",
    task: "Tracing",
    kind: "percent",
    default: 1,
    placeholder: "PERCENT",
    description:
      "percentage of requests that are sampled, unless their route has a rate of its own",
  },
  {
    key: "traceClients",
    task: "Tracing",
    kind: "text",
    default: "continue",
    choices: TRACE_CLIENTS,
    description:
      "traces of clients: continue them and sample as traceRate says, trust them about sampling too, or ignore them",
  },
  {
    key: "traceAddress",
    task: "Tracing",
    kind: "endpoint",
    default: "127.0.0.1:10255",
    placeholder: "ADDRESS:PORT",
    description: "UDP address where albc takes nginx's reports of sampled requests",
  },
  {
    key: "nginxLogLevel",
    task: "Logs",
    kind: "text",
    default: "warn",
    choices: NGINX_LOG_LEVELS,
    description: "least severe message of nginx that is logged",
  },
  {
    key: "workers",
    task: "Processes",
    kind: "whole",
    default: 0,
    placeholder: "N",
    description: "nginx worker processes; 0: one for each processor",
  },
  {
    key: "ipv6",
    task: "Ports and addresses",
    kind: "switch",
    default: true,
    description: "listen on IPv6 addresses too",
  },
  {
    key: "stream",
    task: "Ports and addresses",
    kind: "switch",
    default: true,
    description:
      "serve TLS, TCP and UDP listeners, which need nginx's stream module (albc asks an nginx that it runs)",
  },
  {
    key: "nginxLocations",
    task: "Limits and buffers",
    kind: "whole",
    default: 256,
    placeholder: "NUMBER",
    description:
      "different sets of error statuses, sets of retry codes and body limits of Gateways, and as many of other objects, authorities of BackendTLSPolicies included, shared by namespaces: each costs memory in every server of nginx and a reload (docs/operations.md, Shares of namespaces)",
  },
  {
    key: "policySize",
    task: "Limits and buffers",
    kind: "bytes",
    default: "128m",
    placeholder: "SIZE",
    description:
      "bytes of policy.json for the routes and auth of all objects, shared by namespaces, at most 144m; 10,000 routes take about 8 MiB, and nginx needs four times the size (docs/operations.md, Shares of namespaces)",
  },
  {
    key: "bodyLimit",
    task: "Limits and buffers",
    kind: "bytes",
    default: "0",
    placeholder: "SIZE",
    description: "largest request body where no annotation says otherwise; 0: no limit",
  },
  {
    key: "errorPages",
    task: "What is served",
    kind: "text",
    default: "",
    placeholder: "FOLDER",
    description:
      "pages for errors of the whole gateway, such as 404.html, 404.json and 5xx.html, see docs/error-pages.md; read at the start",
  },
  {
    key: "errorPageService",
    task: "What is served",
    kind: "text",
    default: "",
    placeholder: "NAMESPACE/NAME:PORT",
    description: "Service that has the pages instead of a folder",
  },
  {
    key: "errorPageStatuses",
    task: "What is served",
    kind: "statuses",
    default: ["404", "502", "503", "504"],
    placeholder: "STATUS,…",
    description: "statuses of errors for which errorPageService has a page",
  },
  {
    key: "outageErrors",
    task: "Limits and buffers",
    kind: "whole",
    default: 0,
    placeholder: "N",
    description:
      "answers 502, 503 or 504, one after another, for which an endpoint is left out as if it could not be reached; 0: answers say nothing",
  },
  {
    key: "buffering",
    task: "Limits and buffers",
    kind: "switch",
    default: true,
    description:
      "buffer responses where neither request, route nor backend ask for a stream; `false`: stream all",
  },
  {
    key: "http2Streams",
    task: "Limits and buffers",
    kind: "whole",
    default: 128,
    placeholder: "N",
    description: "concurrent requests on one HTTP/2 connection, at least 1",
  },
  {
    key: "clientRequests",
    task: "Limits and buffers",
    kind: "whole",
    default: 2048,
    placeholder: "N",
    description:
      "concurrent requests from one client address, over all its connections; others get 429; also its connections that TCPRoutes, TLSRoutes and UDPRoutes pass on; 0: no limit",
  },
  {
    key: "drainTimeout",
    task: "Processes",
    kind: "duration",
    default: "240s",
    placeholder: "TIME",
    description: "time for requests in flight to finish after a reload or at the end",
  },
  {
    key: "resolver",
    task: "Auth and access",
    kind: "servers",
    default: [],
    placeholder: "ADDRESS,…",
    description: "name servers for auth services; empty: those of /etc/resolv.conf",
  },
  {
    key: "nginxUser",
    task: "Processes",
    kind: "text",
    default: "",
    placeholder: "USER",
    description: "user of nginx's workers when albc runs as root; empty: albc's own",
  },
  {
    key: "namespaces",
    task: "The cluster",
    kind: "list",
    default: [],
    placeholder: "NAMESPACE,…",
    description: "namespaces of the cluster to watch; empty: all",
  },
  {
    key: "secretNamespaces",
    task: "The cluster",
    kind: "list",
    default: [],
    placeholder: "NAMESPACE,…",
    description:
      "namespaces of the cluster whose Secrets are read, * for all; empty: the one that albc runs in",
  },
  {
    key: "selector",
    task: "The cluster",
    kind: "text",
    default: "",
    placeholder: "SELECTOR",
    description:
      "labels of the Ingresses, Gateways, ListenerSets, routes, ALB2s, Frontends and Rules to watch",
  },
  {
    key: "backendSelector",
    task: "The cluster",
    kind: "text",
    default: "",
    placeholder: "SELECTOR",
    description:
      "labels of the Services and EndpointSlices to watch; Kubernetes copies a Service's labels to its EndpointSlices",
  },
  {
    key: "healthAddress",
    task: "Health and metrics",
    kind: "endpoint",
    default: "",
    placeholder: "ADDRESS:PORT",
    description:
      "where albc run answers /healthz, /readyz and /metrics, such as 0.0.0.0:10254; empty: nowhere",
  },
  {
    key: "healthHosts",
    task: "Health and metrics",
    kind: "addresses",
    default: [],
    placeholder: "NAME,…",
    description:
      "further names by which /metrics and /status may be asked; IP addresses, names without a dot and those of the cluster's Services are known",
  },
  {
    key: "statusPage",
    task: "Health and metrics",
    kind: "switch",
    default: false,
    description:
      "answer /status at the health address, too: a page with hosts and errors of all namespaces (docs/operations.md, Status page)",
  },
  {
    key: "routeMetrics",
    task: "Health and metrics",
    kind: "whole",
    default: 10_000,
    placeholder: "NUMBER",
    description:
      "routes and auth policies with metrics of their own, in order of their first request; all others are counted together; 0: none is counted",
  },
  {
    key: "ingressNginxMetrics",
    task: "Health and metrics",
    kind: "switch",
    default: false,
    description:
      "answer metrics under the names of ingress-nginx, too (docs/metrics.md lists them)",
  },
  {
    key: "shutdownDelay",
    task: "Processes",
    kind: "duration",
    default: "0s",
    placeholder: "TIME",
    description:
      "time between SIGTERM, when /readyz turns to 503, and the end of listening, so that clients notice first",
  },
  {
    key: "logLevel",
    task: "Logs",
    kind: "text",
    default: "info",
    choices: ["debug", "info", "warn", "error"],
    description: "least severe log line that is written",
  },
] as const satisfies readonly SettingRow[];

export type SettingName = (typeof SETTINGS)[number]["key"];

/** `trustedProxies` as `--trusted-proxies`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `trustedProxies` as `ALBC_TRUSTED_PROXIES`. */
export function variableOf(key: string): string {
  return `ALBC_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
