/**
 * Two random clusters, most of whose objects are equal. What `albc diff` says of requests is what `explain` says of them on both sides: no
 * change is missed, and the requests that it gives as examples are changed as it says.
 */
import { selfSigned } from "../../e2e/harness/certificates.js";
import { type Change, diff } from "../../src/diff/diff.js";
import type { DiffInput } from "../../src/diff/side.js";
import { type Explanation, explain } from "../../src/explain/explain.js";
import { compiled, covers, request } from "../support/diffed.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";

const pair = await selfSigned("a.example", "*.example");
const PEM = Object.entries({ "tls.crt": pair.certificate, "tls.key": pair.key })
  .map(([name, text]) => `${name}: ${Buffer.from(text).toString("base64")}`)
  .join(", ");

const FOUNDATION = `
apiVersion: v1
kind: Secret
metadata: { name: tls, namespace: shop }
type: kubernetes.io/tls
data: { ${PEM} }
---
apiVersion: v1
kind: Secret
metadata: { name: users, namespace: shop }
stringData: { auth: "ann:$apr1$abcdefgh$DQ8pkN4b0P3jXj1lQeh2n/" }
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
spec: { ports: [{ port: 80 }] }
${["web", "api"]
  .map(
    (name) => `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: ${name}-1, namespace: shop, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ port: 8080 }]
endpoints: [{ addresses: [10.0.0.1] }]
`,
  )
  .join("")}`;

const some = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const json = JSON.stringify;
const hosts = some("a.example", "a.example", "b.example", "*.example", "x.b.example", undefined);
const services = some("web", "web", "web", "api", "api", "gone");
const PATHS = ["/", "/a", "/a/b", "/ab", "/a/b/c", "/admin", "/A"];

/** Few of the fields, so that most objects work. */
function few<T extends object>(values: T): fc.Arbitrary<Partial<T>> {
  const names = fc.uniqueArray(some(...Object.keys(values)), { maxLength: 2 });
  return names.chain((chosen) =>
    fc.record(Object.fromEntries(Object.entries(values).filter(([name]) => chosen.includes(name)))),
  ) as fc.Arbitrary<Partial<T>>;
}

const annotations = fc
  .tuple(
    some(
      {},
      {},
      {},
      { "auth-url": "http://auth.example/check" },
      { "auth-url": "http://auth.example/$nope" },
      { "auth-type": "basic", "auth-secret": "users" },
      { "auth-type": "basic", "auth-secret": "missing" },
    ),
    few({
      "whitelist-source-range": some("10.0.0.0/8", "0.0.0.0/0", "10.0.0.0/8,192.168.0.0/16"),
      "denylist-source-range": some("192.0.2.0/24"),
      satisfy: some("any", "all"),
      "use-regex": some("true"),
      "server-alias": some("b.example", "c.example"),
      "proxy-body-size": some("1m"),
    }),
  )
  .map((given) =>
    Object.fromEntries(
      Object.entries(Object.assign({}, ...given) as object).map(
        ([key, value]: [string, unknown]) => [`nginx.ingress.kubernetes.io/${key}`, value],
      ),
    ),
  );

const ingressPath = fc.record({
  path: some(...PATHS, "/a/(b|c)", "/a/[0-9]+", "/(?!admin)"),
  pathType: some("Exact", "Prefix", "ImplementationSpecific"),
  backend: services.map((name) => ({ service: { name, port: { number: 80 } } })),
});

const ingress = fc
  .record({
    annotations,
    host: hosts,
    tls: fc.boolean(),
    paths: fc.array(ingressPath, { minLength: 1, maxLength: 3 }),
  })
  .map(({ annotations: given, host, tls, paths }) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { namespace: "shop", annotations: given },
    spec: {
      ...(tls && { tls: [{ hosts: ["a.example"], secretName: "tls" }] }),
      rules: [{ host, http: { paths } }],
    },
  }));

