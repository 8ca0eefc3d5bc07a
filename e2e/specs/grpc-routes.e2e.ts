import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  GATEWAY_API,
  GATEWAY_NAMESPACE,
  gatewayOn,
  httpRoute,
} from "../harness/gateway-manifests.js";
import type { Fields } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { Http2Client } from "../harness/http2-client.js";
import type { Http2Response } from "../harness/http2-client.js";
import type { Manifest } from "../harness/manifests.js";
import { service, yaml } from "../harness/manifests.js";
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

beforeAll(async () => {
  const web = await scene.use(EchoBackend.start("web"));
  for (const name of NAMES) backends.set(name, await scene.use(GrpcBackend.start()));
  port = await freePort();
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          gatewayOn({ http: port }),
          service("web", [{ port: web.port }]),
          ...[...backends].map(([name, backend]) => service(name, [{ port: backend.port }])),
          ROUTE,
          httpRoute("shop", ["shop.example"], [{ path: "/shop.Cart", service: "web" }]),
        ),
      },
    }),
  );
  client = await scene.use(Http2Client.open({ port }));
});

function call(path: string, headers: Record<string, string> = {}): Promise<Http2Response> {
  const own = { ":method": "POST", ":path": path, ":authority": "shop.example", te: "trailers" };
  const type = { "content-type": "application/grpc" };
  return client.send({ ...own, ...type, ...headers }, grpcMessage("two apples"));
}

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
