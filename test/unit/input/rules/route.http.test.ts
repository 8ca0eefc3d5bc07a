import { check, gatewayObject, httpRule } from "../../../support/input-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

const BACKEND = { name: "web", port: 80 };

function filter(type: string, fields: Fields = {}): Fields {
  return httpRule({ filters: [{ type, ...fields }] });
}

function match(fields: Fields): Fields {
  return httpRule({ matches: [fields] });
}

function path(type: string, value: string): Fields {
  return match({ path: { type, value } });
}

function parents(...parentRefs: readonly Fields[]): Fields {
  return gatewayObject("HTTPRoute", {
    parentRefs: parentRefs.map((ref) => ({ name: "g", ...ref })),
  });
}

function mirror(fields: Fields): Fields {
  return filter("RequestMirror", { requestMirror: { backendRef: BACKEND, ...fields } });
}

function rewrite(modifier: Fields): Fields {
  return filter("URLRewrite", { urlRewrite: { path: modifier } });
}

function redirect(fields: Fields): Fields {
  return filter("RequestRedirect", { requestRedirect: fields });
}

function externalAuth(fields: Fields): Fields {
  return filter("ExternalAuth", { externalAuth: { backendRef: BACKEND, ...fields } });
}

function session(fields: Fields): Fields {
  return httpRule({ sessionPersistence: fields });
}

const HEADER = { name: "x", value: "y" };

