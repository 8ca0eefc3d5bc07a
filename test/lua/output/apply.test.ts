import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { writtenVersion } from "../../../e2e/harness/control.js";
import { Applier } from "../../../src/output/apply.js";
import { ControlClient } from "../../../src/output/control-client.js";
import { nginxProcessesIn, signalAll, signalOne } from "../../../src/output/folder-processes.js";
import { mainDirectives } from "../../../src/output/nginx-binary.js";
import type { NginxProcess } from "../../../src/output/nginx-process.js";
import { NginxRefused, type Reloader, sidecar } from "../../../src/output/reloader.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import type { DataPlaneConfig } from "../../../src/model/config.js";
import { type RenderedFile, contentsOf } from "../../../src/render/rendered-file.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { policyFromText } from "../../support/rendered-policy.js";
import { freePort } from "../../support/free-port.js";
import { filesOf, forwarding, makeProcess, testBinary } from "../../support/run-folder.js";
import { until } from "../../support/until.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
let backend: Server;
let nginx: NginxProcess;
let applier: Applier;
let run: string;
let port: number;

beforeEach(async () => {
  backend = createServer((_, response) => response.end("quick"));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  port = await freePort();
  run = await makeRunFolder(folder());
  nginx = makeProcess(await testBinary(), run).nginx;
  applier = new Applier({ folder: run, reloader: nginx });
  await applier.prepare(await filesOf(config("/a")));
  await nginx.start();
});

afterEach(async () => {
  await nginx.stop(0);
  await new Promise((resolve) => backend.close(resolve));
});

function config(...paths: readonly string[]): DataPlaneConfig {
  return forwarding(port, (backend.address() as AddressInfo).port, paths);
}

async function get(path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
}

const workers = async () => (await new ControlClient(run).status()).workers;
const generation = async () => Math.max(...(await workers()).map((worker) => worker.generation));
const onDisk = (path: string) => readFileSync(join(run, path), "utf8");
const changed = (files: readonly RenderedFile[], path: string, contents: string) =>
  files.map((file) => (file.path === path ? { ...file, contents } : file));

test("a policy is swapped: the same workers serve it when apply returns", async () => {
  const before = await workers();
  const applied = await applier.apply(await filesOf(config("/a", "/b")));
  expect(applied.kind).toBe("swapped");
  expect(await Promise.all(["/a", "/b", "/c"].map(get))).toEqual([200, 200, 404]);
  const after = await workers();
  expect(after.map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
  expect(after.map(({ version }) => version)).toEqual([applied.version, applied.version]);
});

test("what has not changed is not applied", async () => {
  expect((await applier.apply(await filesOf(config("/a")))).kind).toBe("unchanged");
});

test.each(["nginx.conf", "lua/alb/version.lua"])("a change of %s is a reload", async (path) => {
  const before = await generation();
  const files = await filesOf(config("/a", "/b"));
  const contents = `${path.endsWith(".lua") ? "--" : "#"} changed\n${onDisk(path)}`;
  const applied = await applier.apply(changed(files, path, contents));
  expect(applied.kind).toBe("reloaded");
  expect(await generation()).toBe(before + 1);
  expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 200]);
  expect(onDisk(path)).toBe(contents);
});

test("a reload in which nginx is killed is done once its successor serves", async () => {
  const killing: Reloader = {
    test: (stage) => nginx.test(stage),
    reload: async (isDone) => {
      process.kill(Number(nginx.pid), "SIGKILL");
      await nginx.reload(isDone);
    },
  };
  const other = new Applier({ folder: run, reloader: killing });
  await other.prepare(await filesOf(config("/a")));
  const contents = `# changed\n${onDisk("nginx.conf")}`;
  const files = changed(await filesOf(config("/a", "/b")), "nginx.conf", contents);
  expect((await other.apply(files)).refused).toBeUndefined();
  expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 200]);
});

