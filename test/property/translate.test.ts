import { fc } from "../support/fast-check.js";
import { compareStrings } from "../../src/support/collections.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DiagnosticSink } from "../../src/diagnostics/sink.js";
import { hostKey } from "../../src/model/values.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { placesOf, translate } from "../support/translated.js";
import type { Translation } from "../../src/translate.js";

const NASTY = fc.oneof(
  fc.constantFrom(
    '"',
    "'",
    ";",
    "{",
    "}",
    "#",
    "\\",
    "$request_uri",
    "\n",
    "\r\n",
    "\0",
    "../",
    "%00",
    "",
  ),
  fc.string({ unit: "binary" }),
  fc.constant("x".repeat(10_000)),
  fc.constantFrom(
    "true",
    "false",
    "1",
    "0",
    "-1",
    "/",
    "/a",
    "a.example",
    "default/x",
    "https://a.example/",
  ),
);

const prefix = fc.constantFrom(
  "nginx.ingress.kubernetes.io",
  "alb.ingress.cpaas.io",
  "index.0-0.alb.ingress.cpaas.io",
  "index.9-9.alb.ingress.cpaas.io",
);

const annotations = fc.dictionary(
  fc
    .tuple(prefix, fc.constantFrom(...ANNOTATIONS.map(({ name }) => name)))
    .map((key) => key.join("/")),
  NASTY,
  { maxKeys: 6 },
);

