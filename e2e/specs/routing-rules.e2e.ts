import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import type { Request } from "../harness/http-client.js";
import {
  type Manifest,
  alb2,
  frontend,
  ingress,
  namespace,
  rule,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const OWNER = { alb: "edge", frontend: "web" };
let gateway: Gateway;
let port: number;
let otherPort: number;

type Term = readonly [type: string, rows: readonly (readonly string[])[], key?: string];

/** A rule on the backend of its own name, for requests to `<name>.rule.example` that fulfil the terms. */
function on(name: string, ...terms: readonly Term[]): Manifest {
  return rule(name, OWNER, {
    dslx: [
      { type: "HOST", values: [["EQ", `${name}.rule.example`]] },
      ...terms.map(([type, values, key]) => ({ type, values, ...(key !== undefined && { key }) })),
    ],
    serviceGroup: serviceGroup({ rules: 100 }),
  });
}

/** A rule for one host and path prefix. */
function pathRule(name: string, path: string, more: Record<string, unknown>): Manifest {
  return rule(name, OWNER, {
    dslx: [
      { type: "HOST", values: [["EQ", "order.example"]] },
      { type: "URL", values: [["STARTS_WITH", path]] },
    ],
    ...more,
  });
}

beforeAll(async () => {
  const names = ["rules", "first", "second", "ingress", "default", "private"];
  const backends = await Promise.all(names.map((name) => scene.use(EchoBackend.start(name))));
  [port, otherPort] = [await freePort(), await freePort()];
  gateway = await scene.use(
    Gateway.start({
      files: {
        "services.yaml": yaml(...backends.map(({ name, port }) => service(name, [{ port }]))),
        "alb.yaml": yaml(
          namespace("default", { "cpaas.io/project": "shop" }),
          namespace("elsewhere", { "cpaas.io/project": "bank" }),
          alb2("edge", { projects: ["shop"], ingressHTTPPort: port, ingressHTTPSPort: 0 }),
          frontend("web", "edge", { port }),
          frontend("other", "edge", {
            port: otherPort,
            serviceGroup: serviceGroup({ default: 100 }),
          }),
        ),
        "rules.yaml": yaml(
          on("method", ["METHOD", [["EQ", "DELETE"]]]),
          on("in", ["URL", [["IN", "/one", "/two"]]]),
          on("starts", ["URL", [["STARTS_WITH", "/ab"]]]),
          on("regex", ["URL", [["REGEX", "[0-9]{3}/x$"]]]),
          on("header", ["HEADER", [["EQ", "blue"]], "X-Colour-Name"]),
          on("exists", ["HEADER", [["EXIST"]], "x-flag"]),
          on("query", ["PARAM", [["EQ", "a b"]], "q"]),
          on("cookie", ["COOKIE", [["STARTS_WITH", "v2"]], "canary"]),
          on("address", ["SRC_IP", [["RANGE", "127.0.0.5", "127.0.0.7"]]]),
          on("rows", [
            "PARAM",
            [
              ["EQ", "1"],
              ["EQ", "2"],
            ],
            "a",
          ]),
          on("terms", ["PARAM", [["EQ", "1"]], "a"], ["METHOD", [["IN", "PUT", "POST"]]]),
          rule("suffix", OWNER, {
            dslx: [{ type: "HOST", values: [["ENDS_WITH", "*.tail.example"]] }],
            serviceGroup: serviceGroup({ rules: 100 }),
          }),
          pathRule("late", "/p", { priority: 6, serviceGroup: serviceGroup({ second: 100 }) }),
          pathRule("early", "/p", { priority: 4, serviceGroup: serviceGroup({ first: 100 }) }),
          pathRule("wide-early", "/q", { priority: 3, serviceGroup: serviceGroup({ first: 100 }) }),
          pathRule("long-late", "/q/longer", {
            priority: 4,
            serviceGroup: serviceGroup({ second: 100 }),
          }),
          pathRule("wide", "/r", { priority: 5, serviceGroup: serviceGroup({ second: 100 }) }),
          pathRule("long", "/r/longer", {
            priority: 5,
            serviceGroup: serviceGroup({ first: 100 }),
          }),
          pathRule("before-ingress", "/i", {
            priority: 4,
            serviceGroup: serviceGroup({ first: 100 }),
          }),
          pathRule("after-ingress", "/j", {
            priority: 6,
            serviceGroup: serviceGroup({ second: 100 }),
          }),
        ),
        "ingress.yaml": yaml(
          ingress("shop", {
            hosts: {
              "order.example": [
                { path: "/i/longer", service: "ingress" },
                { path: "/j", service: "ingress" },
              ],
            },
          }),
          ingress("classed", {
            className: "edge",
            hosts: { "classed.example": [{ service: "ingress" }] },
          }),
          ingress("foreign-class", {
            className: "other-balancer",
            hosts: { "foreign.example": [{ service: "ingress" }] },
          }),
          ingress("foreign-project", {
            namespace: "elsewhere",
            hosts: { "bank.example": [{ service: "private" }] },
          }),
        ),
        "bank.yaml": yaml(service("private", [{ port: backends[5]?.port ?? 0 }], "elsewhere")),
      },
    }),
  );
});

async function reached(request: Request & { from?: string; port?: number }): Promise<unknown> {
  const response = await gateway.send({ port, ...request });
  return response.status === 200 ? echoOf(response).backend : response.status;
}

describe("a rule's dslx", () => {
  it.each<[string, string, Request & { from?: string }, boolean]>([
    ["METHOD EQ", "method", { method: "DELETE" }, true],
    ["METHOD EQ", "method", { method: "GET" }, false],
    ["URL IN", "in", { path: "/two" }, true],
    ["URL IN", "in", { path: "/two/" }, false],
    ["URL STARTS_WITH as a string", "starts", { path: "/abc" }, true],
    ["URL STARTS_WITH as a string", "starts", { path: "/a" }, false],
    ["URL REGEX unanchored", "regex", { path: "/some/123/x" }, true],
    ["URL REGEX unanchored", "regex", { path: "/some/12/x" }, false],
    ["HEADER EQ on a name with dashes", "header", { headers: [["x-colour-name", "blue"]] }, true],
    ["HEADER EQ on a name with dashes", "header", { headers: [["x-colour-name", "red"]] }, false],
    ["HEADER EQ without the header", "header", {}, false],
    ["HEADER EXIST", "exists", { headers: [["X-Flag", "anything"]] }, true],
    ["HEADER EXIST", "exists", {}, false],
    ["PARAM EQ on the decoded value", "query", { path: "/?x=1&q=a%20b" }, true],
    ["PARAM EQ on the decoded value", "query", { path: "/?q=ab" }, false],
    ["COOKIE STARTS_WITH", "cookie", { headers: [["Cookie", "a=1; canary=v2.1"]] }, true],
    ["COOKIE STARTS_WITH", "cookie", { headers: [["Cookie", "a=1; canary=v1"]] }, false],
    ["SRC_IP RANGE", "address", { from: "127.0.0.6" }, true],
    ["SRC_IP RANGE", "address", { from: "127.0.0.8" }, false],
    ["rows as alternatives", "rows", { path: "/?a=2" }, true],
    ["rows as alternatives", "rows", { path: "/?a=3" }, false],
    ["terms together", "terms", { path: "/?a=1", method: "POST" }, true],
    ["terms together", "terms", { path: "/?a=1", method: "GET" }, false],
  ])("takes %s (%s, %j: %s)", async (_, name, request, matches) => {
    const host = `${name}.rule.example`;

    expect(await reached({ host, ...request })).toBe(matches ? "rules" : 404);
  });

  it("takes HOST ENDS_WITH for one label", async () => {
    expect(await reached({ host: "a.tail.example" })).toBe("rules");
    expect(await reached({ host: "a.b.tail.example" })).toBe(404);
    expect(await reached({ host: "xtail.example" })).toBe(404);
  });

  it("does not believe a client that claims another address", async () => {
    const headers = [
      ["X-Real-IP", "127.0.0.6"],
      ["X-Forwarded-For", "127.0.0.6"],
    ] as const;

    expect(await reached({ host: "address.rule.example", headers })).toBe(404);
  });
});

describe("the order of rules", () => {
  it.each([
    ["/p", "first", "the lower priority number, of two with the same matches"],
    ["/q/longer/x", "first", "the lower priority number, although the other is more specific"],
    ["/r/longer/x", "first", "the longer path, at equal priority"],
    ["/r/other", "second", "whatever still matches"],
    ["/i/longer", "first", "a Rule of priority 4 before an Ingress, which has 5"],
    ["/j", "ingress", "an Ingress before a Rule of priority 6"],
  ])("for %s prefers %s: %s", async (path, backend) => {
    expect(await reached({ host: "order.example", path })).toBe(backend);
  });
});

describe("an ALB2", () => {
  it("serves a Frontend's own backends where no rule matches", async () => {
    expect(await reached({ host: "whoever.example", port: otherPort })).toBe("default");
  });

  it("keeps its Frontends apart", async () => {
    expect(await reached({ host: "order.example", path: "/p", port: otherPort })).toBe("default");
  });

  it("serves Ingresses of its own class and of none", async () => {
    expect(await reached({ host: "classed.example" })).toBe("ingress");
    expect(await reached({ host: "foreign.example" })).toBe(404);
  });

  it("serves Ingresses of its projects' namespaces only", async () => {
    expect(await reached({ host: "bank.example" })).toBe(404);
  });
});
