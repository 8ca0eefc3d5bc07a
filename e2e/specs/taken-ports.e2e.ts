/** A port that nginx can't listen on costs its own listener, and nobody else. */
import { readFile } from "node:fs/promises";
import { type Server, createServer } from "node:net";
import { execa } from "execa";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { Request } from "../harness/http-client.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { type Manifest, ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

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
const gatewayAt = (name: string, port: number): readonly Manifest[] =>
  gatewayOn({ web: port })
    .map((object) =>
      object.kind === "Gateway" ? { ...object, metadata: { ...object.metadata, name } } : object,
    )
    .filter(({ kind }) => kind === "Gateway");
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

// nginx names few of its ports when it gives up, after 2.5 s each time, and only one that is no address of the machine.
describe("a hundred listeners on ports that can't be had cost nobody else their time", () => {
  const holders: Server[] = [];
  let gateways: string;
  const refusals = (gateway: Gateway): number =>
    gateway.albc.lines.filter(({ text }) => text.includes("can't listen on these ports")).length;

  beforeAll(async () => {
    const ports: number[] = [];
    for (let count = 0; count < 100; count += 1) {
      const server = createServer();
      holders.push(server);
      ports.push(await listen(server, { host: "0.0.0.0" }));
    }
    gateways = yaml(...ports.flatMap((port, index) => gatewayAt(`taken-${String(index)}`, port)));
  });
  afterAll(async () => {
    await Promise.all(holders.map((each) => new Promise((resolve) => each.close(resolve))));
  });

  it("at a start", async () => {
    const open = await freePort();
    const files = { "gateways.yaml": gateways, "gateway.yaml": listeners({ open }) };
    const gateway = await start(files);
    expect((await gateway.send(as("old"))).status).toBe(200);
    expect(refusals(gateway)).toBe(1);
  });

  it("later", async () => {
    const gateway = await start();
    const open = await freePort();
    await gateway.write("gateways.yaml", gateways);
    await gateway.write("gateway.yaml", listeners({ open }));
    const route = { host: "route.example", port: open };
    await gateway.until("the other listener serves", route, ({ status }) => status === 200);
    expect(refusals(gateway)).toBe(1);
  });
});

it("a start without any port serves nothing, and the port once it is free", async () => {
  const files = { "site.yaml": site(), "users.yaml": await users("old") };
  const options = { files, httpPort: taken, httpsPort: 0, errors: [/./] };
  const gateway = await scene.use(Gateway.start(options));
  await gateway.logged(/is in use by another process[^\n]*can't listen on these ports/);

  await new Promise((resolve) => holder.close(resolve));
  await gateway.write("users.yaml", await users("new"));
  await gateway.until("it serves", as("new"), ({ status }) => status === 200);
});

it("without the right to listen below 1024, other ports are served, and all once it has it", async () => {
  // Only root can make a network namespace, which has a sysctl of its own.
  if (process.getuid?.() !== 0) return;
  const files = { "site.yaml": site(), "gateway.yaml": listeners({ taken }) };
  const unprivileged = ["setpriv", "--bounding-set", "-net_bind_service"];
  const gateway = await scene.use(
    Gateway.start({
      ...{ files, httpPort: 80, httpsPort: 0, errors: [/./] },
      within: ["unshare", "--net", ...unprivileged],
    }),
  );
  await gateway.logged(/ip_unprivileged_port_start[^\n]*can't listen on these ports/);
  await gateway.logged(/PORT_UNAVAILABLE[^\n]*port 80 |port 80 [^\n]*PORT_UNAVAILABLE/);
  const { pid } = gateway.albc;
  expect(await listening(pid)).toEqual([taken]);

  const space = ["nsenter", "--target", String(pid), "--net"];
  await execa`${space} sysctl --quiet --write net.ipv4.ip_unprivileged_port_start=80`;
  await gateway.write("users.yaml", await users("new"));
  await waitFor("it listens there", async () => (await listening(pid)).includes(80));
});

/** The TCP ports in the network namespace of the process that something listens on, on every IPv4 address (proc_pid_net(5)). */
async function listening(pid: number): Promise<readonly number[]> {
  const table = await readFile(`/proc/${String(pid)}/net/tcp`, "utf8");
  const ports = [...table.matchAll(/: 00000000:([0-9A-F]{4}) \S+ 0A /g)];
  return [...new Set(ports.map(([, port = ""]) => parseInt(port, 16)))];
}
