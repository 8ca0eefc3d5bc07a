import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { type Socket, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { asking, EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { Health } from "../harness/health.js";
import { apr1, basic } from "../harness/htpasswd.js";
import {
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  secret,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const OPEN = "open.example";
const GUARDED = "guarded.example";
const ASKED = "asked.example";
let backend: EchoBackend;
let health: Health;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

async function site(): Promise<string> {
  const annotations = nginx({ "auth-type": "basic", "auth-secret": "users" });
  return yaml(
    service("web", [{ port: backend.port }]),
    secret("users", { auth: `ann:${await apr1("secret")}` }),
    ingress("open", { hosts: { [OPEN]: [{ service: "web" }] } }),
    ingress("guarded", { annotations, hosts: { [GUARDED]: [{ service: "web" }] } }),
    ingress("asked", {
      annotations: nginx({ "auth-url": `http://127.0.0.1:${backend.port}/auth` }),
      hosts: { [ASKED]: [{ service: "web" }] },
    }),
  );
}

async function start(
  flags: readonly string[] = [],
  errors: readonly RegExp[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  health = new Health(await freePort());
  const gateway = await scene.use(
    Gateway.start({
      files: { "site.yaml": await site() },
      flags: [...health.flags, ...flags],
      errors,
      env,
    }),
  );
  await waitFor("it is ready", async () => (await health.ask("/readyz")) === "200 ok");
  return gateway;
}

/** Waits until the metrics have these values. */
async function untilMetrics(expected: Readonly<Record<string, number>>): Promise<void> {
  let found: Record<string, number | undefined> = {};
  await waitFor("the metrics are as expected", async () => {
    const metrics = await health.metrics();
    found = Object.fromEntries(Object.keys(expected).map((name) => [name, metrics.get(name)]));
    return Object.entries(expected).every(([name, value]) => found[name] === value);
  }).catch(() => undefined);
  expect(found).toEqual(expected);
}

test("the thread that answers probes is started again when it fails", async () => {
  const folder = await makeTempFolder();
  await scene.use(Promise.resolve({ close: () => removeFolder(folder) }));
  const [preload, trigger] = [join(folder, "fail.cjs"), join(folder, "fail")];
  await writeFile(
    preload,
    `const { existsSync, unlinkSync } = require("node:fs");
    const look = () => {
      if (!existsSync(${JSON.stringify(trigger)})) return;
      unlinkSync(${JSON.stringify(trigger)});
      throw new Error("it was told to fail");
    };
    if (!require("node:worker_threads").isMainThread) setInterval(look, 20);`,
  );
  const gateway = await start([], [/thread that answers probes failed/], {
    NODE_OPTIONS: `--require=${preload}`,
  });
  const said = () => gateway.albc.log.includes("it was told to fail");
  await writeFile(trigger, "");
  await waitFor("it fails", async () => said());

  await waitFor("it is ready", async () => (await health.ask("/readyz")) === "200 ok");
  await untilMetrics({ albc_config_last_apply_successful: 1, albc_nginx_up: 1 });
  expect((await gateway.send({ host: OPEN })).status).toBe(200);
});

test("metrics tell of requests, auth, configurations and workers", async () => {
  const gateway = await start();
  expect(await health.ask("/healthz")).toBe("200 ok");
  for (let i = 0; i < 3; i++) await gateway.send({ host: OPEN });
  await gateway.send({ host: GUARDED });
  await gateway.send({ host: GUARDED, headers: [["Authorization", basic("ann", "secret")]] });
  await gateway.send({ host: ASKED });
  await gateway.send({ host: "unknown.example" });
  await untilMetrics({
    'albc_http_responses_total{code="200"}': 5,
    'albc_http_responses_total{code="401"}': 1,
    'albc_http_responses_total{code="404"}': 1,
    albc_http_header_duration_seconds_count: 7,
    'albc_http_header_duration_seconds_bucket{le="+Inf"}': 7,
    'albc_auth_checks_total{outcome="passed"}': 2,
    'albc_auth_answers_total{outcome="parsed"}': 1,
    'albc_auth_checks_total{outcome="basic_missing"}': 1,
    'albc_config_applies_total{outcome="started"}': 1,
    albc_config_last_apply_successful: 1,
    'albc_objects{kind="Ingress"}': 3,
    'albc_diagnostics{severity="error"}': 0,
    albc_nginx_up: 1,
    albc_nginx_workers_expected: 2,
  });

  await gateway.change("site.yaml", (await site()).replaceAll(OPEN, "other.example"));
  await untilMetrics({ 'albc_config_applies_total{outcome="swapped"}': 1 });
  const metrics = await health.metrics();
  const hash = metrics.get("albc_config_hash");
  expect(hash).toBeGreaterThan(0);
  for (const worker of [0, 1])
    expect(metrics.get(`albc_nginx_worker_config_hash{worker="${String(worker)}"}`)).toBe(hash);
  expect(metrics.get('albc_nginx_connections{state="active"}')).toBeGreaterThan(0);
  expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(0);
});

test("it is not ready while a file is broken that was never read", async () => {
  health = new Health(await freePort());
  const extra = ingress("extra", { hosts: { "extra.example": [{ service: "web" }] } });
  const gateway = await scene.use(
    Gateway.start({
      files: { "site.yaml": await site(), "extra.yaml": "kind: [" },
      flags: health.flags,
      errors: [/./],
    }),
  );
  const named = `files that can't be read: ${gateway.manifests}/extra.yaml`;
  await waitFor("it names it", async () => (await health.ask("/readyz")) === `503 ${named}`);
  expect((await gateway.send({ host: OPEN })).status).toBe(200);
  await untilMetrics({ albc_unreadable_files: 1, albc_faulty_objects: 0 });

  await gateway.write("extra.yaml", yaml(extra));
  await waitFor("it is ready", async () => (await health.ask("/readyz")) === "200 ok");
  expect((await gateway.send({ host: "extra.example" })).status).toBe(200);

  await gateway.write("extra.yaml", "kind: [");
  await untilMetrics({ 'albc_diagnostics{severity="error"}': 1, albc_unreadable_files: 0 });
  expect(await health.ask("/readyz")).toBe("200 ok");
  expect((await gateway.send({ host: "extra.example" })).status).toBe(200);

  const tolerant = new Health(await freePort());
  await scene.use(
    Gateway.start({
      files: { "broken.yaml": "kind: [" },
      flags: [...tolerant.flags, "--start-with-errors"],
      errors: [/./],
    }),
  );
  await waitFor("it is ready, and says so", async () =>
    /^200 ok\nfiles that can't be read: .*\/broken\.yaml$/.test(await tolerant.ask("/readyz")),
  );
});

test("it is not ready while nginx is away, which is counted", async () => {
  const gateway = await start([], [/nginx ended and is restarted/]);
  process.kill(await gateway.masterPid(), "SIGKILL");
  await untilMetrics({ albc_nginx_restarts_total: 1 });
  await waitFor("it is ready again", async () => (await health.ask("/readyz")) === "200 ok");
  await untilMetrics({ albc_nginx_up: 1 });
});

test("probes are answered while a large change is compiled", async () => {
  const gateway = await start();
  const applied = 'albc_config_applies_total{outcome="swapped"}';
  const many = Array.from({ length: 4000 }, (_, i) => {
    return ingress(`many-${String(i)}`, {
      hosts: { [`h${String(i)}.example`]: [{ service: "web" }] },
    });
  });
  await gateway.change("site.yaml", (await site()) + "---\n" + yaml(...many));
  const began = performance.now();
  const delays: number[] = [];
  for (let done = false; !done;) {
    const asked = performance.now();
    expect(await health.ask("/readyz")).toBe("200 ok");
    expect(await health.ask("/healthz")).toBe("200 ok");
    delays.push(performance.now() - asked);
    done = (await health.metrics()).get(applied) === 1;
  }
  const took = performance.now() - began;
  // The compilation is most of the time; a probe that waited for it would take most of it, too.
  expect(Math.max(...delays)).toBeLessThan(Math.max(200, took / 4));
  expect(delays.sort((a, b) => a - b)[delays.length >> 1]).toBeLessThan(100);
});

/** So many connections that send a part of a request or nothing, from an address. With `again`, one that is closed is made again. */
class Flood {
  readonly #sockets = new Set<Socket>();
  readonly #from: { readonly port: number; readonly localAddress: string };
  #again: boolean;

  constructor(port: number, localAddress: string, count: number, again: boolean) {
    this.#from = { port, localAddress };
    this.#again = again;
    for (let i = 0; i < count; i++) this.#open(i % 2 === 0 ? "" : "GET /metrics HTTP/1.1\r\nX: ");
  }

  close(): void {
    this.#again = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(said: string): void {
    const socket = connect({ ...this.#from, host: "127.0.0.1" });
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.write(said);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      if (this.#again) void setTimeout(500).then(() => this.#open(said));
    });
  }
}

test.each([
  ["the probe's address", "127.0.0.1", false],
  ["another address, again and again,", "127.0.0.9", true],
])(
  "3,000 connections from %s that ask nothing leave probes their answer, and albc its files",
  async (_name, address, again) => {
    const gateway = await start();
    // As `ulimit -n 1024`, hard and soft.
    execFileSync("prlimit", ["--pid", String(gateway.albc.pid), "--nofile=1024:1024"]);
    const flood = new Flood(health.port, address, 3000, again);
    try {
      const answers: string[] = [];
      for (let i = 0; i < 40; i++) {
        const late = setTimeout(3000, "late", { ref: false });
        answers.push(await Promise.race([health.probe(i % 2 ? "/readyz" : "/healthz"), late]));
        await setTimeout(50);
      }
      // The machine is busy with the flood as well: one probe may be late, never two in a row. Kubernetes acts on three.
      const isKept = answers.every(
        (each, i) => each === "200 ok" || answers[i - 1] === "200 ok" || i === 0,
      );
      expect({ answers, isKept }).toMatchObject({ isKept: true });
      await gateway.change("site.yaml", (await site()).replaceAll(OPEN, "other.example"));
      expect((await gateway.send({ host: "other.example" })).status).toBe(200);
      await untilMetrics({ albc_config_last_apply_successful: 1 });
    } finally {
      flood.close();
    }
  },
);

test("at the end readiness goes first, then the listeners, then what is in flight", async () => {
  const gateway = await start(["--shutdown-delay", "1500ms"]);
  const asked = performance.now();
  gateway.albc.signal("SIGTERM");
  await waitFor("it is not ready", async () => (await health.ask("/readyz")) === "503 stopping");
  expect((await gateway.send({ host: OPEN })).status).toBe(200);
  expect(await health.ask("/healthz")).toBe("200 ok");
  const slow = gateway.send({ host: OPEN, headers: [asking({ delay: 3000 })] });

  await waitFor("nobody listens", async () =>
    gateway.send({ host: OPEN }).then(
      () => false,
      () => true,
    ),
  );
  expect(performance.now() - asked).toBeGreaterThanOrEqual(1500);
  expect(await health.ask("/readyz")).toBe("503 stopping");
  expect((await slow).status).toBe(200);
  expect(await gateway.albc.exit()).toEqual({ code: 0, signal: null });
  expect(await health.ask("/healthz")).toBe("none");
});

test("a second signal does not wait for the delay", async () => {
  const gateway = await start(["--shutdown-delay", "10m"]);
  gateway.albc.signal("SIGTERM");
  await waitFor("it is not ready", async () => (await health.ask("/readyz")) === "503 stopping");
  gateway.albc.signal("SIGTERM");
  expect(await gateway.albc.exit()).toEqual({ code: 0, signal: null });
});

test("a configuration that nginx can't take leaves it ready, and is seen", async () => {
  const holder = createServer();
  const port = await listen(holder, { host: "0.0.0.0" });
  const gateway = await start([], [/./]);
  const ports = { ingressHTTPPort: gateway.httpPort, ingressHTTPSPort: gateway.httpsPort };
  const taken = frontend("taken", "edge", { port, serviceGroup: serviceGroup({ web: 100 }) });
  const alb = [namespace("default"), alb2("edge", ports)];
  await gateway.write("alb.yaml", yaml(...alb, taken));
  // What is applied next leaves the port out, and is taken.
  await untilMetrics({
    'albc_config_applies_total{outcome="refused"}': 1,
    albc_config_last_apply_successful: 1,
  });
  expect(await health.ask("/readyz")).toBe("200 ok");
  await new Promise((resolve) => holder.close(resolve));
});
