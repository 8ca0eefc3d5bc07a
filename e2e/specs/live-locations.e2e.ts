/** Settings that need locations of their own come by a reload, and workers of before it have their policy already: no request notices. */
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { GATEWAY_API } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { Load, only200 } from "../harness/load.js";
import { type Manifest, ingress, nginx, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { gatewayWith } from "../harness/stream-manifests.js";

const scene = useScene();
const ROUNDS = 6;

/** Each round has statuses, codes and a limit that no round before has. */
function routes(round: number): readonly Manifest[] {
  const codes = [500, 502, 503, 504].filter((_, bit) => ((round >> bit) & 1) === 1);
  const rule = {
    backendRefs: [{ name: "web", port: 80 }],
    ...(round > 0 && { retry: { codes, attempts: 1 } }),
  };
  return [
    ingress("web", {
      annotations: nginx(
        round === 0
          ? {}
          : {
              "custom-http-errors": String(410 + round),
              "default-backend": "web",
              "proxy-body-size": `${String(10 * round)}k`,
            },
      ),
      hosts: { "ingress.example": [{ service: "web" }] },
    }),
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "HTTPRoute",
      metadata: { name: "web", namespace: "default" },
      spec: { parentRefs: [{ name: "edge" }], hostnames: ["route.example"], rules: [rule] },
    },
  ];
}

it("requests of routes with new sets of statuses and codes, and new body limits, have answers", async () => {
  const port = await freePort();
  const backend = await scene.use(EchoBackend.start("web"));
  const gateway = await scene.use(
    Gateway.start({
      files: {
        "edge.yaml": yaml(
          ...gatewayWith([{ name: "http", port, protocol: "HTTP" }]),
          ...service("web", [{ port: backend.port }]),
        ),
        "routes.yaml": yaml(...routes(0)),
      },
    }),
  );
  const requests = [
    { method: "POST", path: "/chunked", chunked: true, body: "x".repeat(9000) },
    { method: "POST", path: "/whole", body: "x".repeat(9000) },
    { path: "/get" },
  ];
  const loads = await Promise.all(
    [
      { host: "ingress.example", ...gateway.target() },
      { host: "route.example", ...gateway.target({ port }) },
    ].map(({ host, ...target }) =>
      scene.use(
        Promise.resolve(
          new Load({
            target,
            requests: requests.map((request) => ({ ...request, host })),
            check: only200,
          }),
        ),
      ),
    ),
  );
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = await gateway.readRunFile("nginx.conf");
    await gateway.change("routes.yaml", yaml(...routes(round)));
    // A namespace is reloaded once a second.
    await waitFor("nginx is reloaded", async () => {
      return (await gateway.readRunFile("nginx.conf")) !== before;
    });
    await Promise.all(loads.map((load) => load.more(50)));
  }
  for (const load of loads) {
    const { completed, failures } = await load.stop();
    expect(completed).toBeGreaterThan(ROUNDS * 50);
    expect(failures).toEqual([]);
  }
}, 120_000);
