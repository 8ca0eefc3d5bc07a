/**
 * The same law as incremental.test.ts for Ingresses and Rules, which depend on each other by the hosts that they share: who owns a host,
 * who asks for TLS, regular expressions or priorities there, and which paths hide others. All objects are made from few names.
 */
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { type KeyPair, selfSigned } from "../../e2e/harness/certificates.js";
import { Compiler } from "../../src/compile.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ChangingCluster, type Manifest, plain } from "../support/changing-cluster.js";

const { group, labels: LABELS } = DEFAULT_OPTIONS.domains;
const NAMESPACES = ["a", "b", "alb"] as const;
const HOSTS = ["x.example", "y.example", "*.example", "x.test", "*.test", ""] as const;
const NGINX = "nginx.ingress.kubernetes.io";

let pairs: readonly KeyPair[];

beforeAll(async () => {
  pairs = await Promise.all([
    selfSigned("*.example", "x.test"),
    selfSigned("x.example", "*.test"),
    selfSigned("z.test"),
  ]);
});

const host = fc.constantFrom(...HOSTS);
const namespace = fc.constantFrom(...NAMESPACES);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const created = maybe(fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"));
const service = fc.constantFrom("web", "api");
const secret = fc.constantFrom("tls", "users", "missing");
const path = fc.constantFrom("/", "/a", "/a/b", "/a(.*)", "/b");

/** Each of them makes another Ingress of one, and some make others of its neighbours. */
const annotations = fc.record(
  {
    [`${NGINX}/use-regex`]: fc.constantFrom("true", "false", "maybe"),
    [`${NGINX}/rewrite-target`]: fc.constantFrom("/$1", "/"),
    [`${NGINX}/server-alias`]: fc.constantFrom("x.test", "y.example,x.test", "*.test"),
    [`${NGINX}/server-snippet`]: fc.constantFrom("deny all;", ""),
    [`${NGINX}/canary`]: fc.constantFrom("true", "false"),
    [`${NGINX}/ssl-redirect`]: fc.constantFrom("true", "false"),
    [`${NGINX}/app-root`]: fc.constantFrom("/home", "no path"),
    [`${NGINX}/auth-type`]: fc.constant("basic"),
    [`${NGINX}/auth-secret`]: fc.constantFrom("users", "b/users", "missing"),
    [`${NGINX}/auth-url`]: fc.constantFrom(
      "http://web.a.svc.cluster.local/check",
      "https://auth.example/check",
    ),
    [`${NGINX}/auth-proxy-set-headers`]: fc.constantFrom("a/headers", "b/headers"),
    [`${NGINX}/auth-tls-secrets`]: fc.constant("a/ca"),
    [`${NGINX}/whitelist-source-range`]: fc.constantFrom("10.0.0.0/8", "all"),
    [`${NGINX}/backend-protocol`]: fc.constantFrom("HTTPS", "GRPC"),
    [`index.0-0.${DEFAULT_OPTIONS.domains.annotations}/auth-enable`]: fc.constantFrom("false"),
    [`alb.${LABELS}/ingress-rule-priority-0-0`]: fc.constantFrom("1", "3", "9"),
    [`alb.${LABELS}/ingress-rule-priority-0-1`]: fc.constantFrom("2", "no"),
    [`alb.networking.${LABELS}/enable-https`]: fc.constantFrom("true", "false"),
    [`alb.networking.${LABELS}/tls`]: fc.constantFrom("x.example=b/tls", "x.test=a/tls"),
  },
  { requiredKeys: [] },
);

/** Half of the Ingresses have no annotation, and most others few. */
const fewAnnotations = fc
  .tuple(annotations, fc.array(fc.nat(18), { maxLength: 3 }))
  .map(([all, kept]) => {
    const entries = Object.entries(all);
    return Object.fromEntries(entries.filter((_, i) => kept.includes(i)));
  });

const backend = service.map((name) => ({ service: { name, port: { number: 80 } } }));
const ingress = fc
  .record({
    namespace,
    name: fc.constantFrom("i1", "i2", "i3"),
    creationTimestamp: created,
    annotations: fewAnnotations,
    ingressClassName: fc.constantFrom(undefined, undefined, "nginx", "main", "other"),
    defaultBackend: maybe(backend),
    tls: fc.array(fc.record({ hosts: fc.array(host, { maxLength: 2 }), secretName: secret }), {
      maxLength: 2,
    }),
    rules: fc.array(
      fc.record({
        host,
        paths: fc.array(
          fc.record({
            path,
            pathType: fc.constantFrom("Prefix", "Exact", "ImplementationSpecific"),
            backend,
          }),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ namespace, name, creationTimestamp, annotations, rules, tls, ...spec }): Manifest => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { ...given({ creationTimestamp }), namespace, name, ...{ annotations } },
    ...{
      spec: {
        ...given(spec),
        tls: tls.map(({ hosts, ...rest }) => ({ hosts: hosts.filter((each) => each), ...rest })),
        rules: rules.map(({ host, paths }) => ({ ...(host && { host }), http: { paths } })),
      },
    },
  }));

const auth = fc.constantFrom(
  { basic: { secret: "a/users", secretType: "auth-file", realm: "r" } },
  { forward: { url: "http://web.a.svc.cluster.local/check" } },
  {},
);
const rule = fc
  .record({
    name: fc.constantFrom("r1", "r2", "r3"),
    creationTimestamp: created,
    alb: fc.constantFrom("main", "main", "main", "mian", "other"),
    frontend: fc.constantFrom("main-00080", "main-00080", "main-00443", "main-00081"),
    priority: maybe(fc.constantFrom(1, 5, 7)),
    hosts: fc.array(host, { maxLength: 2 }),
    path: maybe(path),
    auth: maybe(auth),
    certificate_name: maybe(fc.constantFrom("a/tls", "b/tls")),
    service,
  })
  .map(({ name, creationTimestamp, alb, frontend, hosts, path, auth, service, ...spec }) => ({
    apiVersion: `${group}/v1`,
    kind: "Rule" as const,
    metadata: {
      ...given({ creationTimestamp }),
      ...{ name, namespace: "alb" },
      labels: { [`alb2.${LABELS}/name`]: alb, [`alb2.${LABELS}/frontend`]: frontend },
    },
    spec: {
      ...given(spec),
      ...(auth && { config: { auth } }),
      dslx: [
        ...(hosts.length > 0 ? [{ type: "HOST", values: hosts.map((each) => ["EQ", each]) }] : []),
        ...(path === undefined ? [] : [{ type: "URL", values: [["STARTS_WITH", path]] }]),
      ],
      serviceGroup: { services: [{ name: service, namespace: "a", port: 80, weight: 100 }] },
    },
  }));

const alb2 = fc
  .record({
    name: fc.constantFrom("main", "main", "other"),
    projects: fc.constantFrom(["ALL_ALL"], ["p1"], []),
    defaultSSLStrategy: maybe(fc.constantFrom("Always", "Never", "Request", "Both")),
    ingressHTTPSPort: maybe(fc.constantFrom(0, 443, 80)),
    auth: maybe(auth),
  })
  .map(({ name, ...config }) => ({
    apiVersion: `${group}/v2beta1`,
    kind: "ALB2" as const,
    metadata: { name, namespace: "alb" },
    spec: { config: given(config) },
  }));

const frontend = fc
  .record({
    port: fc.constantFrom("00080", "00443", "00081"),
    alb: fc.constantFrom("main", "main", "main", "other", "mian"),
    protocol: fc.constantFrom("http", "http", "https", "grpc", "tcp", "udp"),
    backendProtocol: maybe(fc.constantFrom("https", "no")),
    certificate_name: maybe(fc.constant("a/tls")),
    config: fc.record(
      {
        auth,
        timeout: fc.constant({ proxy_read_timeout_ms: 7000 }),
        modsecurity: fc.constant({ enable: true }),
        redirect: fc.constantFrom({ scheme: "https" }, { url: "/elsewhere", code: 302 }),
      },
      { requiredKeys: [] },
    ),
    service: maybe(service),
  })
  .map(({ port, alb, service: name, ...spec }) => ({
    apiVersion: `${group}/v1`,
    kind: "Frontend" as const,
    metadata: {
      ...{ name: `main-${port}`, namespace: "alb" },
      labels: { [`alb2.${LABELS}/name`]: alb },
    },
    spec: {
      port: Number(port),
      ...given(spec),
      ...(name && {
        serviceGroup: { services: [{ name, namespace: "a", port: 80, weight: 100 }] },
      }),
    },
  }));

const ingressClass = fc
  .constantFrom(DEFAULT_OPTIONS.ingressController, "example.com/others")
  .map((controller) => ({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "IngressClass" as const },
    metadata: { name: "other" },
    spec: { controller },
  }));

const tlsSecret = fc.record({ namespace, pair: fc.nat(3) }).map(({ namespace, pair: at }) => {
  const pair = pairs[at];
  const data =
    pair === undefined
      ? { "tls.crt": "bm8=", "tls.key": "bm8=" }
      : { "tls.crt": encoded(pair.certificate), "tls.key": encoded(pair.key) };
  const type = "kubernetes.io/tls";
  return { ...core("Secret", namespace, "tls"), type, data };
});

const userSecret = fc
  .record({ namespace, text: fc.constantFrom("joe:$apr1$a$0123456789012345678901", "joe:no", "") })
  .map(({ namespace, text }) => ({
    ...core("Secret", namespace, "users"),
    ...{ type: "Opaque", data: { auth: encoded(text) } },
  }));

const configMap = fc
  .record({ namespace, value: fc.constantFrom("1", "2") })
  .map(({ namespace, value }) => ({
    ...core("ConfigMap", namespace, "headers"),
    data: { "X-One": value },
  }));

const serviceObject = fc
  .record({ namespace, name: service, port: fc.constantFrom(80, 80, 81) })
  .map(({ namespace, name, port }) => ({
    ...core("Service", namespace, name),
    spec: { ports: [{ name: "http", port }] },
  }));

const namespaceObject = fc
  .record({ name: namespace, project: fc.constantFrom("p1", "p2", undefined) })
  .map(({ name, project }) => ({
    ...{ apiVersion: "v1", kind: "Namespace" as const },
    metadata: { name, labels: project === undefined ? {} : { [`${LABELS}/project`]: project } },
  }));

const grant = fc.record({ namespace, from: namespace }).map(({ namespace, from }) => ({
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "ReferenceGrant" as const },
  metadata: { name: "grant", namespace },
  spec: {
    from: [{ group: "networking.k8s.io", kind: "Ingress", namespace: from }],
    to: [
      { group: "", kind: "Secret" },
      { group: "", kind: "ConfigMap" },
    ],
  },
}));

