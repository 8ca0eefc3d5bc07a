/** What a start with other options changes in workers that keep running. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthService } from "../../../e2e/harness/auth-service.js";
import { selfSigned } from "../../../e2e/harness/certificates.js";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { PolicyDocument } from "../../../src/model/policy.js";
import { ControlClient } from "../../../src/output/control-client.js";
import { externalAuth, forwardAuth } from "../../support/forward-auth.js";
import { authPolicy, LuaGateway } from "../../support/lua-gateway.js";
import { type Answer, ScriptedServer, drip } from "../../support/scripted-server.js";
import { until } from "../../support/until.js";

const scene = useScene();
/** Since the start of the gateway that is changed. */
let changes = 0;
beforeEach(() => (changes = 0));

async function change(
  { nginx: { dir } }: LuaGateway,
  settings: Partial<PolicyDocument["settings"]>,
): Promise<void> {
  const policy = JSON.parse(readFileSync(join(dir, "policy.json"), "utf8")) as PolicyDocument;
  const text = JSON.stringify({ ...policy.settings, ...settings });
  const control = new ControlClient(dir);
  const [from, to] = [
    changes === 0 ? policy.version : `changed-${changes}`,
    `changed-${++changes}`,
  ];
  await control.put(`albc-policy ${policy.format} ${from} ${to}\n=\tsettings\t-\t${text}\n`);
  await until(async () => (await control.status()).workers[0]?.version === to);
}

test("certificates of auth services are checked from the change on that asks for it", async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const service = await scene.use(AuthService.start({ tls: await selfSigned("127.0.0.1") }));
  const https = { scheme: "https" } as const;
  const gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      options: { auth: { timeout: 5000, tlsVerify: false } },
      routes: {
        "forward.example": {
          auth: [authPolicy({ forward: forwardAuth(service.port, "/", https) })],
        },
        "external.example": {
          auth: [authPolicy({ external: externalAuth(service.port, "/", https) })],
        },
      },
    }),
  );
  const statuses = async () => [
    (await gateway.send({ host: "forward.example" })).status,
    (await gateway.send({ host: "external.example" })).status,
  ];
  expect(await statuses()).toEqual([200, 200]);

  await change(gateway, { authTlsVerify: true });
  const asked = service.requests.length;
  expect(await statuses()).not.toContain(200);
  expect(service.requests).toHaveLength(asked);
});

/** A head that never ends, a letter every tenth of a second. */
const SLOW = drip(Array.from("HTTP/1.1 200 OK\r\nX-Long: ".padEnd(200, "x")), 100);

// 5 s are also the limits of a socket in nginx.conf.
test("the time of an auth service counts from the question on, in workers that keep running, too", async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const service = await scene.use(ScriptedServer.start());
  const gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      options: { auth: { timeout: 5000, tlsVerify: true } },
      routes: { "a.example": { auth: [authPolicy({ forward: forwardAuth(service.port, "/") })] } },
    }),
  );
  /** The other limits are further away than a busy machine makes an answer late. */
  const expectAnswer = async (status: number, seconds: number, answer?: Answer): Promise<void> => {
    const started = performance.now();
    if (answer !== undefined) service.answer = answer;
    expect((await gateway.send({ host: "a.example" })).status).toBe(status);
    const late = (performance.now() - started) / 1000 - seconds;
    expect(late).toBeGreaterThan(-0.1);
    expect(late).toBeLessThan(1.4);
  };
  // The connection is kept, and used again.
  await expectAnswer(200, 0);
  await expectAnswer(500, 5, () => undefined);
  await expectAnswer(500, 5, SLOW);
  await change(gateway, { authTimeout: 1500 });
  await expectAnswer(500, 1.5);
  await change(gateway, { authTimeout: 7000 });
  await expectAnswer(500, 7);
}, 40_000);
