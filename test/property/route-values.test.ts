/** Values of fields with a closed set of them may grow: a value that is not known is told by a condition, and never a crash. */
import { fc } from "../support/fast-check.js";
import type { Condition } from "../../src/status/condition.js";
import {
  gateway,
  grpcRoute,
  httpRoute,
  WEB,
} from "../unit/translate/gateway/routes/gateway-objects.js";
import { translated } from "../unit/translate/translated.js";
import type { Translated } from "../unit/translate/translated.js";

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
  expect(route(id).refusal).toMatchObject({ status: 500 });
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
