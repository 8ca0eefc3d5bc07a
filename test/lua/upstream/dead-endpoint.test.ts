/** An endpoint that refuses connections has its own turns only, and its requests go to all others evenly. */
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { freePort } from "../../support/free-port.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();

const ROUTES: readonly (readonly [number, string, TestRoute])[] = [
  [2, "plain", {}],
  [4, "plain", {}],
  [4, "with retries", { retry: { codes: [503], attempts: 1 } }],
];

test.each(ROUTES)("one of %d endpoints of a route, %s", async (count, _kind, route) => {
  const living = await Promise.all(
    Array.from({ length: count - 1 }, (_, i) => scene.use(EchoBackend.start(String(i)))),
  );
  const dead = await freePort();
  const ports = [dead, ...living.map(({ port }) => port)];
  const upstream = "pool";
  const gateway = await scene.use(
    LuaGateway.start({
      backend: dead,
      routes: { "a.example": { ...route, backends: [{ upstream, weight: 1, protocol: "http" }] } },
      upstreams: [{ id: upstream, endpoints: ports.map((port) => ["127.0.0.1", port] as const) }],
    }),
  );
  const each = 12;
  const statuses: number[] = [];
  for (let i = 0; i < count * each; i += 1)
    statuses.push((await gateway.send({ host: "a.example" })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(gateway.newLog().match(/connect\(\) failed/g)).toHaveLength(each);
  const share = each + each / living.length;
  expect(living.map(({ requests }) => requests.length)).toEqual(living.map(() => share));
});
