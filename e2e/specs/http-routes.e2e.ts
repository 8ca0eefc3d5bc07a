import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { GATEWAY_API, GATEWAY_NAMESPACE, gatewayOn } from "../harness/gateway-manifests.js";
import type { Fields } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { Request } from "../harness/http-client.js";
import type { Manifest } from "../harness/manifests.js";
import { service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;
let port: number;

const to = (name: string, more: Fields = {}): Fields => ({
  backendRefs: [{ name, port: 80, ...more }],
});
const at = (path: string, type = "PathPrefix"): Fields => ({ path: { type, value: path } });

function route(name: string, hostnames: readonly string[], rules: readonly Fields[]): Manifest {
  const parentRefs = [{ name: "edge", namespace: GATEWAY_NAMESPACE }];
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: { name, namespace: "default" },
    spec: { parentRefs, hostnames, rules },
  };
}

const MATCHES = route(
  "matches",
  ["match.example"],
  [
    { ...to("prefix") },
    { matches: [at("/a/")], ...to("prefix-a") },
    { matches: [at("/a/exact", "Exact")], ...to("exact") },
    { matches: [at("^/a/[0-9]+$", "RegularExpression")], ...to("regex") },
    { matches: [{ ...at("/a"), method: "POST" }], ...to("post") },
    { matches: [{ ...at("/a"), headers: [{ name: "X-Version", value: "2" }] }], ...to("header") },
    { matches: [{ ...at("/a"), queryParams: [{ name: "v", value: "2" }] }], ...to("query") },
    { matches: [at("/b%20c")], ...to("exact") },
  ],
);

const FILTERS = route(
  "filters",
  ["filter.example"],
  [
    {
      matches: [at("/headers")],
      filters: [
        {
          type: "RequestHeaderModifier",
          requestHeaderModifier: {
            set: [
              { name: "X-Set", value: "new" },
              { name: "Host", value: "inner.example" },
            ],
            add: [{ name: "X-Add", value: "more" }],
            remove: ["X-Remove"],
          },
        },
        {
          type: "ResponseHeaderModifier",
          responseHeaderModifier: { set: [{ name: "X-Answer", value: "yes" }] },
        },
      ],
      ...to("prefix"),
    },
    ...["/one", "/two%20words"].map((path) => ({
      matches: [at(path), at(`${path}/deep`)],
      filters: [
        {
          type: "URLRewrite",
          urlRewrite: {
            hostname: "rewritten.example",
            path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" },
          },
        },
      ],
      ...to("prefix"),
    })),
    {
      matches: [at("/moved")],
      filters: [
        {
          type: "RequestRedirect",
          requestRedirect: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
        },
      ],
    },
    {
      matches: [at("/secure")],
      filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 308 } }],
    },
  ],
);

const BROKEN = route(
  "broken",
  ["broken.example"],
  [
    { ...to("prefix") },
    { matches: [at("/missing")], ...to("gone") },
    { matches: [at("/empty")], ...to("empty") },
    { matches: [at("/nothing")] },
    { matches: [at("/zero")], ...to("prefix", { weight: 0 }) },
    { matches: [at("/unknown")], filters: [{ type: "RateLimit" }], ...to("prefix") },
    { matches: [{ ...at("/glob/*.png", "Glob") }], ...to("prefix") },
  ],
);

beforeAll(async () => {
  const names = "prefix prefix-a exact regex post header query exact-host wide any".split(" ");
  const backends = await Promise.all(names.map((name) => scene.use(EchoBackend.start(name))));
  port = await freePort();
  gateway = await scene.use(
    Gateway.start({
      errors: [/ROUTE_/],
      files: {
        "site.yaml": yaml(
          gatewayOn({ http: port }),
          ...backends.map((backend) => service(backend.name, [{ port: backend.port }])),
          service("empty"),
          MATCHES,
          FILTERS,
          BROKEN,
          route("exact-host", ["a.b.example"], [{ matches: [at("/x")], ...to("exact-host") }]),
          route("wide", ["*.example"], [{ matches: [at("/x/longer")], ...to("wide") }]),
          route("any", [], [{ ...to("any") }]),
        ),
      },
    }),
  );
});

async function reached(request: Request): Promise<string | number> {
  const response = await gateway.send({ port, ...request });
  return response.status === 200 ? echoOf(response).backend : response.status;
}

describe("matches", () => {
  it.each([
    ["/", {}, "prefix"],
    ["/ab", {}, "prefix"],
    ["/a", {}, "prefix-a"],
    ["/a/exact", {}, "exact"],
    ["/a/exact/", {}, "prefix-a"],
    ["/a/12", {}, "regex"],
    ["/a/12", { method: "POST" }, "regex"],
    ["/a/x", { method: "POST" }, "post"],
    ["/a/x", { headers: [["x-version", "2"]] as const }, "header"],
    ["/a/x?v=2", {}, "query"],
    ["/a/x?v=1&v=2", {}, "prefix-a"],
    ["/a/x?v=2", { headers: [["x-version", "2"]] as const }, "header"],
    ["/b%20c/d", {}, "exact"],
  ])("%s %j is served by %s", async (path, more, backend) => {
    expect(await reached({ host: "match.example", path, ...more })).toBe(backend);
  });
});

describe("hostnames", () => {
  it.each([
    ["a.b.example", "/x/longer", "exact-host"],
    ["a.b.example:8080", "/x", "exact-host"],
    ["c.b.example", "/x/longer", "wide"],
    ["a.b.example", "/other", "any"],
    ["other.test", "/x/longer", "any"],
  ])("%s%s is served by %s", async (host, path, backend) => {
    expect(await reached({ host, path })).toBe(backend);
  });
});

describe("filters", () => {
  const host = "filter.example";

  it("change the headers of requests and responses", async () => {
    const headers = [
      ["X-Set", "old"],
      ["X-Add", "first"],
      ["X-Remove", "gone"],
    ] as const;
    const response = await gateway.send({ port, host, path: "/headers", headers });
    const echo = echoOf(response);
    expect(echo.all("x-set")).toEqual(["new"]);
    expect(echo.all("x-add").join(",").replace(/ /g, "")).toBe("first,more");
    expect(echo.all("x-remove")).toEqual([]);
    expect(echo.all("host")).toEqual(["inner.example"]);
    expect(response.header("x-answer")).toBe("yes");
  });

  it.each([
    ["/one", "/new"],
    ["/one/x?y=1", "/new/x?y=1"],
    ["/one/deep/x", "/new/x"],
    ["/two%20words/x", "/new/x"],
  ])("rewrite %s to %s, each prefix by itself", async (path, url) => {
    const echo = echoOf(await gateway.send({ port, host, path }));
    expect([echo.url, ...echo.all("host")]).toEqual([url, "rewritten.example"]);
  });

  it("redirect to the listener's port, and to the scheme's", async () => {
    const moved = await gateway.send({ port, host: `${host}:1`, path: "/moved/x" });
    expect([moved.status, moved.header("location")]).toEqual([302, `http://${host}:${port}/x`]);
    const secure = await gateway.send({ port, host, path: "/secure/x" });
    expect([secure.status, secure.header("location")]).toEqual([308, `https://${host}/secure/x`]);
  });
});

describe("rules that can't be done", () => {
  it.each([
    ["/other", "prefix"],
    ["/missing", 500],
    ["/empty", 503],
    ["/nothing", 500],
    ["/zero", 500],
    ["/unknown/x", 500],
    ["/glob/a.png", 500],
  ])("%s gives %s", async (path, expected) => {
    expect(await reached({ host: "broken.example", path })).toBe(expected);
  });
});