describe("an HTTPRoute", () => {
  it.each([
    ["without rules", gatewayObject("HTTPRoute", {})],
    ["with a rule without anything", httpRule({})],
    ["with a type of path that is not known", path("Glob", "**")],
    ["with a regular expression", path("RegularExpression", "(?i)//a")],
    ["with a path of every character", path("Exact", "/-._~!$&'()*+,;=:@%20")],
    ["with a method that is not known", match({ method: "QUERY" })],
    ["with a match that is not known", match({ headers: [{ ...HEADER, type: "Glob" }] })],
    ["with a header that stands twice", match({ headers: [HEADER, HEADER] })],
    ["with a parameter that stands twice", match({ queryParams: [HEADER, HEADER] })],
    ["with a filter that is not known", filter("Later", { cors: {} })],
    ["with a redirect scheme that is not known", redirect({ scheme: "wss", statusCode: 399 })],
    ["with a modifier that is not known", rewrite({ type: "Later" })],
    [
      "with a prefix replaced without a prefix",
      rewrite({ type: "ReplacePrefixMatch", replacePrefixMatch: "/" }),
    ],
    ["with an address as hostname", gatewayObject("HTTPRoute", { hostnames: ["192.0.2.1"] })],
    [
      "with two mirrors",
      httpRule({
        filters: [1, 2].map(() => ({
          type: "RequestMirror",
          requestMirror: { backendRef: BACKEND },
        })),
      }),
    ],
    ["with a whole fraction", mirror({ fraction: { numerator: 100 } })],
    ["with a backend of another kind", httpRule({ backendRefs: [{ kind: "Other", name: "a" }] })],
    [
      "with an XBackend",
      httpRule({
        backendRefs: [{ group: "gateway.networking.x-k8s.io", kind: "XBackend", name: "a" }],
      }),
    ],
    ["with two listeners of a parent", parents({ sectionName: "a" }, { sectionName: "b" })],
    ["with two ports of a parent", parents({ port: 80 }, { port: 81 })],
    [
      "with a parent of that name elsewhere",
      parents({}, { namespace: "other" }, { kind: "ListenerSet" }),
    ],
    [
      "with external auth",
      externalAuth({ protocol: "HTTP", http: { path: "/a", allowedHeaders: ["a"] } }),
    ],
    ["with a protocol of auth that is not known", externalAuth({ protocol: "LDAP" })],
    [
      "with a timeout that is switched off",
      httpRule({ timeouts: { request: "0s", backendRequest: "1h" } }),
    ],
    [
      "with timeouts that are alike",
      httpRule({ timeouts: { request: "1m", backendRequest: "60s" } }),
    ],
    ["with retries", httpRule({ retry: { codes: [500, 599], attempts: 0, backoff: "100ms" } })],
    ["with a cookie", session({ cookie: {} })],
    ["with a header", session({ type: "Header", header: { name: "x" } })],
    [
      "with a session of v1.6",
      session({ sessionName: "a", cookieConfig: { lifetimeType: "Session" } }),
    ],
    ["with a session that is not known", session({ type: "Later" })],
    ["with any text in a header", match({ headers: [{ name: "x", value: "ü  y\t" }] })],
  ])("%s is taken", (_name, object) => {
    expect(check(object)).toEqual([]);
    expect(check({ ...object, apiVersion: "gateway.networking.k8s.io/v1beta1" })).toEqual([]);
  });

  it.each([
    [gatewayObject("HTTPRoute", { rules: [] }), /rules must have from 1 to 16 items/],
    [gatewayObject("HTTPRoute", { hostnames: ["a.*.b"] }), /hostnames\[0\]/],
    [
      gatewayObject("HTTPRoute", { rules: [{ name: "a" }, { name: "a" }] }),
      /the rule "a" stands twice/,
    ],
    [
      gatewayObject("HTTPRoute", {
        rules: [64, 64, 1].map((n) => ({ matches: Array<Fields>(n).fill({}) })),
      }),
      /rules: the rules have 129 matches/,
    ],
    [parents({}, {}), /parentRefs\[1\]: the parent g stands twice/],
    [parents({ sectionName: "a" }, { sectionName: "a" }), /stands twice/],
    [parents({}, { sectionName: "a" }), /either all or none need a sectionName/],
    [parents({ sectionName: "a" }, { sectionName: "b", port: 1 }), /likewise a port/],
    [path("PathPrefix", "a"), /path.value: .*must begin with '\/'/],
    [path("Exact", "/a//b"), /must not hold '\/\/'/],
    [path("Exact", "/a/../b"), /must not hold '\/..\/'/],
    [path("Exact", "/a/.."), /must not end with '\/..'/],
    [path("PathPrefix", "/%2F"), /must not hold '%2F'/],
    [path("PathPrefix", "/a#b"), /must not hold '#'/],
    [path("PathPrefix", "/a b"), /holds a character that no path can have/],
    [path("PathPrefix", "/a%2"), /holds a character that no path can have/],
    [match({ headers: [{ name: "x", value: "a\nb" }] }), /value must match/],
    [match({ headers: [{ name: "a b", value: "c" }] }), /name must match/],
    [filter("CORS"), /FIELD_MISSING .*filters\[0\].cors: .*needs the field cors/],
    [filter("URLRewrite", { urlRewrite: {}, cors: {} }), /\.cors: .*URLRewrite must not have/],
    [
      httpRule({
        filters: [
          { type: "CORS", cors: {} },
          { type: "CORS", cors: {} },
        ],
      }),
      /"CORS" stands twice/,
    ],
    [
      httpRule({
        filters: [
          { type: "RequestRedirect", requestRedirect: {} },
          { type: "URLRewrite", urlRewrite: {} },
        ],
      }),
      /filters\[1\]: URLRewrite and RequestRedirect exclude each other/,
    ],
    [
      httpRule({ backendRefs: [{ ...BACKEND, filters: [{ type: "CORS" }] }] }),
      /backendRefs\[0\].filters\[0\].cors/,
    ],
    [
      httpRule({
        backendRefs: [BACKEND],
        filters: [{ type: "RequestRedirect", requestRedirect: {} }],
      }),
      /filters\[0\]: .*backendRefs must not have a RequestRedirect/,
    ],
    [httpRule({ backendRefs: [{ name: "a" }] }), /FIELD_MISSING .*backendRefs\[0\].port/],
    [
      httpRule({
        backendRefs: [
          { group: "gateway.networking.x-k8s.io", kind: "XBackend", name: "a", port: 1 },
        ],
      }),
      /XBackend must not have a port/,
    ],
    [mirror({ backendRef: { name: "a" } }), /requestMirror.backendRef.port/],
    [mirror({ percent: 1, fraction: { numerator: 1 } }), /percent or a fraction, not both/],
    [
      mirror({ fraction: { numerator: 2, denominator: 1 } }),
      /at most the denominator, 1, but is 2/,
    ],
    [rewrite({ type: "ReplaceFullPath" }), /FIELD_MISSING .*urlRewrite.path.replaceFullPath/],
    [
      redirect({ path: { type: "ReplaceFullPath", replaceFullPath: "", replacePrefixMatch: "" } }),
      /requestRedirect.path.replacePrefixMatch: .*must not have/,
    ],
    [
      filter("CORS", { cors: { allowOrigins: ["http://a", "*"] } }),
      /allowOrigins\[1\]: .*must be alone/,
    ],
    [filter("CORS", { cors: { allowOrigins: ["a.example"] } }), /allowOrigins\[0\]/],
    [
      filter("CORS", { cors: { allowMethods: ["GET", "GET"] } }),
      /allowMethods\[1\]: the value "GET" stands twice/,
    ],
    [
      filter("RequestHeaderModifier", { requestHeaderModifier: { remove: ["a", "a"] } }),
      /remove\[1\]: the header "a" stands twice/,
    ],
    [externalAuth({ protocol: "GRPC" }), /FIELD_MISSING .*externalAuth.grpc/],
    [externalAuth({ protocol: "HTTP", http: {}, grpc: {} }), /grpc: .*HTTP must not have grpc/],
    [externalAuth({ protocol: "HTTP", http: {}, backendRef: { name: "a" } }), /backendRef.port/],
    [
      externalAuth({ protocol: "HTTP", http: { allowedResponseHeaders: ["a", "a"] } }),
      /allowedResponseHeaders\[1\]/,
    ],
    [httpRule({ timeouts: { request: "1.5s" } }), /timeouts.request: request must be a duration/],
    [
      httpRule({ timeouts: { request: "1m", backendRequest: "1m1ms" } }),
      /backendRequest must not be longer than request, 1m, but is 1m1ms/,
    ],
    [httpRule({ retry: { codes: [500, 500] } }), /codes\[1\]: the code 500 stands twice/],
    [httpRule({ retry: { codes: [200] } }), /codes\[0\]/],
    [session({}), /FIELD_MISSING .*sessionPersistence.cookie/],
    [session({ type: "Header" }), /FIELD_MISSING .*sessionPersistence.header/],
    [session({ cookie: {}, header: { name: "a" } }), /type Cookie must not have the field header/],
    [session({ cookie: { lifetimeType: "Permanent" } }), /FIELD_MISSING .*absoluteTimeout/],
  ])("%j is refused: %s", (object, message) => {
    expect(check(object)).toEqual([expect.stringMatching(message)]);
  });
});