test.each([
  ["nginx.conf", "events {} nonsense on;", 'unknown directive "nonsense"'],
  ["lua/alb/version.lua", "this is no Lua", "error loading module 'alb.version'"],
])(
  "a %s that nginx refuses never takes its place, all else does",
  async (path, contents, message) => {
    const before = onDisk(path);
    const generationBefore = await generation();
    const files = changed(await filesOf(config("/a", "/b")), path, contents);
    const applied = await applier.apply(files);
    expect(applied.kind).toBe("swapped");
    expect(applied.refused).toContain(message);
    expect(await applier.apply(files)).toEqual({ ...applied, kind: "unchanged" });
    expect(onDisk(path)).toBe(before);
    expect(writtenVersion(onDisk("policy.json"))).toBe(applied.version);
    expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 200]);
    expect(await generation()).toBe(generationBefore);
    // Changes go on, and what is mended is applied as a whole.
    const other = changed(await filesOf(config("/b")), path, contents);
    expect((await applier.apply(other)).refused).toContain(message);
    expect(await Promise.all(["/a", "/b"].map(get))).toEqual([404, 200]);
    const mended = await applier.apply(await filesOf(config("/a")));
    expect([mended.kind, mended.refused]).toEqual(["swapped", undefined]);
  },
);

test("a body limit holds although the nginx.conf that has its location is refused", async () => {
  const limited = config("/a", "/b");
  const routes = limited.routes.map((route) =>
    route.id === limited.routes.at(-1)?.id ? { ...route, bodyLimit: 77 } : route,
  );
  const files = await filesOf({ ...limited, routes });
  const conf = files.filter(({ path }) => path === "nginx.conf").map(contentsOf);
  const bad = changed(files, "nginx.conf", `${conf.join("")} nonsense on;`);
  expect((await applier.apply(bad)).refused).toContain("nonsense");
  /** Without a declared length. */
  const chunked = (length: number): ReadableStream =>
    new Blob(["x".repeat(length)]).stream() as ReadableStream;
  const statuses: number[] = [];
  for (const [path, length] of [
    ["/a", 78],
    ["/b", 77],
    ["/b", 78],
  ] as const) {
    const init = { method: "POST", body: chunked(length), duplex: "half" } as const;
    statuses.push((await fetch(`http://127.0.0.1:${port}${path}`, init)).status);
  }
  expect(statuses).toEqual([200, 200, 413]);
});

test("a policy that needs another server block waits for it", async () => {
  const files = await filesOf(config("/a", "/b"));
  const policy = onDisk("policy.json")
    .replaceAll('"tls":false', '"tls":true')
    .replaceAll('"tls": false', '"tls": true');
  expect(policy).not.toBe(onDisk("policy.json"));
  const bad = changed(files, "nginx.conf", "nonsense").map((file) =>
    file.path === "policy.json" ? { ...file, contents: policyFromText(policy) } : file,
  );
  await expect(applier.apply(bad)).rejects.toThrow(NginxRefused);
  expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 404]);
});

test("a port that is taken is found out by the reload; what nginx listens for goes on changing", async () => {
  const { port: taken } = backend.address() as AddressInfo;
  const both = (...paths: readonly string[]): DataPlaneConfig => {
    const [old, more] = [config(...paths), forwarding(taken, taken, ["/c"])];
    return {
      ...old,
      servers: [...old.servers, ...more.servers],
      listeners: [...old.listeners, ...more.listeners],
    };
  };
  const { refused } = await applier.apply(await filesOf(both("/a", "/b")));
  expect(refused).toBe(
    `127.0.0.1:${taken} is in use by another process; end that, or choose another port`,
  );
  expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 200]);
  expect((await applier.apply(await filesOf(config("/a")))).kind).toBe("swapped");
});

test("a data plane that serves something else than we think gets everything", async () => {
  const other = new Applier({ folder: run, reloader: nginx });
  await other.prepare(await filesOf(config("/a")));
  await other.apply(await filesOf(config("/x")));
  expect((await applier.apply(await filesOf(config("/a", "/b")))).kind).toBe("swapped");
  expect(await Promise.all(["/b", "/x"].map(get))).toEqual([200, 404]);
});

test("secrets are there before the policy that names them, and gone after it", async () => {
  const withUsers = (hash: string): DataPlaneConfig => ({
    ...config("/a"),
    credentials: [{ id: "c", entries: { u: ["s", hash] } }],
  });
  await applier.apply(await filesOf(withUsers("one")));
  const [first] = readdirSync(join(run, "credentials"));
  await applier.apply(await filesOf(withUsers("two")));
  expect(readdirSync(join(run, "credentials"))).toHaveLength(1);
  expect(readdirSync(join(run, "credentials"))).not.toContain(first);
});