const listener = fc.record({
  port: fc.constantFrom(80, 443, 81),
  hostname: maybe(fc.constantFrom("x.example", "*.example")),
});
const gateway = fc.record({ creationTimestamp: created, listener }).map((parts) => ({
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway" as const },
  metadata: { ...given({ creationTimestamp: parts.creationTimestamp }), name: "g", namespace: "a" },
  spec: {
    gatewayClassName: "albc",
    listeners: [{ name: "l", protocol: "HTTP", ...given(parts.listener) }],
  },
}));

const GATEWAY_CLASS: Manifest = {
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "GatewayClass" },
  metadata: { name: "albc" },
  ...{ spec: { controllerName: DEFAULT_OPTIONS.controllerName } },
};

function core<K extends "Secret" | "ConfigMap" | "Service">(
  kind: K,
  namespace: string,
  name: string,
): { readonly apiVersion: string; readonly kind: K; readonly metadata: Manifest["metadata"] } {
  return { apiVersion: "v1", kind, metadata: { namespace, name } };
}

function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

const others = fc.oneof(
  ...[tlsSecret, userSecret, configMap, serviceObject, namespaceObject, grant, ingressClass],
);
const entry = fc.oneof({ weight: 3, arbitrary: ingress }, { weight: 1, arbitrary: rule });
const albs = fc.oneof(alb2, frontend);
/** Without ALB2s the options say what is served; with them, the projects of namespaces. */
const start = fc.oneof(
  fc.array(fc.oneof(ingress, others, gateway), { maxLength: 14 }),
  fc
    .tuple(
      fc.array(albs, { minLength: 2, maxLength: 4 }),
      fc.array(fc.oneof(entry, others), { maxLength: 14 }),
    )
    .map((lists) => lists.flat()),
);
const any = fc.oneof(
  { weight: 6, arbitrary: entry },
  { weight: 4, arbitrary: others },
  { weight: 4, arbitrary: albs },
  { weight: 1, arbitrary: gateway },
);
const step = fc.record({
  /** Of the objects that are there; otherwise another one is put. */
  at: fc.nat(),
  what: fc.constantFrom("put", "put", "put", "delete", "status"),
  put: any,
});

