/** The load balancer's own kinds: ALB2 (v2, v2beta1), Frontend and Rule (v1). */
import { AUTH_SCHEMA } from "./auth.js";
import {
  type JsonSchema,
  type SchemaOf,
  type Static,
  anyObject,
  boolean,
  booleanOrText,
  integer,
  list,
  object,
  objectSchema,
  oneOf,
  port,
  string,
} from "./schemas/schema.js";
import type { KubernetesObject } from "./wire.js";

export const DSLX_TYPES = ["HOST", "URL", "SRC_IP", "METHOD", "HEADER", "PARAM", "COOKIE"] as const;
export const DSLX_OPERATORS = [
  "EQ",
  "IN",
  "STARTS_WITH",
  "ENDS_WITH",
  "REGEX",
  "RANGE",
  "EXIST",
] as const;

const milliseconds = (description: string): SchemaOf<number> =>
  integer({ minimum: 0, description });

const TIMEOUT_SCHEMA = object(
  {
    proxy_connect_timeout_ms: milliseconds("For the connection to a backend, in milliseconds."),
    proxy_send_timeout_ms: milliseconds("Between two writes to a backend, in milliseconds."),
    proxy_read_timeout_ms: milliseconds("Between two reads from a backend, in milliseconds."),
  },
  { description: "Timeouts towards the backend." },
);

const REDIRECT_SCHEMA = object(
  {
    code: integer({ description: "HTTP status code; 302 by default." }),
    url: string({
      description: "Whole target; without it the target is put together from the rest.",
    }),
    scheme: string({ description: "Scheme of the target; the request's by default." }),
    host: string({ description: "Host of the target; the request's by default." }),
    port: port({ description: "Port of the target." }),
    prefix_match: string({ description: "Prefix of the request's path that is replaced." }),
    replace_prefix: string({ description: "What replaces it." }),
  },
  { description: "Answers with a redirect instead of forwarding." },
);

const EXTENSION_SCHEMAS = {
  auth: AUTH_SCHEMA,
  timeout: TIMEOUT_SCHEMA,
  redirect: REDIRECT_SCHEMA,
  otel: anyObject({ description: "Tracing; kept, without effect." }),
  modsecurity: anyObject({ description: "Web application firewall; kept, without effect." }),
} as const satisfies Readonly<Record<string, JsonSchema>>;

const SERVICE_GROUP_SCHEMA = object(
  {
    session_affinity_policy: string({
      description: "Keeps a client on one backend: empty, `sip-hash`, `cookie` or `header`.",
    }),
    session_affinity_attribute: string({ description: "Name of that cookie or header." }),
    services: list(
      object(
        {
          name: string(),
          namespace: string({ description: "The object's own by default." }),
          port: port({ description: "Port of the Service, not of its pods." }),
          weight: integer({
            minimum: 0,
            description: "Share of the traffic among the group's Services; 0 means none.",
          }),
        },
        { required: ["name", "port"] },
      ),
      { description: "The Services, by name." },
    ),
  },
  { description: "Services that the traffic goes to." },
);

const SOURCE_SCHEMA = object(
  { name: string(), namespace: string(), type: string() },
  { description: "Object that this one was made from." },
);

const CERTIFICATE_SCHEMA = string({
  description: "TLS secret, as `<namespace>/<name>` or `<namespace>_<name>`.",
});

const FRONTEND_CONFIG = object({
  ...EXTENSION_SCHEMAS,
  keepalive: anyObject({ description: "Kept, without effect." }),
});

const ingressPort = (description: string): SchemaOf<number> =>
  integer({ minimum: 0, maximum: 65535, description });

const WITHOUT_EFFECT = { description: "Without effect on the data plane." };

