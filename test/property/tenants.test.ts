/**
 * Whatever a tenant adds, of every kind that tenants write and with every field: as long as it is younger, requests and connections that
 * other namespaces' objects, or the operator's, served or refused have the same outcome, and their statuses say the same.
 */
import { selfSigned } from "../../e2e/harness/certificates.js";
import { type ExplainRequest, parseRequest } from "../../src/explain/request.js";
import type { CompileOptions } from "../../src/model/options.js";
import type { PolicyServer } from "../../src/model/policy.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { repeatedNames } from "../support/repeated-names.js";
import { claimedBy } from "../support/tenants/claimed.js";
import type { Manifest } from "../support/tenants/manifest.js";
import { foundation } from "../support/tenants/operator.js";
import { type World, outcomeOf, streamsOf, worldOf } from "../support/tenants/outcomes.js";
import { isNameTaken, isTaken } from "../support/tenants/taken.js";
import { missingValues, TENANT_KINDS, tenantObjects } from "../support/tenants/tenant-objects.js";
import { OPERATORS, read, victims } from "../support/tenants/victims.js";

/** Of so many requests one is asked for in each run: they cost as much as compiling. */
const SAMPLE = 4;
const NAMES = ["*.shared.example", "*.gw.example", "*.tls.example", "set.example"];
const [pair, other] = await Promise.all([selfSigned(...NAMES), selfSigned(...NAMES)]);
const VICTIMS = victims(pair);

const certified = foundation("tenant", await selfSigned("x.w.example", "*.w.example")).find(
  ({ metadata }) => metadata.name === "tls",
);
if (certified === undefined) throw new Error("there is no certificate");

/** Its listeners follow. */
const YOUNG_GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  gatewayClassName: albc
`;

/** What random objects found once, and what is like it. */
const FOUND = {
  "a young ListenerSet of an old Gateway takes no port of another Gateway": read(`
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: { name: more, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  parentRef: { name: common, namespace: ops }
  listeners: [{ name: web, port: 8443, protocol: HTTP }, { name: db, port: 53, protocol: UDP }]
`),
  "a young Ingress takes no port": read(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: taking, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  tls: [{ hosts: [a.shared.example], secretName: tls }]
  defaultBackend: { service: { name: web, port: { number: 80 } } }
  rules:
    - host: a.shared.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`),
  "a certificate of a young Ingress that is refused is for no host of another Ingress": read(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: open, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  tls: [{ hosts: [a.shared.example], secretName: tls }]
  rules:
    - host: "*.shared.example"
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { name: web, number: 80 } } } }] }
`),
  "a young TLS listener takes no name of a route on a common one": read(`
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: common, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  gatewayClassName: albc
  listeners: [{ name: tls, port: 9444, hostname: "*.tls.example", protocol: TLS, tls: { mode: Passthrough } }]
`),
  "a young route has a common Gateway use a backend of another namespace": read(`
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: lent, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  useDefaultGateways: All
  hostnames: [secure.example]
  rules: [{ backendRefs: [{ name: secure, namespace: victim, port: 443 }] }]
`),
  "a young listener takes no name below an Ingress's wildcard": read(`
${YOUNG_GATEWAY}  listeners: [{ name: web, port: 443, hostname: x.w.example, protocol: HTTPS, tls: { certificateRefs: [{ name: tls }] } }]
`),
  "a young listener takes no Ingress's wildcard": read(`
${YOUNG_GATEWAY}  listeners:
    - { name: plain, port: 80, hostname: "*.w.example", protocol: HTTP }
    - { name: web, port: 443, hostname: "*.w.example", protocol: HTTPS, tls: { certificateRefs: [{ name: tls }] } }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: r, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  parentRefs: [{ name: edge }]
  rules: [{ filters: [{ type: RequestRedirect, requestRedirect: { hostname: evil.example } }] }]
`),
  "a young listener takes no host of a route on a default Gateway": read(`
${YOUNG_GATEWAY}  listeners: [{ name: web, port: 8081, hostname: default.example, protocol: HTTP }]
`),
  "an old ListenerSet of a young Gateway takes no host of an Ingress": read(`
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: { name: more, namespace: tenant, creationTimestamp: "2023-01-01T00:00:00Z" }
spec:
  parentRef: { name: edge }
  listeners: [{ name: web, port: 80, hostname: "*.shared.example", protocol: HTTP }]
