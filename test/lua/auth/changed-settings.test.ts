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
import { until } from "../../support/until.js";

const scene = useScene();

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

  const { dir } = gateway.nginx;
  const policy = JSON.parse(readFileSync(join(dir, "policy.json"), "utf8")) as PolicyDocument;
  const settings = JSON.stringify({ ...policy.settings, authTlsVerify: true });
  const control = new ControlClient(dir);
  await control.put(
    `albc-policy ${policy.format} ${policy.version} checked\n=\tsettings\t-\t${settings}\n`,
  );
  await until(async () => (await control.status()).workers[0]?.version === "checked");
  const asked = service.requests.length;
  expect(await statuses()).not.toContain(200);
  expect(service.requests).toHaveLength(asked);
});
