/** What a request costs a worker, in processor time, however many headers the settings of its route change. */
import { EchoBackend, asking } from "../../e2e/harness/echo-backend.js";
import { useScene } from "../../e2e/harness/scene.js";
import { type Compilation, compile } from "../../src/compile.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { MOST_HEADERS, MOST_OPEN_HEADERS } from "../../src/translate/size-limits.js";
import { COSTLY_HEADERS, COSTLY_PATTERNS } from "../support/costly-headers.js";
import type { Manifest } from "../support/costly-objects.js";
import { forwardAuth } from "../support/forward-auth.js";
import { authPolicy, LuaGateway, type TestRoute } from "../support/lua-gateway.js";
import { startLuaNginx } from "../support/lua-nginx.js";
import { MOST_MS, workerTime } from "../support/worker-time.js";

const scene = useScene();
/** As many as fit into an object's annotations, with short names. */
const TOO_MANY = 9000;

const CASES: readonly (readonly [string, readonly Manifest[]])[] = [
  ...Object.entries(COSTLY_HEADERS).flatMap(([what, make]) =>
    [TOO_MANY, MOST_HEADERS].map((n) => [`${String(n)}: ${what}`, make(n)] as const),
  ),
  ...Object.entries(COSTLY_PATTERNS).flatMap(([what, make]) =>
    [TOO_MANY, MOST_OPEN_HEADERS].map((n) => [`${String(n)}: ${what}`, make(n)] as const),
  ),
];
const hostOf = (index: number): string => `h${String(index)}.example`;

function compiled(objects: readonly Manifest[]): Compilation {
  const { resources } = resourcesFromObjects(objects);
  return compile(resources, { ...DEFAULT_OPTIONS, snippets: "translate" });
}

/** What the only Ingress of the objects makes of its path. */
function routeOf(objects: readonly Manifest[], port: number): TestRoute {
  const { routes, auths } = compiled(objects).config;
  const { requestHeaders, responseHeaders, requestSteps, responseSteps } = routes[0] ?? {};
  return {
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
    ...(requestSteps && { requestSteps }),
    ...(responseSteps && { responseSteps }),
    auth: auths.flatMap(({ forward }) =>
      forward === undefined
        ? []
        : [
            authPolicy({
              forward: forwardAuth(port, "/", {
                headers: forward.headers ?? [],
                responseHeaders: forward.responseHeaders ?? [],
              }),
            }),
          ],
    ),
  };
}

let gateway: LuaGateway;
let ran: () => number;
let nginx: Awaited<ReturnType<typeof startLuaNginx>>;
beforeAll(async () => {
  nginx = await startLuaNginx();
  const { port } = await scene.use(EchoBackend.start("a"));
  const routes = CASES.map(
    ([, objects], index) => [hostOf(index), routeOf(objects, port)] as const,
  );
  gateway = await scene.use(
    LuaGateway.start({ backend: port, routes: Object.fromEntries(routes) }),
  );
  ran = await workerTime(gateway.nginx);
}, 60_000);
afterAll(() => nginx.stop());

const many = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => [`${letter}${String(i)}`, "1"] as const);
const REQUESTS = [
  ["a plain request", []],
  ["a request of many headers", many("x", 900)],
  ["an answer of many headers", [asking({ headers: many("y", 900) })]],
] as const;

describe.each(CASES.map(([what], index) => [what, hostOf(index)] as const))("%s", (_what, host) => {
  it.each(REQUESTS)("%s", async (_request, headers) => {
    const costs: number[] = [];
    for (let run = 0; run < 4 && (run === 0 || Math.min(...costs) > MOST_MS / 2); run += 1) {
      const before = ran();
      const { status } = await gateway.send({ host, path: "/", headers });
      // Of the backend, which has too many headers then, or since the auth service's answer has.
      expect([200, 431, 500]).toContain(status);
      const cost = ran() - before;
      const [slowness] = await nginx.call("regular_expressions", "slowness");
      costs.push(cost / (slowness as number));
    }
    expect(Math.min(...costs)).toBeLessThan(MOST_MS);
  });
});