---
${YOUNG_GATEWAY}  listeners: [{ name: web, port: 8090, protocol: HTTP }]
  allowedListeners: { namespaces: { from: Same } }
`),
  "a certificate of a young listener is for no host that an Ingress keeps": [
    { ...certified, metadata: { name: "two", namespace: "tenant" } },
    ...read(`
${YOUNG_GATEWAY}  listeners: [{ name: web, port: 443, hostname: "*.example", protocol: HTTPS, tls: { certificateRefs: [{ name: tls }, { name: two }] } }]
`),
  ],
  "a closed Ingress has the place that only an option's priority gives another": read(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: open
  namespace: tenant
  creationTimestamp: "2024-01-02T00:00:00Z"
  annotations: { alb.cpaas.io/ingress-rule-priority-0-0: "-1" }
spec:
  rules:
    - host: a.shared.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: closed, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  rules:
    - host: a.shared.example
      http: { paths: [{ pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`),
  ...Object.fromEntries(
    ["*.w.example", "*.example"].map((hostname) => [
      `no handshake for a host of an Ingress leads to a young TLS listener of ${hostname}`,
      read(`
${YOUNG_GATEWAY}  listeners: [{ name: web, port: 443, hostname: "${hostname}", protocol: TLS, tls: { mode: Passthrough } }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TLSRoute
metadata: { name: taking, namespace: tenant, creationTimestamp: "2024-01-02T00:00:00Z" }
spec:
  parentRefs: [{ name: edge }]
  hostnames: ["*.w.example", x.w.example, a.shared.example]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`),
    ]),
  ),
};

