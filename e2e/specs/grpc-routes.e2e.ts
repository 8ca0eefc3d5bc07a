import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  type Fields,
  GATEWAY_API,
  GATEWAY_NAMESPACE,
  authFilter,
  authPolicy,
  gatewayOn,
  httpRoute,
  routeOf,
} from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { Http2Client, type Http2Response } from "../harness/http2-client.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { type Manifest, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const NAMES = ["method", "service", "any-service", "header", "expression"] as const;
let gateway: Gateway;
let client: Http2Client;
let port: number;
const backends = new Map<string, GrpcBackend>();

const rule = (name: (typeof NAMES)[number], match: Fields): Fields => ({
  matches: [match],
  backendRefs: [{ name, port: 80 }],
});

const ROUTE: Manifest = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: "GRPCRoute",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    parentRefs: [{ name: "edge", namespace: GATEWAY_NAMESPACE }],
    hostnames: ["shop.example"],
    rules: [
      rule("any-service", { method: { method: "Add" } }),
      rule("service", { method: { service: "shop.Cart" } }),
      rule("method", { method: { service: "shop.Cart", method: "Add" } }),
      rule("header", {
        method: { service: "shop.Cart" },
        headers: [{ name: "X-Tenant", value: "blue" }],
      }),
      rule("expression", {
        method: { type: "RegularExpression", service: "^stock\\.", method: "Count|Find" },
      }),
    ],
  },
};

const headers = (kind: "request" | "response", value: string): Fields => ({
  type: `${kind === "request" ? "Request" : "Response"}HeaderModifier`,
  [`${kind}HeaderModifier`]: { set: [{ name: `X-Of-${kind}`, value }] },
});

const to = (name: (typeof NAMES)[number], more: Fields = {}): Fields => ({
  name,
  port: 80,
  ...more,
});

const MORE: readonly Manifest[] = [
  routeOf("GRPCRoute", "filtered", [
    {
      filters: [headers("request", "rule"), headers("response", "rule")],
      backendRefs: [
        to("method"),
        to("service", { filters: [headers("request", "backend"), headers("response", "backend")] }),
      ],
    },
  ]),
  routeOf("GRPCRoute", "weighted", [
    { backendRefs: [to("method", { weight: 3 }), to("service", { weight: 1 })] },
  ]),
  routeOf("GRPCRoute", "private", [
    { filters: [authFilter("people")], backendRefs: [to("method")] },
  ]),
  routeOf("GRPCRoute", "targeted", [{ backendRefs: [to("method")] }]),
  routeOf("GRPCRoute", "broken", [
    { matches: [{ method: { method: "Gone" } }], backendRefs: [{ name: "gone", port: 80 }] },
    {
      matches: [{ method: { method: "Filter" } }],
      filters: [authFilter("nobody")],
      backendRefs: [to("method")],
    },
    { matches: [{ method: { type: "Glob", service: "a*" } }], backendRefs: [to("method")] },
    { matches: [{ method: { method: "Fine" } }], backendRefs: [to("method")] },
  ]),
];

beforeAll(async () => {
  const web = await scene.use(EchoBackend.start("web"));
  for (const name of NAMES) backends.set(name, await scene.use(GrpcBackend.start()));
  port = await freePort();
  gateway = await scene.use(
    Gateway.start({
      errors: [/ROUTE_|AUTH_FILTER_UNRESOLVED/],
      files: {
        "site.yaml": yaml(
          gatewayOn({ http: port }),
          service("web", [{ port: web.port }]),
          ...[...backends].map(([name, backend]) => service(name, [{ port: backend.port }])),
          ROUTE,
          MORE,
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          authPolicy("people", { basic: { secret: "default/users" } }, ["GRPCRoute/targeted"]),
          httpRoute("shop", ["shop.example"], [{ path: "/shop.Cart", service: "web" }]),
        ),
      },
    }),
  );
  client = await scene.use(Http2Client.open({ port }));
});

function call(
  path: string,
  more: Record<string, string> = {},
  host = "shop.example",
): Promise<Http2Response> {
  const own = { ":method": "POST", ":path": path, ":authority": host, te: "trailers" };
  const type = { "content-type": "application/grpc" };
  return client.send({ ...own, ...type, ...more }, grpcMessage("two apples"));
}

