import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { EchoBackend } from "../harness/echo-backend.js";
import { listen } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { send } from "../harness/http-client.js";
import { Load } from "../harness/load.js";
import {
  alb2,
  frontend,
  ingress,
  namespace,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { isAlive, processesIn } from "../harness/processes.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const HOST = "web.example";
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

function site(...hosts: readonly string[]): string {
  return yaml(
    service("web", [{ port: backend.port }]),
    ingress("web", {
      hosts: Object.fromEntries(hosts.map((host) => [host, [{ service: "web" }]])),
    }),
  );
}

async function start(over: Partial<Parameters<typeof Gateway.start>[0]> = {}): Promise<Gateway> {
  return scene.use(Gateway.start({ files: { "site.yaml": site(HOST) }, ...over }));
}

describe("a killed worker", () => {
  it("is replaced, and the new one serves the policy of the moment", async () => {
    const gateway = await start({ errors: [/exited on signal 9/] });
    await gateway.change("site.yaml", site(HOST, "second.example"));
    const [victim = 0, other = 0] = await gateway.workerPids();
    const load = new Load({ target: gateway.target(), requests: [{ host: HOST }], connections: 4 });
    await load.more(50);
    process.kill(victim, "SIGKILL");
    const pids = await waitFor("it is replaced", async () => {
      const found = await gateway.workerPids();
      return found.length === 2 && !found.includes(victim) && found;
    });
    await load.more(200);
    const report = await load.stop();

    expect(pids).toContain(other);
    // What the dead worker had in hand is lost: at most one request of each connection.
    expect(report.failures.length).toBeLessThanOrEqual(4);
    expect(report.statuses).toEqual({ 200: report.completed });
    const statuses = await Promise.all(
      Array.from(
        { length: 12 },
        async () => (await gateway.send({ host: "second.example" })).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe("a killed master", () => {
  it("is replaced with its workers, changes go on, and nothing is left over", async () => {
    const gateway = await start({ errors: [/nginx/i] });
    const [master, workers] = [await gateway.masterPid(), await gateway.workerPids()];
    process.kill(master, "SIGKILL");
    await waitFor("there is a new master", async () => (await gateway.masterPid()) !== master);
    await gateway.until("it serves", { host: HOST }, ({ status }) => status === 200);
    await waitFor("the old workers have ended", () => !workers.some(isAlive));

    await gateway.change("site.yaml", site(HOST, "later.example"));
    expect((await gateway.send({ host: "later.example" })).status).toBe(200);
    const left = await processesIn(gateway.runFolder);
    expect(left.sort()).toEqual(
      [await gateway.masterPid(), ...(await gateway.workerPids())].sort(),
    );
  });

  it("again and again is replaced, too", async () => {
    const gateway = await start({ errors: [/nginx/i] });
    for (let i = 0; i < 2; i += 1) {
      const master = await gateway.masterPid();
      process.kill(master, "SIGKILL");
      await waitFor("there is a new master", async () => (await gateway.masterPid()) !== master);
      await gateway.until("it serves", { host: HOST }, ({ status }) => status === 200);
    }
  });
});

describe("SIGTERM", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s lets requests in flight end and takes no new ones",
    async (signal) => {
      const gateway = await start();
      const held: (() => void)[] = [];
      backend.on("/held", (_, response) => held.push(() => response.end("at last")));
      const slow = gateway.send({ host: HOST, path: "/held" });
      await waitFor("the backend has the request", () => held.length === 1);
      gateway.albc.signal(signal);
      await waitFor("new connections are refused", async () =>
        send(gateway.target(), { host: HOST }).then(
          () => false,
          () => true,
        ),
      );
      expect(gateway.albc.ended).toBeUndefined();
      held[0]?.();
      expect((await slow).text).toBe("at last");
      expect(await gateway.albc.exit()).toEqual({ code: 0, signal: null });
      expect(await processesIn(gateway.runFolder)).toEqual([]);
    },
  );

  it("ends requests that outlast the drain timeout", async () => {
    const gateway = await start({ flags: ["--drain-timeout", "1s"] });
    const arrived: string[] = [];
    backend.on("/endless", (request) => arrived.push(request.url ?? ""));
    const endless = gateway.send({ host: HOST, path: "/endless" }).catch(() => "cut off");
    await waitFor("the backend has the request", () => arrived.length === 1);
    const started = performance.now();
    gateway.albc.signal("SIGTERM");

    expect(await gateway.albc.exit()).toEqual({ code: 0, signal: null });
    expect(await endless).toBe("cut off");
    expect(performance.now() - started).toBeLessThan(8000);
  });
});

describe("albc run", () => {
  it("serves an empty folder, and whatever comes into it", async () => {
    const gateway = await start({ files: {} });
    await gateway.change("site.yaml", site(HOST));
    await gateway.until("it is served", { host: HOST }, ({ status }) => status === 200);
  });

  it("starts with manifests that are all wrong, says so, and heals", async () => {
    const gateway = await start({ files: { "site.yaml": "kind: [" }, errors: [/site\.yaml/] });
    await gateway.logged(/site\.yaml/);
    await gateway.write("site.yaml", site(HOST));
    await gateway.until("it is served", { host: HOST }, ({ status }) => status === 200);
  });

  it("keeps what served when nginx cannot take a new port", async () => {
    const taken = createServer();
    const port = await listen(taken, { host: "0.0.0.0" });
    const gateway = await start({ errors: [/./] });
    const load = new Load({ target: gateway.target(), requests: [{ host: HOST }], connections: 2 });
    await gateway.write(
      "alb.yaml",
      yaml(
        namespace("default"),
        alb2("edge", { ingressHTTPPort: gateway.httpPort, ingressHTTPSPort: gateway.httpsPort }),
        frontend("taken", "edge", { port, serviceGroup: serviceGroup({ web: 100 }) }),
      ),
    );
    await gateway.logged(new RegExp(`${port}.*(in use|EADDRINUSE)|(in use|EADDRINUSE).*${port}`));
    await load.more(50);
    const report = await load.stop();
    await new Promise((resolve) => taken.close(resolve));

    expect(report.failures).toEqual([]);
    expect(report.statuses).toEqual({ 200: report.completed });
  });

  it("takes an nginx that is named by a relative path", async () => {
    const nginx = relative(join(tmpdir(), "albc-e2e-000000"), process.env["ALBC_TEST_NGINX"] ?? "");
    const gateway = await start({ flags: ["--nginx", nginx] });

    expect(nginx).toMatch(/^\.\.\//);
    expect((await gateway.send({ host: HOST })).status).toBe(200);
  });

  it("does not reload nginx, or write anything, when nothing changed", async () => {
    const gateway = await start();
    const pids = await gateway.workerPids();
    const { version } = await gateway.status();
    await gateway.write("site.yaml", site(HOST));
    // A change that is later in the same folder has been seen after it.
    await gateway.change(
      "other.yaml",
      yaml(ingress("o", { hosts: { "o.example": [{ service: "web" }] } })),
    );
    await gateway.write("other.yaml", "");
    await waitFor("it is gone again", async () => (await gateway.status()).version === version);

    expect(await gateway.workerPids()).toEqual(pids);
  });
});
