import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { Applier } from "../../../src/output/apply.js";
import { writeFiles } from "../../../src/output/files.js";
import { nginxProcessesIn, signalAll } from "../../../src/output/folder-processes.js";
import type { NginxProcess } from "../../../src/output/nginx-process.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { freePort } from "../../support/free-port.js";
import { filesOf, forwarding, makeProcess, testBinary } from "../../support/run-folder.js";
import { until } from "../../support/until.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
let backend: Server;
let release: () => void;
let started: Promise<void>;
let nginx: NginxProcess | undefined;

/** Answers /slow when the test says so, all else at once. */
beforeEach(async () => {
  const gate = new Promise<void>((resolve) => (release = resolve));
  let start: () => void;
  started = new Promise((resolve) => (start = resolve));
  backend = createServer((request, response) => {
    if (request.url !== "/slow") return void response.end("quick");
    start();
    void gate.then(() => response.end("slow"));
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await nginx?.stop(0);
  nginx = undefined;
  release();
  await new Promise((resolve) => backend.close(resolve));
});

/** nginx on a run folder whose server is at a free port. */
async function start(drainTimeout?: number) {
  const port = await freePort();
  const run = await makeRunFolder(folder());
  const made = makeProcess(await testBinary(), run, drainTimeout);
  nginx = made.nginx;
  const config = forwarding(port, (backend.address() as AddressInfo).port, ["/", "/slow"]);
  await new Applier({ folder: run, reloader: made.nginx }).prepare(await filesOf(config));
  await made.nginx.start();
  const get = async (path = "/") => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  return { ...made, port, run, get };
}

const roles = async (run: string) => (await nginxProcessesIn(run)).map(({ role }) => role).sort();
const pidsOf = async (run: string) => (await nginxProcessesIn(run)).map(({ pid }) => pid);

test("it serves when start returns, and nothing of it runs when stop does", async () => {
  const { nginx, run, get } = await start();
  expect(await get()).toBe("quick");
  expect(await roles(run)).toEqual(["master", "worker", "worker"]);
  await nginx.stop();
  expect(await roles(run)).toEqual([]);
  await expect(get()).rejects.toThrow("fetch failed");
});

test("a worker that has not given itself a title yet is one of them, also without a master", async () => {
  const run = await makeRunFolder(folder());
  // A shell for the master: its child has neither title nor words of nginx, and outlives it.
  const master = spawn("sh", ["-c", "sleep 600 & wait"], { cwd: run, detached: true });
  await writeFile(join(run, "nginx.pid"), String(master.pid));
  await until(async () => (await roles(run)).join() === "master,worker");
  master.kill("SIGKILL");
  await until(async () => (await roles(run)).join() === "worker");
  signalAll(await nginxProcessesIn(run), "SIGKILL");
  await until(async () => (await roles(run)).length === 0);
});

test("a request in flight is answered while it stops, a new one is not taken", async () => {
  const { nginx, get } = await start();
  const slow = get("/slow");
  await started;
  const stopped = nginx.stop();
  await until(() =>
    get().then(
      () => false,
      () => true,
    ),
  );
  release();
  expect(await slow).toBe("slow");
  await stopped;
});

test("a request that outlives the drain timeout is cut", async () => {
  const { nginx, run, get } = await start(100);
  const slow = get("/slow");
  await started;
  const cut = expect(slow).rejects.toThrow(/fetch failed|terminated/);
  await nginx.stop();
  await cut;
  expect(await roles(run)).toEqual([]);
});

test("a killed master is followed by another, its workers end, the port stays ours", async () => {
  const { nginx, events, run, get } = await start();
  const before = await pidsOf(run);
  process.kill(nginx.pid ?? 0, "SIGKILL");
  await until(() => events.restarts === 1);
  expect(events.deaths).toEqual(["nginx ended (SIGKILL)"]);
  expect(await get()).toBe("quick");
  await until(async () => (await pidsOf(run)).every((pid) => !before.includes(pid)));
  expect(await roles(run)).toEqual(["master", "worker", "worker"]);
});

test("the requests of a killed master's workers are answered", async () => {
  const { nginx, events, get } = await start();
  const slow = get("/slow");
  await started;
  process.kill(nginx.pid ?? 0, "SIGKILL");
  await until(() => events.restarts === 1);
  release();
  expect(await slow).toBe("slow");
});

/** Listens as soon as the port is free. */
function takePort(port: number): Server {
  const server = createServer();
  server.on("error", () => setImmediate(() => server.listen(port, "127.0.0.1")));
  return server.listen(port, "127.0.0.1");
}

test("it is tried again, ever more slowly, while something is in its way", async () => {
  const { events, run, get, port } = await start();
  for (const pid of await pidsOf(run)) process.kill(pid, "SIGSTOP");
  const inTheWay = takePort(port);
  for (const pid of await pidsOf(run)) process.kill(pid, "SIGKILL");
  await until(() => inTheWay.listening);
  await until(() => events.deaths.length > 1);
  expect(events.deaths[1]).toBe(
    `nginx could not start: 127.0.0.1:${port} is in use by another process; end that, or choose another port`,
  );
  await new Promise((resolve) => inTheWay.close(resolve));
  await until(() => events.restarts === 1);
  expect(await get()).toBe("quick");
});

test("a port that is taken keeps it from starting, with one message", async () => {
  const inTheWay = createServer();
  await new Promise<void>((resolve) => inTheWay.listen(0, "127.0.0.1", resolve));
  const { port } = inTheWay.address() as AddressInfo;
  const run = await makeRunFolder(folder());
  ({ nginx } = makeProcess(await testBinary(), run));
  const files = await filesOf(forwarding(port, 1, ["/"]));
  await new Applier({ folder: run, reloader: nginx }).prepare(files);
  await expect(nginx.start()).rejects.toThrow(
    new EnvironmentError(
      `nginx could not start: 127.0.0.1:${port} is in use by another process; end that, or choose another port`,
    ),
  );
  expect(await roles(run)).toEqual([]);
  await new Promise((resolve) => inTheWay.close(resolve));
});

test("what an albc that was killed left running is ended before the start", async () => {
  const { nginx: first, run, get } = await start();
  await first.stop();
  const left = await runAlone(run);
  ({ nginx } = makeProcess(await testBinary(), run));
  await nginx.start();
  expect(await get()).toBe("quick");
  expect(left.length).toBe(3);
  expect((await pidsOf(run)).filter((pid) => left.includes(pid))).toEqual([]);
});

/** An nginx on the run folder that nobody looks after; gives its process ids. */
async function runAlone(run: string): Promise<readonly number[]> {
  const { path, directives, variables } = await testBinary();
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const words = ["-p", run, "-c", "nginx.conf", "-g", `${directives} ${user} daemon off;`];
  const env = { ...process.env, ...variables };
  spawn(path, words, { cwd: run, env, stdio: "ignore", detached: true }).unref();
  await until(async () => (await pidsOf(run)).length === 3);
  return pidsOf(run);
}

test("a test tells what is wrong, and leaves no socket", async () => {
  const { nginx, run } = await start();
  const stage = await makeRunFolder(join(run, "trial"));
  const conf = {
    path: "nginx.conf",
    contents: "# Written by albc.\nevents {} nonsense on;",
    mode: 0o644,
  } as const;
  await writeFiles(stage, [conf]);
  await expect(nginx.test(stage)).rejects.toThrow(
    new NginxRefused(`unknown directive "nonsense" in ${stage}/nginx.conf:2`),
  );
  await writeFiles(stage, await filesOf(forwarding(await freePort(), 1, ["/"])));
  await nginx.test(stage);
  expect(existsSync(join(stage, "control/control.sock"))).toBe(false);
});
