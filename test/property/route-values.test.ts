/** Values of fields with a closed set of them may grow: a value that is not known is told by a condition, and never a crash. */
import { fc } from "../support/fast-check.js";
import type { Condition } from "../../src/status/object-status.js";
import { gateway, grpcRoute, httpRoute, WEB } from "../support/gateway-route-objects.js";
import { type Translated, translated } from "../support/translated.js";

/** Names of JavaScript's own are what a careless lookup would find. */
const value = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    fc.constantFrom("__proto__", "constructor", "toString", "exact", "get", "HTTP", "🙂"),
  )
  .filter((text) => !KNOWN.has(text));
const KNOWN = new Set(
  "Exact PathPrefix RegularExpression GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH * http https Cookie Header Session Permanent ReplaceFullPath ReplacePrefixMatch HTTP RequestHeaderModifier ResponseHeaderModifier RequestMirror RequestRedirect URLRewrite CORS ExtensionRef ExternalAuth".split(
    " ",
  ),
);

const match = (content: object): object => ({ matches: [content], backendRefs: WEB });
const filter = (content: object): object => ({ filters: [content], backendRefs: WEB });
const redirect = (requestRedirect: object): object => ({
  filters: [{ type: "RequestRedirect", requestRedirect }],
});

const HTTP_FIELDS: Readonly<Record<string, (text: string) => object>> = {
  "path type": (type) => match({ path: { type, value: "/a" } }),
  "header type": (type) => match({ headers: [{ type, name: "a", value: "b" }] }),
  "query type": (type) => match({ queryParams: [{ type, name: "a", value: "b" }] }),
  method: (method) => match({ method }),
  "filter type": (type) => filter({ type }),
  "filter type of a backend": (type) => ({
    backendRefs: [{ name: "web", port: 80, filters: [{ type }] }],
  }),
  "redirect scheme": (scheme) => redirect({ scheme }),
  "redirect path type": (type) => redirect({ path: { type } }),
  "rewrite path type": (type) => filter({ type: "URLRewrite", urlRewrite: { path: { type } } }),
  "CORS method": (method) => filter({ type: "CORS", cors: { allowMethods: [method] } }),
  "session type": (type) => ({ sessionPersistence: { type }, backendRefs: WEB }),
  "cookie lifetime": (lifetimeType) => ({
    sessionPersistence: { cookie: { lifetimeType } },
    backendRefs: WEB,
  }),
  "auth protocol": (protocol) =>
    filter({ type: "ExternalAuth", externalAuth: { protocol, backendRef: WEB[0] } }),
};

const GRPC_FIELDS: Readonly<Record<string, (text: string) => object>> = {
  "method type": (type) => match({ method: { type, service: "a" } }),
  "header type": (type) => match({ headers: [{ type, name: "a", value: "b" }] }),
  "filter type": (type) => filter({ type }),
  "a filter of HTTPRoutes": () => filter({ type: "URLRewrite" }),
};

function conditions({ statuses }: Translated, kind: string): readonly Condition[] {
  const parents = statuses.find((status) => status.kind === kind)?.status["parents"];
  return (parents as readonly { conditions: readonly Condition[] }[]).flatMap(
    (parent) => parent.conditions,
  );
}

function expectRefused(result: Translated, kind: string): void {
  const accepted = conditions(result, kind).find(({ type }) => type === "Accepted");
  expect(accepted).toMatchObject({ status: "False", reason: "UnsupportedValue" });
  expect(accepted?.message).not.toBe("");
  // What could have been its requests are answered, not left to a wider rule.
  const { bindings, route } = result;
  const id = `${kind.toLowerCase()}/default/r/0`;
  expect(bindings(id)).toHaveLength(1);
  expect(route(id).refuse).toMatchObject([500, expect.anything()]);
}

function expectPartial(result: Translated, kind: string): void {
  const found = conditions(result, kind);
  expect(found.find(({ type }) => type === "Accepted")?.status).toBe("True");
  const partial = found.find(({ type }) => type === "PartiallyInvalid");
  expect(partial).toMatchObject({ status: "True", reason: "UnsupportedValue" });
  expect(partial?.message).toMatch(/^Dropped Rule 0: /);
}