const OPTIONS: readonly CompileOptions[] = [
  DEFAULT_OPTIONS,
  { ...DEFAULT_OPTIONS, ingressPriorityNamespaces: ["a"], publishAddress: ["192.0.2.1"] },
  { ...DEFAULT_OPTIONS, sharedHosts: true },
  { ...DEFAULT_OPTIONS, unsupportedRestrictions: "report", allowCrossNamespaceAuth: true },
];

function change(cluster: ChangingCluster, at: number, what: "delete" | "status"): void {
  const all = [...cluster.objects.values()];
  const object = all[at % all.length]?.at(-1);
  if (object === undefined) return;
  if (what === "status") {
    const metadata = { ...object.metadata, resourceVersion: String(at) };
    const status = { loadBalancer: { ingress: [{ ip: `192.0.2.${String(at % 3)}` }] } };
    cluster.put({ ...object, metadata, ...{ status } });
  } else {
    cluster.delete(object);
  }
}

test(
  "Ingresses and Rules that share hosts compile as from scratch after every change",
  () => {
    let recalled = 0;
    fc.assert(
      fc.property(
        start,
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.constantFrom(...OPTIONS),
        (objects, steps, options) => {
          const cluster = new ChangingCluster();
          const compiler = new Compiler();
          for (const object of [GATEWAY_CLASS, ...objects]) cluster.put(object);
          let before = compiler.compile(cluster.live.snapshot().resources, options);
          for (const { at, what, put } of steps) {
            if (what === "put") cluster.put(put);
            else change(cluster, at, what);
            const now = compiler.compile(cluster.live.snapshot().resources, options);
            expect(plain(now)).toEqual(plain(cluster.fresh(options)));
            const { routes } = now.config;
            recalled += Number(routes.some((route) => before.config.routes.includes(route)));
            before = now;
          }
        },
      ),
      runs(20),
    );
    // It would be no test of a memory that is never used.
    expect(recalled).toBeGreaterThan(10);
  },
  timeoutOf(60_000),
);
