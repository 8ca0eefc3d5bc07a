/** With --nginx-user the master of nginx is root and its workers are not: nothing that the master reads or makes may be theirs to change. */
import { readFile, readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { Authority, type KeyPair, selfSigned } from "../harness/certificates.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { GATEWAY_API, gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { basic, siteWithLogin } from "../harness/htpasswd.js";
import { configMap, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const HOST = "web.example";
/** On Debian its group has another name: nogroup. */
const USER = "nobody";
const UID = 65_534;
/** Only root can give nginx's workers another user. */
const isRoot = process.getuid?.() === 0;
const scene = useScene();
let gateway: Gateway;
let pair: KeyPair;
let port: number;

/** A backend whose certificate has another name than its server name, which nginx can't check by itself. */
async function verifiedSite(): Promise<string> {
  const authority = await Authority.create();
  const tls = await authority.issue("inner.example");
  const backend = await scene.use(EchoBackend.start("verified", { tls }));
  const validation = {
    caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
    hostname: "sni.example",
    subjectAltNames: ["inner.example", "other.example"].map((hostname) => ({
      type: "Hostname",
      hostname,
    })),
  };
  return yaml(
    configMap("ca", { "ca.crt": authority.pair.certificate }),
    service("verified", [{ port: backend.port }]),
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "BackendTLSPolicy",
      metadata: { name: "verified", namespace: "default" },
      spec: { targetRefs: [{ group: "", kind: "Service", name: "verified" }], validation },
    },
    httpRoute("verified", ["verified.example"], [{ path: "/", service: "verified" }]),
  );
}

beforeAll(async () => {
  if (!isRoot) return;
  pair = await selfSigned(HOST);
  const backend = await scene.use(EchoBackend.start("web"));
  port = await freePort();
  gateway = await scene.use(
    Gateway.start({
      files: {
        "service.yaml": yaml(service("web", [{ port: backend.port }])),
        "gateway.yaml": yaml(gatewayOn({ http: port })),
        "verified.yaml": await verifiedSite(),
        "site.yaml": await siteWithLogin(pair, "first"),
      },
      flags: ["--nginx-user", USER],
    }),
  );
}, 120_000);

const login = (password: string) =>
  gateway.send({
    path: "/",
    tls: { ca: pair.certificate, servername: HOST },
    host: HOST,
    headers: [["Authorization", basic("ann", password)]],
  });

/** What breaks the rule, below a folder of the run folder. */
async function theirs(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const { uid, mode } = await stat(path);
    const name = relative(gateway.runFolder, path);
    // nginx makes these for its workers; their names stand in a folder of root's.
    if (/^tmp\/[a-z_]+$/.test(name) && entry.isDirectory()) continue;
    const isWritable = (mode & 0o022) !== 0 && !entry.isSocket();
    if (uid !== 0 || isWritable) found.push(`${name} ${String(uid)} ${mode.toString(8)}`);
    if (entry.isDirectory()) found.push(...(await theirs(path)));
  }
  return found;
}

test("the workers are of the user, and serve certificates and passwords", async () => {
  if (!isRoot) return;
  for (const pid of await gateway.workerPids()) {
    const status = await readFile(`/proc/${String(pid)}/status`, "utf8");
    expect(status).toMatch(new RegExp(`^Uid:\\s+${String(UID)}\\s`, "m"));
    expect(status).toMatch(new RegExp(`^Gid:\\s+${String(UID)}\\s`, "m"));
  }
  expect((await login("first")).status).toBe(200);
  expect((await login("second")).status).toBe(401);
});

test("workers reach backends whose certificates have other names than the hostname", async () => {
  if (!isRoot) return;
  expect((await gateway.send({ port, path: "/", host: "verified.example" })).status).toBe(200);
});

test("the workers' user can replace no file that the master reads", async () => {
  if (!isRoot) return;
  expect(await theirs(gateway.runFolder)).toEqual([]);
});

test("so it is after changes with and without a reload", async () => {
  if (!isRoot) return;
  await gateway.change("site.yaml", await siteWithLogin(pair, "second"));
  expect((await login("second")).status).toBe(200);
  await gateway.change("gateway.yaml", yaml(gatewayOn({ http: port, extra: await freePort() })));
  expect(await theirs(gateway.runFolder)).toEqual([]);
  expect((await login("second")).status).toBe(200);
});

test("secrets are for root and the group of the workers", async () => {
  if (!isRoot) return;
  for (const folder of ["certificates", "credentials"]) {
    const path = join(gateway.runFolder, folder);
    expect((await stat(path)).mode & 0o777).toBe(0o750);
    for (const name of await readdir(path)) {
      const { mode, gid } = await stat(join(path, name));
      expect([mode & 0o777, gid]).toEqual([0o640, UID]);
    }
  }
});
