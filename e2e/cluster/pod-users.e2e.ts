/** The image in the two containers of deploy/base: nginx serves what albc writes, and code inside nginx learns and changes nothing of albc. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type KeyPair, selfSigned } from "../harness/certificates.js";
import { Containers } from "./containers.js";
import { containerOf, deployedOptions, deployedPod } from "./deployed-pod.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { Health } from "../harness/health.js";
import { basic, siteWithLogin } from "../harness/htpasswd.js";
import { send } from "../harness/http-client.js";
import { service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const TOKEN = "token-of-the-service-account";
const VERSIONS = fileURLToPath(new URL("../../deploy/versions.env", import.meta.url));
const SECURITY = fileURLToPath(new URL("../../docs/security.md", import.meta.url));
const MONITORING = fileURLToPath(new URL("../../docs/monitoring.md", import.meta.url));
const MARK = "text-in-the-environment-of-albc";
const scene = useScene();
let pod: Containers;
let health: Health;
let pair: KeyPair;
const ports = { http: 0, https: 0, extra: 0 };

beforeAll(async () => {
  pod = await scene.use(Containers.create(deployedPod()));
  health = new Health(await freePort());
  pair = await selfSigned("web.example");
  for (const name of ["http", "https", "extra"] as const) ports[name] = await freePort();
  await pod.writeFile("token", "token", TOKEN);
  await pod.writeFile("options", "albc.yaml", deployedOptions());
  const backend = await scene.use(EchoBackend.start("web"));
  await writeManifest("service.yaml", yaml(service("web", [{ port: backend.port }])));
  await writeManifest("site.yaml", await siteWithLogin(pair, "secret"));
  startController();
  startNginx();
  await ready();
}, 60_000);

/** The test has a volume of the pod for its manifests. */
async function writeManifest(name: string, text: string): Promise<void> {
  const beside = join(pod.volume("tmp"), `.${name}`);
  await writeFile(beside, text, { mode: 0o644 });
  await rename(beside, join(pod.volume("tmp"), name));
}

function startController(): void {
  const { args } = containerOf(pod.pod, "controller");
  const own = args.flatMap((word) => (word === "--kubernetes" ? ["-f", "/tmp"] : [word]));
  const flags = ["--http-port", String(ports.http), "--https-port", String(ports.https)];
  pod.start("controller", [...own, ...flags, ...health.flags, "--publish-service="], {
    ALBC_TEST_MARK: MARK,
  });
}

function startNginx(): void {
  pod.start("nginx");
}