test("every kind that a tenant may write has a victim, every text field a value", () => {
  const kinds = new Set(VICTIMS.map(({ kind }) => kind));
  expect(TENANT_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
  expect(TENANT_KINDS.flatMap((kind) => missingValues(kind, VICTIMS))).toEqual([]);
});

interface Operator {
  readonly operators: readonly Manifest[];
  readonly options: CompileOptions;
  /** Kind that the victim has none of. */
  readonly without?: string;
}

describe.each(Object.entries<Operator>(OPERATORS))("with %s", (_name, operator) => {
  const { operators, options, without } = operator;
  const classed = options.ingressWithoutClass ? VICTIMS : VICTIMS.map(withClass);
  const own = classed.filter(({ kind }) => kind !== without);
  const given = settled([...operators, ...own, ...foundation("tenant", other)], options);
  const { hosts, paths } = claimedBy([...operators, ...VICTIMS]);
  const names = hosts.flatMap((host) => [host.replace("*", "x"), `x.${host.replace("*.", "")}`]);
  const before = worldOf(given, options);
  const asked = requestsTo(before, names, [...paths, ...paths.map((path) => `${path}/x`)]);
  const outcomes = asked
    .map((request) => ({ request, was: outcomeOf(before, request) }))
    .filter(({ was }) => was.chosen !== undefined);
  const streams = streamsOf(before, names);

  test("there is something to take", () => {
    const kinds = new Set(outcomes.map(({ was: { source } }) => source[0]));
    const expected = ["Ingress", "HTTPRoute", "GRPCRoute"].filter((kind) => kind !== without);
    expect([...kinds]).toEqual(expect.arrayContaining(expected));
    const leading = [...streams].filter(([, to]) => to !== undefined);
    expect(new Set(leading.map(([key]) => key.split(" ")[0]))).toEqual(
      new Set(["tls", "tcp", "udp"]),
    );
  });

  test.each(Object.entries(FOUND))("%s", (_case, added) => {
    for (let part = 0; part < SAMPLE; part++) expectUnchanged(added, part);
  });

  test(
    "younger objects of a tenant change nothing",
    () => {
      const added = tenantObjects([...operators, ...VICTIMS]);
      fc.assert(fc.property(added, fc.nat(SAMPLE - 1), expectUnchanged), runs(15));
    },
    timeoutOf(120_000),
  );

  /** `part`: of the requests. */
  function expectUnchanged(added: readonly Manifest[], part: number): void {
    const after = worldOf([...given, ...added], options);
    for (const { request, was } of outcomes.filter((_, index) => index % SAMPLE === part)) {
      const is = outcomeOf(after, request);
      if (isTaken(was, is, request.host, { objects: added, options })) continue;
      const { undecided, seen } = is;
      expectSame([shown(request), undecided, seen], [shown(request), was.undecided, was.seen]);
    }
    const now = streamsOf(after, names);
    for (const [key, to] of streams) {
      const isFree = to === undefined || isNameTaken(key, given, { objects: added, options });
      if (!isFree) expectSame([key, now.get(key)], [key, to]);
    }
    expectSame(statusesOf(after), statusesOf(before));
    const { diagnostics, files } = after.compilation;
    expect(repeatedNames(files)).toEqual([]);
    expect(diagnostics.filter(({ code }) => code === "INTERNAL_ERROR")).toEqual([]);
  }
});

function withClass(object: Manifest): Manifest {
  if (object.kind !== "Ingress") return object;
  return { ...object, spec: { ...(object.spec as object), ingressClassName: "nginx" } };
}

/** For each server, name and path. */
function requestsTo(
  { policy }: World,
  names: readonly string[],
  paths: readonly string[],
): readonly ExplainRequest[] {
  return Object.entries(policy.servers).flatMap(([server, { port, tls }]: [string, PolicyServer]) =>
    names.flatMap((name) =>
      paths.map((path) => {
        const isGrpc = path.startsWith("/shop.");
        const request = parseRequest({
          method: isGrpc ? "POST" : "GET",
          url: `${tls ? "https" : "http"}://${name}:${String(port)}${path}`,
          headers: isGrpc ? ["Content-Type: application/grpc"] : [],
          client: "192.0.2.9",
          server,
        });
        if (!request.ok) throw new Error(request.problem);
        return request.value;
      }),
    ),
  );
}

function shown({ scheme, host, port, target, server }: ExplainRequest): string {
  return `${scheme}://${host}:${String(port)}${target} at ${server ?? ""}`;
}

/** Jest's comparison takes longer than the compiler. */
function expectSame(is: unknown, was: unknown): void {
  if (JSON.stringify(is) !== JSON.stringify(was)) expect(is).toEqual(was);
}

/**
 * Some say more: a Gateway counts what others attach to it, a policy names the Gateways of others that it is in force for, and a
 * route the default ones.
 */
function statusesOf({ compilation: { statuses } }: World): unknown {
  const counts = /^attached(Routes|ListenerSets)$/;
  const ofOthers = statuses.filter(({ metadata: { namespace } }) => namespace !== "tenant");
  return ofOthers.map(({ kind, metadata, status }) => {
    const isCommon = metadata.namespace === "ops";
    const text = JSON.stringify(status, (key, value: unknown) => {
      if (isCommon && counts.test(key)) return undefined;
      return Array.isArray(value) ? value.filter((item: unknown) => !isMore(item)) : value;
    });
    return { kind, metadata, text };
  });
}

function isMore(value: unknown): boolean {
  const { type, ancestorRef, parentRef } = (value ?? {}) as {
    readonly type?: string;
    readonly ancestorRef?: { readonly namespace: string };
    readonly parentRef?: { readonly namespace: string };
  };
  // A route of the tenant may have another Gateway use a policy of the victim.
  const isForeign = ancestorRef !== undefined && ancestorRef.namespace !== "victim";
  return type === "OverlappingTLSConfig" || isForeign || parentRef?.namespace === "tenant";
}

/** As an API server has the objects when albc has written its statuses and its own objects. */
function settled(objects: readonly Manifest[], options: CompileOptions): readonly Manifest[] {
  const { statuses, objects: made } = worldOf(objects, options).compilation;
  return [
    ...objects.map((object) => {
      const found = statuses.find(
        ({ kind, metadata: { name, namespace } }) =>
          kind === object.kind &&
          name === object.metadata.name &&
          namespace === object.metadata.namespace,
      );
      return found === undefined ? object : { ...object, status: found.status };
    }),
    ...made.map(({ apiVersion, kind, metadata, fields }) => ({
      apiVersion,
      kind,
      metadata,
      ...fields,
    })),
  ];
}