const ingress = fc
  .record({
    name: fc.constantFrom("a", "b", "c", "d"),
    host: fc.constantFrom(undefined, "a.example", "*.example", "b.example"),
    path: fc.constantFrom("/", "/a", "/a/", "/(b", "/b.*"),
    pathType: fc.constantFrom("Exact", "Prefix", "ImplementationSpecific"),
    annotations,
    tls: fc.boolean(),
    created: fc.constantFrom(undefined, "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"),
  })
  .map(({ name, host, path, pathType, annotations: held, tls, created }) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name,
      annotations: held,
      ...(created !== undefined && { creationTimestamp: created }),
    },
    spec: {
      ...(tls && host !== undefined && { tls: [{ hosts: [host], secretName: "x" }] }),
      rules: [
        {
          ...(host !== undefined && { host }),
          http: {
            paths: [
              { path, pathType, backend: { service: { name: "web", port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  }));

const alb = fc.constantFrom(undefined, {
  apiVersion: "crd.alauda.io/v2",
  kind: "ALB2",
  metadata: { name: "alb", namespace: "cpaas-system" },
  spec: {
    type: "nginx",
    config: { projects: ["ALL_ALL"], auth: { forward: { url: "http://auth.example/" } } },
  },
});

const ruleText = fc
  .record({
    type: fc.oneof(
      fc.constantFrom("HOST", "URL", "METHOD", "HEADER", "PARAM", "COOKIE", "SRC_IP"),
      NASTY,
    ),
    key: fc.option(NASTY, { nil: undefined }),
    rows: fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom("EQ", "IN", "STARTS_WITH", "ENDS_WITH", "REGEX", "RANGE", "EXIST"),
          NASTY,
        ),
        fc.array(NASTY, { maxLength: 3 }),
      ),
      { maxLength: 3 },
    ),
    text: NASTY,
  })
  .map(({ type, key, rows, text }) => ({
    apiVersion: "crd.alauda.io/v1",
    kind: "Rule",
    metadata: {
      name: "r",
      namespace: "cpaas-system",
      labels: { "alb2.cpaas.io/name": "alb", "alb2.cpaas.io/frontend": "ft" },
      annotations: { "alb.rule.cpaas.io/rewrite-request": text },
    },
    spec: {
      dslx: [
        {
          type,
          ...(key !== undefined && { key }),
          values: rows.map(([op, args]) => [op, ...args]),
        },
      ],
      domain: text,
      certificate_name: text,
      vhost: text,
      rewrite_base: text,
      rewrite_target: text,
      redirectURL: text,
      backendProtocol: text,
      corsAllowHeaders: text,
      enableCORS: true,
      serviceGroup: { session_affinity_policy: text, services: [{ name: "web", port: 80 }] },
    },
  }));

const frontend = {
  apiVersion: "crd.alauda.io/v1",
  kind: "Frontend",
  metadata: { name: "ft", namespace: "cpaas-system", labels: { "alb2.cpaas.io/name": "alb" } },
  spec: { port: 8443, protocol: "https" },
};

function run(objects: readonly unknown[]): Translation & { readonly codes: readonly string[] } {
  const { resources } = resourcesFromObjects(objects);
  const sink = new DiagnosticSink();
  const translation = translate(resources, DEFAULT_OPTIONS, sink);
  return {
    ...translation,
    codes: sink
      .sorted()
      .map((each) => JSON.stringify([each.code, each.resource, each.field, each.message])),
  };
}

const uniqueNames = <T extends { readonly metadata: { readonly name: string } }>(
  objects: readonly T[],
): readonly T[] => [...new Map(objects.map((object) => [object.metadata.name, object])).values()];

const objects = fc
  .tuple(fc.array(ingress, { maxLength: 4 }).map(uniqueNames), alb, ruleText)
  .map(([ingresses, balancer, rule]) => [
    ...ingresses,
    ...(balancer === undefined ? [] : [balancer]),
    frontend,
    rule,
  ]);

describe("translation", () => {
  it("gives the same for the same objects, whatever their order, and whatever they hold", () => {
    fc.assert(
      fc.property(objects, fc.infiniteStream(fc.nat()), (given, stream) => {
        const shuffled = given
          .map((object) => [stream.next().value, object] as const)
          .sort(([a], [b]) => a - b)
          .map(([, object]) => object);
        const { codes, ...result } = run(given);
        const { codes: otherCodes, ...other } = run(shuffled);
        expect(other).toEqual(result);
        expect([...otherCodes].sort()).toEqual([...codes].sort());
      }),
      { numRuns: 50 },
    );
  });

  it("gives a model that is whole: every name that is used exists, every order is unique", () => {
    fc.assert(
      fc.property(objects, (given) => {
        const { config } = run(given);
        const ids = (list: readonly { readonly id: string }[]): readonly string[] =>
          list.map(({ id }) => id);
        const sortedIds = [
          config.servers,
          config.listeners,
          config.routes,
          config.auths,
          config.upstreams,
        ];
        for (const list of sortedIds) {
          expect(ids(list)).toEqual([...new Set(ids(list))].sort(compareStrings));
        }
        for (const { server } of config.listeners) expect(ids(config.servers)).toContain(server);
        const places = placesOf(config);
        for (const { listener, route } of places) {
          expect(ids(config.listeners)).toContain(listener);
          expect(ids(config.routes)).toContain(route);
        }
        // An alias gives a route the same order at several hosts; different routes never have one.
        const atHosts = places.map(
          ({ listener, host, order }) => `${listener} ${hostKey(host)} ${order}`,
        );
        expect(new Set(atHosts).size).toBe(atHosts.length);
        const ofRoutes = places.map(
          ({ listener, route, order }) => `${listener} ${order} ${route}`,
        );
        const orders = places.map(({ listener, order }) => `${listener} ${order}`);
        expect(new Set(ofRoutes).size).toBe(new Set(orders).size);
        for (const route of config.routes) {
          for (const id of route.auth ?? []) expect(ids(config.auths)).toContain(id);
          for (const { upstream } of route.backends ?? []) {
            if (upstream !== undefined) expect(ids(config.upstreams)).toContain(upstream);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it("never lets a line break or NUL into what becomes a header", () => {
    fc.assert(
      fc.property(objects, (given) => {
        const { config } = run(given);
        for (const { host = "", requestHeaders, responseHeaders, cors } of config.routes) {
          const values = [requestHeaders, responseHeaders].flatMap((changes) =>
            [...(changes?.set ?? []), ...(changes?.add ?? [])].flat(),
          );
          for (const text of [host, ...values, ...(cors?.headers ?? [])]) {
            // eslint-disable-next-line no-control-regex -- control characters are what this is about
            expect(text).not.toMatch(/[\x00\r\n]/);
          }
        }
        for (const { host } of placesOf(config)) expect(hostKey(host)).not.toMatch(/[\s|]/);
      }),
      { numRuns: 50 },
    );
  });
});