test("a worker that is killed is replaced by one that serves the policy", async () => {
  const [worker] = await workers();
  process.kill(worker?.pid ?? 0, "SIGKILL");
  const { version } = await applier.apply(await filesOf(config("/a", "/b")));
  const after = await workers();
  expect(after.map((each) => each.version)).toEqual([version, version]);
});

test("a change while the master is killed is served in the end", async () => {
  process.kill(nginx.pid ?? 0, "SIGKILL");
  await applier.apply(await filesOf(config("/a", "/b")));
  expect(await get("/b")).toBe(200);
});

test("what an albc wrote that was killed before its reload is loaded by the next one, once", async () => {
  const conf = changed(await filesOf(config("/a")), "nginx.conf", `${onDisk("nginx.conf")}#\n`);
  await new Promise<void>((resolve) => {
    const reload = () => {
      resolve();
      return new Promise<never>(() => undefined);
    };
    const killed = new Applier({ folder: run, reloader: { test: async () => undefined, reload } });
    void killed.apply(conf);
  });
  expect(onDisk("nginx.conf")).toMatch(/#\n$/);
  const before = await generation();
  const next = new Applier({ folder: run, reloader: nginx });
  expect((await next.apply(conf)).kind).toBe("reloaded");
  expect(await generation()).toBe(before + 1);

  const third = new Applier({ folder: run, reloader: nginx });
  expect((await third.apply(conf)).kind).toBe("swapped");
  expect(await generation()).toBe(before + 1);
});

test("the stage is gone, whatever happened", async () => {
  const bad = changed(await filesOf(config("/a")), "nginx.conf", "nonsense");
  expect((await applier.apply(bad)).refused).toBeDefined();
  expect(existsSync(join(run, "stage"))).toBe(false);
});

describe("an nginx that somebody else runs", () => {
  test("is told at its control socket", async () => {
    const beside = new Applier({
      folder: run,
      reloader: sidecar({ kind: "control", folder: run }, run),
    });
    const before = await generation();
    const files = await filesOf(config("/a", "/b"));
    const conf = changed(files, "nginx.conf", `#\n${onDisk("nginx.conf")}`);
    expect((await beside.apply(conf)).kind).toBe("reloaded");
    expect(await generation()).toBe(before + 1);
    expect(await beside.apply(await filesOf(config("/a")))).toMatchObject({ kind: "reloaded" });
    expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 404]);
  });

  test("gets sockets out of its way that a failed reload left", async () => {
    const dead = join(run, "control/dead.sock");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(run, "tmp/bound.sock"), resolve));
    // The second name stays when the server removes the first.
    linkSync(join(run, "tmp/bound.sock"), dead);
    await new Promise((resolve) => server.close(resolve));
    const before = await generation();
    const conf = join(run, "nginx.conf");
    writeFileSync(conf, `# listen unix:control/dead.sock;\n${onDisk("nginx.conf")}`);
    await new ControlClient(run).reload();
    await until(async () => (await generation()) > before);
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(join(run, "control/control.sock"))).toBe(true);
  });

  test("is told by a command", async () => {
    const command = `kill -HUP "$(cat '${join(run, "nginx.pid")}')"`;
    const reloader = sidecar({ kind: "command", command }, run);
    const files = await filesOf(config("/a", "/b"));
    const beside = new Applier({ folder: run, reloader });
    const conf = changed(files, "nginx.conf", `#\n${onDisk("nginx.conf")}`);
    expect((await beside.apply(conf)).kind).toBe("reloaded");
    expect(await get("/b")).toBe(200);
  });

  test("has a command that fails", async () => {
    const reloader = sidecar({ kind: "command", command: "echo no luck >&2; exit 7" }, run);
    const beside = new Applier({ folder: run, reloader });
    const conf = changed(await filesOf(config("/a")), "nginx.conf", `#\n${onDisk("nginx.conf")}`);
    await expect(beside.apply(conf)).rejects.toThrow(
      new NginxRefused("the reload command ended with status 7: no luck"),
    );
  });

  test("can't be told where it is not", async () => {
    const telling = sidecar({ kind: "control", folder: "/nowhere" }, run).reload(async () => true);
    await expect(telling).rejects.toThrow(EnvironmentError);
  });

  describe("and that ends while it is being told", () => {
    let beside: Applier;
    let master: number;

    beforeEach(async () => {
      await nginx.stop(0);
      const child = await startNginx();
      beside = new Applier({
        folder: run,
        reloader: sidecar({ kind: "control", folder: run }, run),
      });
      await beside.apply(await filesOf(config("/a")));
      master = child.pid ?? 0;
      // The workers before have gone, if that was a reload.
      await until(async () => (await nginxProcessesIn(run)).length === 3);
    });

    afterEach(() => killAll());

    const killAll = async () => {
      signalAll(await nginxProcessesIn(run), "SIGKILL");
    };

    test("of a policy, keeps nothing waiting", async () => {
      const { version } = await new ControlClient(run).status();
      // One that stands still does not take it.
      const [worker] = await workers();
      signalOne(worker?.pid ?? 0, "SIGSTOP");
      const applied = beside.apply(await filesOf(config("/a", "/b")));
      await until(async () => (await new ControlClient(run).status()).version !== version);
      await killAll();
      expect(await within(10_000, applied)).toMatchObject({ kind: "written" });
    });

    test("of an nginx.conf, keeps nothing waiting", async () => {
      const conf = changed(await filesOf(config("/a")), "nginx.conf", `#\n${onDisk("nginx.conf")}`);
      signalOne(master, "SIGSTOP");
      const applied = beside.apply(conf);
      await until(() => hasPending(master, 1));
      await killAll();
      expect(await within(10_000, applied)).toMatchObject({ kind: "written" });
    });
  });

  test("is spared a port that somebody else has, there or not", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, resolve));
    const taken = (holder.address() as AddressInfo).port;
    const beside = new Applier({
      folder: run,
      reloader: sidecar({ kind: "control", folder: run }, run),
    });
    const both = { ...config("/a"), ...forwarding(taken, 1, ["/b"]) };
    const refusal = { name: "NginxRefused", unavailablePorts: [`127.0.0.1:${taken}`] };
    await expect(beside.apply(await filesOf(both))).rejects.toMatchObject(refusal);
    await nginx.stop(0);
    await expect(beside.apply(await filesOf(both))).rejects.toMatchObject(refusal);
    expect(onDisk("nginx.conf")).not.toContain(String(taken));
    // Its own ports are not somebody else's.
    expect((await beside.apply(await filesOf(config("/a", "/c")))).kind).toBe("written");
    await new Promise((resolve) => holder.close(resolve));
  });

  test("that is not there yet finds the files when it comes", async () => {
    await nginx.stop(0);
    rmSync(join(run, "control/control.sock"), { force: true });
    const beside = new Applier({
      folder: run,
      reloader: sidecar({ kind: "control", folder: run }, run),
    });
    expect((await beside.apply(await filesOf(config("/a", "/b")))).kind).toBe("written");
    expect((await beside.apply(await filesOf(config("/b")))).kind).toBe("written");
    nginx = makeProcess(await testBinary(), run).nginx;
    await nginx.start();
    expect(await Promise.all(["/a", "/b"].map(get))).toEqual([404, 200]);
    expect((await beside.apply(await filesOf(config("/a")))).kind).toBe("swapped");
  });
});

/** An nginx on the run folder that nobody starts again. */
async function startNginx(): Promise<ChildProcess> {
  const binary = await testBinary();
  const words = ["-p", run, "-c", "nginx.conf", "-g", mainDirectives(binary)];
  rmSync(join(run, "control"), { recursive: true, force: true });
  mkdirSync(join(run, "control"));
  const child = spawn(binary.path, words, {
    cwd: run,
    env: { ...process.env, ...binary.variables },
    stdio: "ignore",
  });
  await until(async () => (await workers().catch(() => [])).length === 2);
  return child;
}

/** Has the process been sent a signal that it has not taken yet (proc_pid_status(5))? */
function hasPending(pid: number, signal: number): boolean {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  const [, mask = "0"] = /^ShdPnd:\s+(\w+)$/m.exec(status) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  const begun = performance.now();
  const value = await promise;
  expect(performance.now() - begun).toBeLessThan(limit);
  return value;
}