/** Settings of the origin that only concern how it is deployed and runs, or that have no counterpart here. */
const ORIGIN_SETTINGS = {
  networkMode: string({ description: "`host` or `container`; without effect on the data plane." }),
  replicas: integer({ description: "Number of pods; without effect on the data plane." }),
  vip: anyObject({ description: "Load balancer Service; without effect on the data plane." }),
  enablePortProject: booleanOrText(WITHOUT_EFFECT),
  portProjects: string(WITHOUT_EFFECT),
  enableALb: booleanOrText(WITHOUT_EFFECT),
  enableAlb: booleanOrText(WITHOUT_EFFECT),
  defaultIngressClass: booleanOrText(WITHOUT_EFFECT),
  ingressController: string(WITHOUT_EFFECT),
  metricsPort: integer(WITHOUT_EFFECT),
  enablePrometheus: booleanOrText(WITHOUT_EFFECT),
  enablePortprobe: booleanOrText(WITHOUT_EFFECT),
  enableIPV6: booleanOrText(WITHOUT_EFFECT),
  enableHTTP2: booleanOrText(WITHOUT_EFFECT),
  enableGzip: booleanOrText(WITHOUT_EFFECT),
  enableCrossClusters: booleanOrText(WITHOUT_EFFECT),
  backlog: integer(WITHOUT_EFFECT),
  workerLimit: integer(WITHOUT_EFFECT),
  resyncPeriod: integer(WITHOUT_EFFECT),
  syncPolicyInterval: integer(WITHOUT_EFFECT),
  cleanMetricsInterval: integer(WITHOUT_EFFECT),
  interval: integer(WITHOUT_EFFECT),
  reloadtimeout: integer(WITHOUT_EFFECT),
  maxTermSeconds: integer(WITHOUT_EFFECT),
  policyZip: booleanOrText(WITHOUT_EFFECT),
  gateway: anyObject(WITHOUT_EFFECT),
  bindNIC: string(WITHOUT_EFFECT),
  resources: anyObject(WITHOUT_EFFECT),
  overwrite: anyObject(WITHOUT_EFFECT),
  nodeSelector: anyObject(WITHOUT_EFFECT),
  antiAffinityKey: string(WITHOUT_EFFECT),
  readonlyFS: booleanOrText(WITHOUT_EFFECT),
  loadbalancerType: string(WITHOUT_EFFECT),
  enableGoMonitor: booleanOrText(WITHOUT_EFFECT),
  enableProfile: booleanOrText(WITHOUT_EFFECT),
  goMonitorPort: integer(WITHOUT_EFFECT),
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const ORIGIN_FIELDS = Object.keys(ORIGIN_SETTINGS);

const ALB2_CONFIG = object(
  {
    ...EXTENSION_SCHEMAS,
    ...ORIGIN_SETTINGS,
    loadbalancerName: string({ description: "Always taken from metadata.name." }),
    projects: list(string(), {
      description:
        "Projects whose Ingresses are served, by the project label of their namespace; `ALL_ALL` means all.",
    }),
    enableIngress: booleanOrText({ description: "Serve Ingresses; true by default." }),
    ingressHTTPPort: ingressPort("HTTP port of Ingresses, 80 by default; 0 switches it off."),
    ingressHTTPSPort: ingressPort("HTTPS port of Ingresses, 443 by default; 0 switches it off."),
    ingressSSLRedirect: boolean({ description: "Redirect the whole HTTP port to HTTPS." }),
    defaultSSLCert: string({
      description: "TLS secret for names without one of their own, as `<namespace>/<name>`.",
    }),
    defaultSSLStrategy: string({
      description: "When that certificate is used: Always, Never, Request or Both.",
    }),
  },
  { description: "Settings." },
);

const ALB2_SPEC = object(
  {
    address: string({ description: "Addresses of the instance, separated by commas." }),
    type: oneOf(["nginx"], { description: "Proxy engine." }),
    config: ALB2_CONFIG,
  },
  { description: "A load balancer instance." },
);

export const ALB2_SCHEMA = objectSchema({ spec: ALB2_SPEC });

const FRONTEND_SPEC = object(
  {
    port: port({ description: "Port that is listened on." }),
    protocol: string({ description: "`http`, `https`, `grpc`, `tcp` or `udp`." }),
    serviceGroup: SERVICE_GROUP_SCHEMA,
    source: SOURCE_SCHEMA,
    certificate_name: CERTIFICATE_SCHEMA,
    backendProtocol: string({ description: "`http`, `https` or `grpc`." }),
    config: FRONTEND_CONFIG,
  },
  {
    required: ["port"],
    description: "A port of the load balancer named by the object's label.",
  },
);

export const FRONTEND_SCHEMA = objectSchema({ spec: FRONTEND_SPEC }, ["spec"]);

/** Limits, because API servers refuse CEL rules whose cost is unbounded. */
const MOST_TERMS = 64;
const MOST_ROWS = 4096;

const DSLX_TERM = object(
  {
    type: string({
      description: "What is compared.",
      admission: { enum: DSLX_TYPES },
    }),
    key: string({ description: "Name of the header, parameter or cookie." }),
    values: list(list(string()), {
      description: `Rows \`[operator, argument…]\`, of which one has to hold; operators are ${DSLX_OPERATORS.join(", ")}.`,
      admission: { maxItems: MOST_ROWS },
      "x-kubernetes-validations": [
        {
          rule: `self.all(row, size(row) > 0 && row[0] in ${JSON.stringify(DSLX_OPERATORS)})`,
          message: "each row begins with an operator",
        },
      ],
    }),
  },
  { required: ["type", "values"] },
);

const DSLX = list(DSLX_TERM, {
  description: "Terms that all have to hold for the rule to match.",
  admission: { maxItems: MOST_TERMS },
});

const RULE_SPEC = object(
  {
    dslx: DSLX,
    dsl: string({ description: "Printable form of dslx; not read." }),
    domain: string({ description: "Host name that certificate_name is for." }),
    url: string({ description: "Path that rewrite_target replaces if rewrite_base is empty." }),
    priority: integer({ description: "Smaller numbers are tried first." }),
    serviceGroup: SERVICE_GROUP_SCHEMA,
    certificate_name: CERTIFICATE_SCHEMA,
    rewrite_base: string({ description: "Regular expression on the path." }),
    rewrite_target: string({ description: "What replaces its first match." }),
    redirectURL: string({ description: "Deprecated: config.redirect.url." }),
    redirectCode: integer({ description: "Deprecated: config.redirect.code." }),
    enableCORS: boolean({ description: "Answer cross-origin preflight requests." }),
    corsAllowHeaders: string({ description: "Headers that may be sent, separated by commas." }),
    corsAllowOrigin: string({ description: "Origins that may ask, separated by commas." }),
    vhost: string({ description: "Host header of requests to the backend." }),
    backendProtocol: string({ description: "`http`, `https` or `grpc`." }),
    description: string(),
    type: string({ description: "Deprecated, not read." }),
    source: SOURCE_SCHEMA,
    config: object(EXTENSION_SCHEMAS),
  },
  { description: "A rule of the Frontend named by the object's label." },
);

export const RULE_SCHEMA = objectSchema({ spec: RULE_SPEC }, ["spec"]);

export interface Alb2 extends KubernetesObject {
  readonly spec?: Static<typeof ALB2_SPEC>;
}

export interface Frontend extends KubernetesObject {
  readonly spec: Static<typeof FRONTEND_SPEC>;
}

export interface Rule extends KubernetesObject {
  readonly spec: Static<typeof RULE_SPEC>;
}

export type Alb2Config = Static<typeof ALB2_CONFIG>;
/** `config` of Frontends, and of Rules, which lack `keepalive`. */
export type RoutingConfig = Static<typeof FRONTEND_CONFIG>;
export type TimeoutSpec = Static<typeof TIMEOUT_SCHEMA>;
export type RedirectSpec = Static<typeof REDIRECT_SCHEMA>;
export type ServiceGroup = Static<typeof SERVICE_GROUP_SCHEMA>;
export type DslxTerm = Static<typeof DSLX_TERM>;
