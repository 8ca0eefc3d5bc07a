/** A port that another process has costs its own listener, and nobody else. */
import { type Server, createServer } from "node:net";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { Request } from "../harness/http-client.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "web.example";
let backend: EchoBackend;
let holder: Server;
let taken: number;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});
beforeEach(async () => {
  holder = createServer();
  taken = await listen(holder, { host: "0.0.0.0" });
});
afterEach(async () => {
  await new Promise((resolve) => holder.close(resolve));
});

const site = (): string =>
  yaml(
    service("web", [{ port: backend.port }]),
    ingress("web", {
      hosts: { [HOST]: [{ service: "web" }] },
      annotations: nginx({ "auth-type": "basic", "auth-secret": "users" }),
    }),
  );
const users = async (password: string): Promise<string> =>
  yaml(secret("users", { auth: await htpasswdLine("ann", password) }));
const listeners = (ports: Readonly<Record<string, number>>): string =>
  yaml(...gatewayOn(ports), httpRoute("route", ["route.example"], [{ service: "web" }]));
const as = (password: string): Request => ({
  host: HOST,
  headers: [["Authorization", basic("ann", password)]],
});

async function start(more: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const files = { "site.yaml": site(), "users.yaml": await users("old"), ...more };
  return scene.use(Gateway.start({ files, errors: [/./] }));
}

it("a listener on a taken port holds up no other listener and no password", async () => {
  const gateway = await start();
  const open = await freePort();
  expect((await gateway.send(as("old"))).status).toBe(200);

  await gateway.write("gateway.yaml", listeners({ taken, open }));
  await gateway.logged(
    new RegExp(`PORT_UNAVAILABLE[^\\n]*${taken}|${taken}[^\\n]*PORT_UNAVAILABLE`),
  );
  await gateway.write("users.yaml", await users("new"));
  await gateway.until("the new password is taken", as("new"), ({ status }) => status === 200);

  // One worker may be a moment later than the other.
  await gateway.until("the old one is not", as("old"), ({ status }) => status === 401);
  const route = { host: "route.example", port: open };
  await gateway.until("the other listener serves", route, ({ status }) => status === 200);

  // Once it is free, the next change has it.
  await new Promise((resolve) => holder.close(resolve));
  await gateway.write("users.yaml", await users("newer"));
  await gateway.until("it serves", { ...route, port: taken }, ({ status }) => status === 200);
});

it("a port that is taken at the start does not keep the others from being served", async () => {
  const gateway = await start({ "gateway.yaml": listeners({ taken }) });
  await gateway.logged(/PORT_UNAVAILABLE/);
  expect((await gateway.send(as("old"))).status).toBe(200);
});
