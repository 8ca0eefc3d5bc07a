/** A tenant's auth URL reaches no reserved address, whatever name or variable leads there. */
import { AuthService } from "../../../e2e/harness/auth-service.js";
import { DnsServer } from "../../../e2e/harness/dns-server.js";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { AuthUrl } from "../../../src/model/auth.js";
import { forwardAuth, text } from "../../support/forward-auth.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();
let gateway: LuaGateway;
let auth: AuthService;
let six: AuthService;

/** By host of the request: what the URL may have, whom it names, and whether it is asked. */
const CASES: Readonly<
  Record<string, readonly [AuthUrl["restricted"] | undefined, string, boolean, "six"?]>
> = {
  "operator.example": [undefined, "127.0.0.1", true],
  "literal.example": [{ allowed: [] }, "127.0.0.1", false],
  "variable.example": [{ allowed: [] }, "$http_x_host/host", false],
  "localhost.example": [{ allowed: [] }, "localhost", false],
  "six.example": [{ allowed: [] }, "::1", false, "six"],
  "mapped.example": [{ allowed: [] }, "::ffff:127.0.0.1", false],
  "name.example": [{ allowed: [] }, "rebound.test", false],
  "allowed.example": [{ allowed: ["127.0.0.0/8"] }, "127.0.0.1", true],
  "allowed-name.example": [{ allowed: ["127.0.0.1"] }, "rebound.test", true],
  "other.example": [{ allowed: ["127.0.0.2", "::1"] }, "127.0.0.1", false],
  "allowed-six.example": [{ allowed: ["::1"] }, "::1", true, "six"],
};

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  six = await scene.use(AuthService.start({ address: "::1" }));
  const dns = await scene.use(DnsServer.start({ "rebound.test": "127.0.0.1" }));
  const routes = Object.entries(CASES).map(([host, [restricted, named, , family]]) => {
    const port = family === "six" ? six.port : auth.port;
    const url = { host: text(named), ...(restricted && { restricted }) };
    return [host, { auth: [authPolicy({ forward: forwardAuth(port, "/", url) })] }] as const;
  });
  const healthy = { allowed: ["127.0.0.0/8"], healthPort: auth.port };
  const health: TestRoute = {
    auth: [authPolicy({ forward: forwardAuth(auth.port, "/", { restricted: healthy }) })],
  };
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: { ...Object.fromEntries(routes), "health.example": health },
      environment: { "dns.conf": `resolver 127.0.0.1:${String(dns.port)} ipv6=off;` },
    }),
  );
});

async function isAsked(host: string): Promise<boolean> {
  for (const service of [auth, six]) service.requests.splice(0);
  const headers = [["X-Host", "127.0.0.1"]] as const;
  const { status, reason } = await gateway.send({ host, headers });
  const asked = [...auth.requests, ...six.requests].length > 0;
  expect([status, reason]).toEqual(
    asked ? [200, undefined] : [500, "AuthFail : send-auth-request-fail"],
  );
  return asked;
}

it.each(Object.entries(CASES))("%s", async (host, [, , expected]) => {
  // What others may ask, and have asked, is in pools.
  expect(await isAsked("operator.example")).toBe(true);
  expect(await isAsked("allowed.example")).toBe(true);
  expect(await isAsked(host)).toBe(expected);
});

it("the health port of the machine is refused, even where its address is allowed", async () => {
  expect(await isAsked("health.example")).toBe(false);
  expect(gateway.newLog()).toContain("it is the health address of the gateway");
});
