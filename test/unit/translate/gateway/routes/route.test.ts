/** The routes of one HTTPRoute or GRPCRoute, and where they are bound. */
import {
  gateway,
  grpcRoute,
  httpRoute,
  object,
  WEB,
} from "../../../../support/gateway-route-objects.js";
import { type Translated, translated } from "../../../../support/translated.js";

const HTTP = { name: "http", port: 80, protocol: "HTTP" };
const OTHER = { name: "other", port: 8080, protocol: "HTTP" };
const RULE = { backendRefs: WEB };

function ids({ config }: Translated): readonly string[] {
  return config.routes.map(({ id }) => id);
}

test("listeners share the routes of a rule, and its bindings", () => {
  const result = translated(gateway([HTTP, OTHER]) + httpRoute("r", [RULE]));
  expect(ids(result)).toEqual(["httproute/default/r/0"]);
  const at = result.bindings("httproute/default/r/0").map((binding) => binding.at);
  expect(at).toMatchObject([
    [{ listeners: ["gateway/default/gw/http", "gateway/default/gw/other"] }],
  ]);
});

test("Gateways with different body limits have routes of their own", () => {
  const infrastructure = { parametersRef: { group: "", kind: "ConfigMap", name: "small" } };
  const spec = { gatewayClassName: "albc", listeners: [OTHER], infrastructure };
  const parameters = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "small", namespace: "default" },
    data: { bodyLimit: "1k" },
  });
  const parentRefs = [{ name: "gw" }, { name: "small" }];
  const result = translated(
    `${gateway([HTTP])}${object("Gateway", "small", spec)}\n---\n${parameters}` +
      httpRoute("r", [RULE], { parentRefs }),
  );
  expect(result.config.routes.map(({ id, bodyLimit }) => [id, bodyLimit])).toEqual([
    ["httproute/default/r/0", undefined],
    ["httproute/default/r/0@gateway/default/small/other", 1024],
  ]);
});

test("a route that can't be read as written refuses its requests", () => {
  const result = translated(
    gateway() + httpRoute("r", [RULE], { hostnames: ["10.0.0.1", "a.example"] }),
  );
  expect(result.route("httproute/default/r/0").refuse).toEqual([
    500,
    "InvalidRule : invalid cfg spec.hostnames[0]",
  ]);
  expect(result.tried(80)).toEqual(["a.example prefix / → httproute/default/r/0"]);
});

test("a route whose parents are none of ours is not translated, and has an empty status", () => {
  const foreign = { parentRefs: [{ kind: "Other", name: "x" }], hostnames: ["10.0.0.1"] };
  const result = translated(gateway() + httpRoute("r", [RULE], foreign));
  expect(ids(result)).toEqual([]);
  expect(result.messages("ROUTE_VALUE_UNSUPPORTED")).toEqual([]);
  expect(result.statuses.find(({ kind }) => kind === "HTTPRoute")?.status).toEqual({ parents: [] });
});

test("redirects run after the auth of policies, and rules without a policy inherit", () => {
  const redirect = { type: "RequestRedirect", requestRedirect: { hostname: "b.example" } };
  const result = translated(gateway() + httpRoute("r", [{ filters: [redirect] }, RULE]));
  expect(result.route("httproute/default/r/0")).toMatchObject({ authFirst: true });
  expect(result.route("httproute/default/r/1").ownAuth).toBeUndefined();
});

test("a GRPCRoute is bound for requests of gRPC alone", () => {
  const result = translated(gateway() + grpcRoute("r", [{ backendRefs: WEB }]));
  const [binding] = result.bindings("grpcroute/default/r/0");
  expect(binding?.when).toEqual([
    { of: "header", key: "content-type", any: [["start", "application/grpc"]] },
  ]);
});