const match = few({
  path: fc.record({
    type: some("Exact", "PathPrefix", "PathPrefix", "RegularExpression"),
    value: some(...PATHS),
  }),
  method: some("GET", "POST"),
  headers: some(
    [{ name: "x-team", value: "blue" }],
    [{ name: "x-team", value: "red" }],
    [{ name: "x-team", type: "RegularExpression", value: "^(blue|red)$" }],
  ),
  queryParams: some([{ name: "debug", value: "1" }]),
});

const AUTH_FILTER = {
  type: "ExtensionRef",
  extensionRef: { group: "crd.alauda.io", kind: "AuthPolicy", name: "login" },
};

const httpRoute = fc
  .record({
    hosts: fc.array(
      hosts.filter((host) => host !== undefined),
      { maxLength: 2 },
    ),
    rules: fc.array(
      fc.record({
        matches: fc.array(match, { minLength: 1, maxLength: 3 }),
        filters: some(
          [],
          [AUTH_FILTER],
          [{ type: "RequestRedirect", requestRedirect: { hostname: "z.example" } }],
        ),
        service: services,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ hosts: names, rules }) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace: "shop" },
    spec: {
      parentRefs: [{ name: "edge" }],
      ...(names.length > 0 && { hostnames: [...new Set(names)] }),
      rules: rules.map(({ matches, filters, service }) => ({
        matches,
        filters,
        ...(json(filters).includes("Redirect")
          ? {}
          : { backendRefs: [{ name: service, port: 80 }] }),
      })),
    },
  }));

const gateway = fc
  .shuffledSubarray([
    { name: "http", port: 8080, protocol: "HTTP" },
    { name: "named", port: 8080, protocol: "HTTP", hostname: "b.example" },
    { name: "tls", port: 8443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "tls" }] } },
  ])
  .map((listeners) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "edge", namespace: "shop" },
    spec: { gatewayClassName: "albc", listeners },
  }));