describe.each(Object.entries(HTTP_FIELDS))("an unknown %s of an HTTPRoute", (_field, rule) => {
  it("is an unsupported value", () => {
    fc.assert(
      fc.property(value, fc.boolean(), (text, hasOther) => {
        const other = hasOther ? [{ backendRefs: WEB }] : [];
        const result = translated(gateway() + httpRoute("r", [rule(text), ...other]));
        (hasOther ? expectPartial : expectRefused)(result, "HTTPRoute");
      }),
      { numRuns: 10 },
    );
  });
});

describe.each(Object.entries(GRPC_FIELDS))("an unknown %s of a GRPCRoute", (_field, rule) => {
  it("is an unsupported value", () => {
    fc.assert(
      fc.property(value, (text) => {
        const result = translated(gateway() + grpcRoute("r", [rule(text)]));
        expectRefused(result, "GRPCRoute");
      }),
      { numRuns: 10 },
    );
  });
});

const STREAM_KINDS = [
  ["TLSRoute", "  hostnames: [a.example]\n"],
  ["TCPRoute", ""],
  ["UDPRoute", ""],
] as const;

const STREAM_GATEWAY = `---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: alb }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw, namespace: default }
spec:
  gatewayClassName: alb
  listeners:
    - { name: tcp, port: 53, protocol: TCP }
    - { name: udp, port: 53, protocol: UDP }
    - { name: tls, port: 443, protocol: TLS, tls: { mode: Passthrough } }
---
apiVersion: v1
kind: Service
metadata: { name: db, namespace: default }
spec: { ports: [{ name: tcp, port: 53 }, { name: udp, port: 53, protocol: UDP }] }
`;

function streamRoute(kind: string, hostnames: string, spec: string): string {
  return `---
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: { name: r, namespace: default }
spec:
  parentRefs: [{ name: gw }]
${hostnames}${spec}
`;
}

const TO_DB = "  rules: [{ backendRefs: [{ name: db, port: 53 }] }]";

/** Ids of the pools that anything leads to. */
function poolsUsed({ config }: Translated): readonly string[] {
  return config.streams.flatMap((stream) => {
    if (stream.protocol !== "tls") return stream.pool ?? [];
    const targets = [...stream.names, ...stream.classes];
    return targets.flatMap(({ to }) => (to.kind === "pool" ? to.pool : []));
  });
}

describe.each(STREAM_KINDS)("a value of a %s that is not known", (kind, hostnames) => {
  it("is an unsupported value as a scope of default Gateways, and connections are closed", () => {
    const plain = translated(STREAM_GATEWAY + streamRoute(kind, hostnames, TO_DB));
    expect(poolsUsed(plain)).toHaveLength(1);
    fc.assert(
      fc.property(value, (text) => {
        fc.pre(text !== "All" && text !== "None");
        const scope = `${TO_DB}\n  useDefaultGateways: ${JSON.stringify(text)}`;
        const result = translated(STREAM_GATEWAY + streamRoute(kind, hostnames, scope));
        const accepted = conditions(result, kind).find(({ type }) => type === "Accepted");
        expect(accepted).toMatchObject({ status: "False", reason: "UnsupportedValue" });
        expect(poolsUsed(result)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it("is an invalid kind as that of a backend, and its share is closed", () => {
    const name = fc.stringMatching(/^[A-Z][a-z]{0,9}$/).filter((text) => text !== "Service");
    fc.assert(
      fc.property(name, (text) => {
        const rules = `  rules: [{ backendRefs: [{ kind: ${JSON.stringify(text)}, name: db, port: 53 }] }]`;
        const result = translated(STREAM_GATEWAY + streamRoute(kind, hostnames, rules));
        const resolved = conditions(result, kind).find(({ type }) => type === "ResolvedRefs");
        expect(resolved).toMatchObject({ status: "False", reason: "InvalidKind" });
        expect(result.config.pools.flatMap(({ backends }) => backends)).toEqual([{ weight: 1 }]);
      }),
      { numRuns: 10 },
    );
  });
});