async function ready(): Promise<void> {
  await waitFor("the pod is ready", async () => (await health.ask("/readyz")) === "200 ok", {
    deadline: 30_000,
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${pod.log}`, { cause: error });
  });
}

async function get(password: string): Promise<number> {
  const headers = [["Authorization", basic("ann", password)]] as const;
  const target = {
    port: ports.https,
    tls: { servername: "web.example", rejectUnauthorized: false },
  };
  return (await send(target, { host: "web.example", headers })).status;
}

/** Prints what it finds of albc: in the usual place, and through the ids of all processes. */
const SPY = `
  cat /run/secrets/kubernetes.io/serviceaccount/token
  for process in /proc/[0-9]*; do
    cat $process/root/run/secrets/kubernetes.io/serviceaccount/token
    tr '\\0' '\\n' <$process/environ | grep '^ALBC_TEST_MARK='
  done`;

describe("nginx as a user of its own", () => {
  test("serves routes, certificates and credentials that albc writes, and their changes", async () => {
    expect(await get("secret")).toBe(200);
    await writeManifest("site.yaml", await siteWithLogin(pair, "changed"));
    await waitFor("a worker takes the new password", async () => (await get("changed")) === 200);
    await waitFor("no worker takes the old one", async () => (await get("secret")) === 401);
  });

  test("says why a request gets its answer, as docs/monitoring.md asks it", async () => {
    const page = await readFile(MONITORING, "utf8");
    const [, command = ""] = /exec deploy\/albc -c nginx -- (node .*?) GET /.exec(page) ?? [];
    const url = `https://web.example:${String(ports.https)}/`;
    const { code, output } = await pod.exec("nginx", `${command} GET ${url}`);
    expect(output).toContain("ingress/default/web/0-0");
    expect(output).toMatch(/workers +2 of 2 serve this/);
    expect(code).toBe(0);
  });

  test("answers the probe of the kubelet as long as a worker does", async () => {
    const { livenessProbe } = containerOf(pod.pod, "nginx");
    const probe = () => pod.run("nginx", livenessProbe?.exec?.command ?? []);
    expect(await probe()).toEqual({ code: 0, output: "" });
    await pod.exec("nginx", "mv control/control.sock control/away");
    expect((await probe()).output).toMatch(/^no nginx: /);
    await pod.exec("nginx", "mv control/away control/control.sock");
    expect((await probe()).code).toBe(0);
  });

  test("is the nginx that deploy/versions.env pins, and the image's own Node runs albc", async () => {
    const versions = await readFile(VERSIONS, "utf8");
    const [, pinned] = / ?nginx=([0-9.]+)-/.exec(versions) ?? [];
    expect((await pod.exec("nginx", "nginx -v")).output).toBe(
      `nginx version: nginx/${String(pinned)}\n`,
    );
    const [, node] = /^NODE_VERSION=(.*)$/m.exec(versions) ?? [];
    expect((await pod.exec("controller", "node --version")).output).toBe(`v${String(node)}\n`);
  });

  test("has no fix of an advisory that docs/security.md leaves out", async () => {
    const changelog = "zcat /usr/share/doc/nginx-common/changelog.Debian.gz";
    const { output } = await pod.exec("nginx", changelog);
    const fixed = [...output.matchAll(/CVE-(\d+)-(\d+)/g)].flatMap(([cve, year = "", number]) =>
      Number(year) < 2025 ? [] : [{ cve, number }],
    );
    expect(fixed.length).toBeGreaterThan(20);
    const page = await readFile(SECURITY, "utf8");
    // A row may have several numbers of a year.
    const rows = [...page.matchAll(/^\| (CVE-[^|]+)\|/gm)].map(([, cell = ""]) => cell);
    const known = new Set(rows.flatMap((cell) => cell.match(/\d{4,}(?![-\d])/g) ?? []));
    expect(fixed.filter(({ number = "" }) => !known.has(number)).map(({ cve }) => cve)).toEqual([]);
  });

  test("reloads itself for a new listener", async () => {
    const objects = [
      ...gatewayOn({ extra: ports.extra }),
      httpRoute("extra", ["extra.example"], [{ service: "web" }]),
    ];
    await writeManifest("gateway.yaml", yaml(objects));
    await waitFor("the listener serves", async () => {
      const { status } = await send({ port: ports.extra }, { host: "extra.example" });
      return status === 200;
    });
  });

  test("comes back when it was killed", async () => {
    await pod.kill("nginx");
    await waitFor("the pod is not ready", async () => (await health.ask("/readyz")) !== "200 ok");
    startNginx();
    await ready();
    expect(await get("changed")).toBe(200);
  });

  test("finds neither the token nor the environment of albc", async () => {
    const own = await pod.exec("controller", SPY);
    expect(own.output).toContain(TOKEN);
    expect(own.output).toContain(MARK);
    const inside = await pod.exec("nginx", SPY);
    expect(inside.output).not.toContain(TOKEN);
    expect(inside.output).not.toContain(MARK);
  });

  test("finds none of it by process ids that it should not see, either", async () => {
    const albc = await pod.execOutside("controller", SPY);
    expect(albc.output).toContain(TOKEN);
    expect(albc.output).toContain(MARK);
    const other = await pod.execOutside("nginx", SPY);
    expect(other.output).not.toContain(TOKEN);
    expect(other.output).not.toContain(MARK);
  });

  test.each([
    "echo x >/usr/local/bin/node",
    "echo x >/run/albc/new",
    "echo x >>/run/albc/nginx.conf",
    "mv /run/albc/policy.json /run/albc/other.json",
    "rm -f /run/albc/lua/alb/version.lua",
    "ln -s /etc/passwd /run/albc/streams",
    "mkdir /run/albc/stage",
    "chmod 777 /run/albc",
    "cat /run/albc/albc.pid",
    "ls /run/albc/control",
  ])("is refused: %s", async (script) => {
    const policy = await readFile(join(pod.volume("run"), "policy.json"), "utf8");
    expect((await pod.exec("nginx", script)).code).not.toBe(0);
    expect(await readFile(join(pod.volume("run"), "policy.json"), "utf8")).toBe(policy);
  });

  test("writes where albc neither writes nor follows a link", async () => {
    const writable = "cd /run/nginx && touch control/x nginx.pid tmp/x logs/x";
    expect((await pod.exec("nginx", writable)).code).toBe(0);
    expect((await pod.exec("controller", "touch /run/nginx/control/x")).code).not.toBe(0);
    expect((await pod.exec("controller", "ls /run/nginx/tmp")).code).not.toBe(0);
  });
});