const authPolicy = fc
  .record({
    targets: fc.subarray([
      { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" },
      { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "o1" },
    ]),
    url: some("http://auth.example/check", "http://auth.example/strict", "nonsense"),
  })
  .map(({ targets, url }) => ({
    apiVersion: "crd.alauda.io/v1alpha1",
    kind: "AuthPolicy",
    metadata: { name: "login", namespace: "shop" },
    spec: { ...(targets.length > 0 && { targetRefs: targets }), forward: { url } },
  }));

type Written = object | undefined;
const pairOf = (object: fc.Arbitrary<object>): fc.Arbitrary<readonly [Written, Written]> =>
  fc.oneof(
    { weight: 3, arbitrary: object.map((one) => [one, one] as const) },
    { weight: 2, arbitrary: fc.tuple(object, object) },
    { weight: 1, arbitrary: object.map((one) => [one, undefined] as const) },
    { weight: 1, arbitrary: object.map((one) => [undefined, one] as const) },
  );

/** Equal but for annotations: most changes of auth are of this kind. */
const reannotated = fc
  .tuple(ingress, annotations)
  .map(([before, given]) => [
    before,
    { ...before, metadata: { ...before.metadata, annotations: given } },
  ]);

const clusters = fc
  .tuple(
    pairOf(gateway),
    pairOf(authPolicy),
    fc.array(fc.oneof(reannotated, pairOf(ingress), pairOf(httpRoute)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([gateways, policies, others]) => {
    const all = [gateways, policies, ...others].map(([before, now], n) =>
      [before, now].map((object) => named(object, `o${String(n)}`)),
    );
    return [0, 1].map((side) => FOUNDATION + all.map((each) => each[side] ?? "").join(""));
  });

function named(object: Written, name: string): string {
  if (object === undefined) return "";
  const { metadata, ...rest } = object as { metadata: object };
  return `---\n${json({ ...rest, metadata: { name, ...metadata } })}\n`;
}

const requests = fc.record({
  host: some("a.example", "a.example", "b.example", "c.example", "x.b.example", "other"),
  port: some("http", "http", "http", "https", "http 8080", "http 8080", "https 8443"),
  path: fc
    .tuple(some(...PATHS), some("", "", "/", "x", "/b", "/7", "/any"))
    .map((parts) => parts.join("").replaceAll("//", "/")),
  method: some("GET", "POST"),
  headers: some([], ["x-team: blue"], ["x-team: red"], ["x-team: green"]),
  query: some("", "?debug=1"),
});

function ask({
  host,
  port,
  path,
  query,
  method,
  headers,
}: typeof requests extends fc.Arbitrary<infer T> ? T : never) {
  const [scheme = "", number] = port.split(" ");
  const authority = number === undefined ? host : `${host}:${number}`;
  return request(`${scheme}://${authority}${path}${query}`, { method, headers });
}

function isOpen({ answer, route }: Explanation): boolean {
  return (
    answer.kind === "forwarded" && route?.auth.length === 0 && route.sourceRange === "unrestricted"
  );
}

function isProtected({ answer, route }: Explanation): boolean {
  if (answer.kind === "refused") return /^(AuthFail|AccessFail)/.test(answer.reason);
  return answer.kind === "forwarded" && route?.authChecked === true;
}

/** What requests notice, as far as explain says it. Endpoints do not count. */
function treatment({ answer, route }: Explanation): unknown {
  if (answer.kind === "redirected") return answer;
  if (answer.kind === "refused" && !/no peer|AccessFail/.test(answer.reason)) {
    return answer.status === 404 ? "none" : answer;
  }
  if (route === undefined) return "none";
  const { auth, filters, backends } = route;
  return {
    filters,
    auth: auth.map(({ source: _, inherited: _inherited, id: _id, ...checks }) => checks),
    backends: backends
      .filter(({ share }) => share > 0)
      .map(({ upstream, share, refuse }) => ({ upstream, share, refuse })),
  };
}

function differences(before: DiffInput, now: DiffInput): readonly Change[] {
  return diff(before, now).changes;
}

test(
  "every request that was protected and is open now is in a loss of auth, and every other change in a change",
  () => {
    const seen = { lost: 0, changed: 0, same: 0 };
    fc.assert(
      fc.property(
        clusters,
        fc.array(requests, { minLength: 40, maxLength: 40 }),
        ([before = "", now = ""], asked) => {
          const [old, current] = [compiled(before), compiled(now)];
          const changes = differences(old, current);
          for (const wanted of asked) {
            const one = ask(wanted);
            const [was, is] = [explain(old.policy, one), explain(current.policy, one)];
            const about = changes.filter((change) => covers(change, one));
            if (isProtected(was) && isOpen(is)) {
              seen.lost += 1;
              expect(about.filter(({ effects }) => effects.includes("authLost"))).not.toEqual([]);
            } else if (json(treatment(was)) !== json(treatment(is)) && was.certain && is.certain) {
              seen.changed += 1;
              expect(about).not.toEqual([]);
            } else seen.same += 1;
          }
        },
      ),
      runs(20),
    );
    expect(seen.lost).toBeGreaterThan(0);
    expect(seen.changed).toBeGreaterThan(10);
  },
  timeoutOf(60_000),
);

test(
  "an example of a lost auth was protected, and is served with less",
  () => {
    let examples = 0;
    fc.assert(
      fc.property(clusters, ([before = "", now = ""]) => {
        const [old, current] = [compiled(before), compiled(now)];
        for (const change of differences(old, current)) {
          if (change.example === undefined) continue;
          const one = request(change.example.url, { ...change.example });
          expect(covers(change, one)).toBe(true);
          if (change.effects[0] !== "authLost") continue;
          examples += 1;
          expect(isOpen(explain(old.policy, one))).toBe(false);
          expect(explain(current.policy, one).answer).toMatchObject({
            kind: expect.stringMatching(/forwarded|refused/) as unknown,
          });
        }
      }),
      runs(20),
    );
    expect(examples).toBeGreaterThan(2);
  },
  timeoutOf(60_000),
);

test(
  "equal inputs have no differences, in any order",
  () => {
    fc.assert(
      fc.property(clusters, ([yaml = ""]) => {
        const turned = yaml.split("---\n").reverse().join("---\n");
        expect(diff(compiled(yaml), compiled(turned))).toEqual({ changes: [], certificates: [] });
      }),
      runs(10),
    );
  },
  timeoutOf(60_000),
);
