/** Texts with values of the request: however often a template repeats one, neither time nor memory of a worker grows with it. */
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { useScene } from "../../e2e/harness/scene.js";
import type { HeaderTemplate } from "../../src/model/auth.js";
import { forwardAuth, text } from "../support/forward-auth.js";
import { parseCaptures } from "../../src/translate/auth/template.js";
import { authPolicy, LuaGateway, type TestRoute } from "../support/lua-gateway.js";
import { startLuaNginx } from "../support/lua-nginx.js";
import { ScriptedServer, say } from "../support/scripted-server.js";
import { MOST_MS, workerTime } from "../support/worker-time.js";

const scene = useScene();
const GROWN = "BadRequest : too long with the values of the request";
const AUTH_GROWN = "AuthFail : auth request too long with the values of the request";
const SIGNIN = "AuthFail : resolve-signinurl-fail";

const many = (count: number, part: string) => text(...Array.from({ length: count }, () => part));
const headers = (count: number, ...parts: readonly string[]): readonly HeaderTemplate[] =>
  Array.from({ length: count }, (_, index) => [`X-${String(index)}`, text(...parts)]);
const rewrite = (replacement: string, whole: boolean): TestRoute => ({
  rewrite: ["regex", "/(.*)", "", parseCaptures(replacement), whole],
});

/** Each template, and what it answers to a long target. */
function templates(auth: number, refusing: number) {
  const asks = (parts: Parameters<typeof forwardAuth>[2], port = auth): TestRoute => ({
    auth: [authPolicy({ forward: forwardAuth(port, "/", parts) })],
  });
  const url = (part: string) => asks({ target: many(2000, part) });
  return {
    "url.example": [url("$uri"), 414, AUTH_GROWN],
    "encoded-url.example": [url("$request_uri/component"), 414, AUTH_GROWN],
    "host.example": [asks({ host: many(3000, "$http_host/host") }), 414, AUTH_GROWN],
    "port.example": [
      asks({ port: many(9000, "$server_port/host") }),
      500,
      "AuthFail : build-auth-request-fail",
    ],
    "headers.example": [asks({ headers: headers(240, "$request_uri") }), 414, AUTH_GROWN],
    "header.example": [
      asks({ headers: [["X", many(2000, "$escaped_request_uri")]] }),
      414,
      AUTH_GROWN,
    ],
    "host-header.example": [
      asks({ headers: [["Host", many(2000, "$request_uri")]] }),
      414,
      AUTH_GROWN,
    ],
    "redirect.example": [asks({ requestRedirect: many(2000, "$request_uri") }), 414, AUTH_GROWN],
    "signin.example": [
      asks({ signin: ["http://login/?", ...many(2000, "$request_uri")] }, refusing),
      401,
      SIGNIN,
    ],
    "rewrite.example": [rewrite(`/${"$1".repeat(30_000)}`, true), 414, GROWN],
    "encoded-rewrite.example": [rewrite(`/${"$1".repeat(6)}`, true), 414, GROWN],
    "query.example": [rewrite(`/?${"$1".repeat(30_000)}`, true), 414, GROWN],
    "part.example": [rewrite("$1".repeat(30_000), false), 414, GROWN],
    "url-redirect.example": [
      {
        redirect: {
          status: 302,
          url: parseCaptures(`/${"$1".repeat(30_000)}`),
          captures: ["/(.*)", ""],
        },
      },
      414,
      GROWN,
    ],
    "base.example": [{ rewrite: ["prefix", "/", `/${"b".repeat(32_000)}`] }, 414, GROWN],
    "moved.example": [
      {
        redirect: {
          status: 302,
          path: ["regex", "/(.*)", "", parseCaptures(`/${"$1".repeat(30_000)}`), true],
        },
      },
      414,
      GROWN,
    ],
  } as const satisfies Record<string, readonly [TestRoute, number, string]>;
}

let gateway: LuaGateway;
let ran: () => number;
let nginx: Awaited<ReturnType<typeof startLuaNginx>>;
let backend: EchoBackend;
beforeAll(async () => {
  nginx = await startLuaNginx();
  backend = await scene.use(EchoBackend.start("web"));
  const refusing = await scene.use(ScriptedServer.start());
  refusing.answer = say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
  const routes = Object.entries(templates(backend.port, refusing.port));
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: Object.fromEntries(routes.map(([host, [route]]) => [host, route])),
    }),
  );
  ran = await workerTime(gateway.nginx);
});
afterAll(() => nginx.stop());

const TEMPLATES = Object.entries(templates(1, 1)).map(
  ([host, [, status, reason]]) => [host, status, reason] as const,
);

it.each(TEMPLATES)("%s refuses a long target with %s %s", async (host, status, reason) => {
  const target = `/${"%C3%A4b".repeat(2000)}`;
  const costs: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const before = ran();
    const response = await gateway.send({ host, path: `${target}?${"q".repeat(1500)}` });
    const cost = ran() - before;
    expect([response.status, response.reason]).toEqual([status, reason]);
    const [slowness] = await nginx.call("regular_expressions", "slowness");
    costs.push(cost / (slowness as number));
  }
  expect(Math.min(...costs)).toBeLessThan(MOST_MS);
});