const callsOf = (name: (typeof NAMES)[number]) => backends.get(name)?.calls ?? [];

describe("a GRPCRoute", () => {
  it.each([
    ["/shop.Cart/Add", {}, "method"],
    ["/shop.Cart/Add", { "x-tenant": "blue" }, "method"],
    ["/shop.Cart/Remove", {}, "service"],
    ["/shop.Cart/Remove", { "x-tenant": "blue" }, "header"],
    ["/other.Cart/Add", {}, "any-service"],
    ["/stock.Shelf/CountAll", {}, "expression"],
  ] as const)("sends %s %j to %s", async (path, headers, name) => {
    const before = backends.get(name)?.calls.length ?? 0;
    const response = await call(path, headers);
    expect(response.trailers["grpc-status"]).toBe("0");
    expect(response.body).toEqual(grpcMessage("two apples"));
    expect(
      backends
        .get(name)
        ?.calls.slice(before)
        .map((each) => each[":path"]),
    ).toEqual([path]);
  });

  it.each(["/shop.Cartoon/Find", "/my.stock.Shelf/Count"])("implements no %s", async (path) => {
    const response = await call(path);
    expect([response.status, response.headers["grpc-status"]]).toEqual([200, "12"]);
  });

  it("leaves what is no gRPC to the HTTPRoute of the same host", async () => {
    const response = await gateway.send({ port, host: "shop.example", path: "/shop.Cart/Add" });
    expect(echoOf(response).backend).toBe("web");
  });
});

describe("filters of a GRPCRoute", () => {
  it("change the headers of calls and answers, those of a backend after those of the rule", async () => {
    const before = { method: callsOf("method").length, service: callsOf("service").length };
    const answers: unknown[] = [];
    for (let i = 0; i < 8; i += 1) {
      const response = await call("/a.B/C", {}, "filtered.example");
      answers.push(response.headers["x-of-response"]);
    }
    const seen = (["method", "service"] as const).map((name) =>
      callsOf(name)
        .slice(before[name])
        .map((each) => each["x-of-request"]),
    );

    expect(new Set(answers)).toEqual(new Set(["rule", "backend"]));
    expect(seen.map((values) => [...new Set(values)])).toEqual([["rule"], ["backend"]]);
  });

  it("may be AuthPolicies, which refuse as gRPC does", async () => {
    const refused = await call("/a.B/C", {}, "private.example");
    const known = { authorization: basic("ann", "secret") };
    const allowed = await call("/a.B/C", known, "private.example");

    expect([refused.status, refused.headers["grpc-status"]]).toEqual([200, "16"]);
    expect(allowed.trailers["grpc-status"]).toBe("0");
  });

  it("are there too where a policy targets the route", async () => {
    const known = { authorization: basic("ann", "secret") };

    expect((await call("/a.B/C", {}, "targeted.example")).headers["grpc-status"]).toBe("16");
    expect((await call("/a.B/C", known, "targeted.example")).trailers["grpc-status"]).toBe("0");
  });
});

describe("rules of a GRPCRoute", () => {
  it("share calls by weight", async () => {
    const before = [callsOf("method").length, callsOf("service").length];
    for (let i = 0; i < 40; i += 1) await call("/a.B/C", {}, "weighted.example");
    const made = [callsOf("method").length, callsOf("service").length].map(
      (count, i) => count - (before[i] ?? 0),
    );

    expect(made[0]).toBeGreaterThanOrEqual(28);
    expect(made[1]).toBeGreaterThanOrEqual(8);
    expect((made[0] ?? 0) + (made[1] ?? 0)).toBe(40);
  });

  it.each([
    ["/a.B/Gone", /^InvalidBackend : /],
    ["/a.B/Filter", /^InvalidRule : /],
    ["/a.B/Other", /^InvalidRule : /],
  ])("that can't be done are told as gRPC does: %s", async (path, reason) => {
    const response = await call(path, {}, "broken.example");

    expect(response.status).toBe(200);
    expect(response.headers["grpc-status"]).toMatch(/^(?:2|13|14)$/);
    expect(response.headers["x-alb-err-reason"]).toMatch(reason);
  });

  it("that can be done go on beside them", async () => {
    expect((await call("/a.B/Fine", {}, "broken.example")).trailers["grpc-status"]).toBe("0");
  });
});
