/** Between a swap and its policy.json on the disk: what every worker serves stays served, whatever happens to the file. */
import { mkdirSync, readFileSync, renameSync, rmdirSync, symlinkSync, truncateSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { writtenVersion } from "../../../e2e/harness/control.js";
import { Connection, send } from "../../../e2e/harness/http-client.js";
import { Applier } from "../../../src/output/apply.js";
import { ControlClient, type DataPlaneStatus } from "../../../src/output/control-client.js";
import { environmentFiles } from "../../../src/output/environment.js";
import type { NginxProcess } from "../../../src/output/nginx-process.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";
import { ControlBystander } from "../../support/control-bystander.js";
import { filesOf, forwarding, makeProcess, testBinary } from "../../support/run-folder.js";
import { freePort } from "../../support/free-port.js";
import { until } from "../../support/until.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
let backend: Server;
let nginx: NginxProcess;
let applier: Applier;
let run: string;
let port: number;

beforeEach(async () => {
  backend = createServer((_, response) => response.end("here"));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  port = await freePort();
  run = await makeRunFolder(folder());
  nginx = makeProcess(await testBinary(), run).nginx;
  applier = new Applier({ folder: run, reloader: nginx });
  await applier.prepare(await files("/a"));
  await nginx.start();
});

afterEach(async () => {
  await nginx.stop(0);
  await new Promise((resolve) => backend.close(resolve));
});

async function files(...paths: readonly string[]): Promise<readonly RenderedFile[]> {
  const { version } = await testBinary();
  return [
    ...(await filesOf(forwarding(port, (backend.address() as AddressInfo).port, paths))),
    ...(await environmentFiles({ resolver: [], caFile: "", folder: run, nginx: version })),
  ];
}

/** On a connection of its own: one that is kept may lead to a worker that is about to end, and takes no policy any more. */
async function get(path: string): Promise<number> {
  return (await send({ port }, { path })).status;
}

const onDisk = (): string => readFileSync(join(run, "policy.json"), "utf8");

const versionOnDisk = (): string | undefined => writtenVersion(onDisk());

async function restartNginx(): Promise<string> {
  await nginx.stop(0);
  nginx = makeProcess(await testBinary(), run).nginx;
  await nginx.start();
  return (await new ControlClient(run).status()).version;
}

function isServedByAll({ workers, expected }: DataPlaneStatus, version: string): boolean {
  return workers.length === expected && workers.every((worker) => worker.version === version);
}

describe("a change that every worker serves", () => {
  test("follows policy.json, so a restart of nginx serves it", async () => {
    const document = onDisk();
    for (const paths of [["/a", "/b"], ["/b"], ["/b", "/c"]]) {
      const { version } = await applier.apply(await files(...paths));
      expect(onDisk()).toContain(document);
      expect(versionOnDisk()).toBe(version);
      expect(await restartNginx()).toBe(version);
      expect(await Promise.all(["/a", "/b", "/c"].map(get))).toEqual(
        ["/a", "/b", "/c"].map((path) => (paths.includes(path) ? 200 : 404)),
      );
    }
  });

  test("is not served by a restart if it is written in part, and nothing before it is lost", async () => {
    const { version } = await applier.apply(await files("/a", "/b"));
    const { length } = onDisk();
    await applier.apply(await files("/c"));
    const whole = onDisk().length;
    for (const end of [whole - 1, whole - 40, length + 60, length + 3]) {
      truncateSync(join(run, "policy.json"), end);
      const served = await restartNginx();
      // The last byte is a line break after the digest.
      expect(served === version).toBe(end < whole - 1);
    }
  });

  test("does not outlive a policy.json that another albc writes", async () => {
    const first = await files("/a");
    await applier.apply(await files("/a", "/b"));
    applier = new Applier({ folder: run, reloader: nginx });
    const { version } = await applier.apply(first);
    expect(JSON.parse(onDisk())).toMatchObject({ version });
    expect(await restartNginx()).toBe(version);
  });
});

describe("a policy.json that can't be written", () => {
  // What a file is written as, before it takes its place. A link is not appended to.
  const obstacle = () => join(run, "policy.json.albc-new");
  let old: string | undefined;

  beforeEach(() => {
    old = versionOnDisk();
    mkdirSync(obstacle());
    renameSync(join(run, "policy.json"), join(run, "moved.json"));
    symlinkSync("moved.json", join(run, "policy.json"));
  });

  test("takes nothing back from the workers, and is told", async () => {
    const applied = await applier.apply(await files("/a", "/b"));
    expect(applied.kind).toBe("swapped");
    expect(applied.unwritten).toContain("policy.json");
    expect(versionOnDisk()).toBe(old);
    expect(await Promise.all(["/a", "/b"].map(get))).toEqual([200, 200]);
  });

  test("is written when it can be, though nothing has changed since, and told until then", async () => {
    await applier.apply(await files("/a", "/b"));
    expect((await applier.apply(await files("/a", "/b"))).unwritten).toBeDefined();
    rmdirSync(obstacle());
    const applied = await applier.apply(await files("/a", "/b"));
    expect(applied.unwritten).toBeUndefined();
    expect(versionOnDisk()).toBe(applied.version);
  });

  test("is no reason to serve the older one after a reload by somebody else", async () => {
    const { version } = await applier.apply(await files("/a", "/b"));
    await reloadBySomebody(new ControlClient(run));
    expect(await get("/b")).toBe(404);
    await applier.confirm();
    await until(async () => isServedByAll(await new ControlClient(run).status(), version));
    expect(await get("/b")).toBe(200);
  });
});

/** Resolves when only workers of the next generation are there. */
async function reloadBySomebody(control: ControlClient): Promise<void> {
  const { workers } = await control.status();
  const before = Math.max(...workers.map(({ generation }) => generation));
  process.kill(nginx.pid ?? 0, "SIGHUP");
  await until(async () => {
    const now = await control.status();
    const isNew = now.workers.every(({ generation }) => generation > before);
    return isNew && now.workers.length === now.expected;
  });
}

test("a reload by somebody else, after the swap and before policy.json is written, is put right", async () => {
  const before = versionOnDisk();
  let reloaded = "";
  const bystander = await ControlBystander.start(run, async (status, control) => {
    if (reloaded !== "" || status.version === before || !isServedByAll(status, status.version))
      return;
    // The swap is done: this answer says so, and waits while nginx reads the old policy.json.
    await reloadBySomebody(control);
    reloaded = (await control.status()).version;
  });
  try {
    const applied = await applier.apply(await files("/a", "/b"));
    expect(reloaded).toBe(before);
    expect(applied.kind).toBe("swapped");
    expect(versionOnDisk()).toBe(applied.version);
    await until(async () => isServedByAll(await bystander.control.status(), applied.version));
    expect(await get("/b")).toBe(200);
  } finally {
    await bystander.close();
  }
});

test("a worker that is about to end answers on a connection that it keeps by the policy of now", async () => {
  const kept = await Connection.open({ port });
  expect((await kept.send({ path: "/a", host: "a.example" })).status).toBe(200);
  await reloadBySomebody(new ControlClient(run));
  expect((await applier.apply(await files("/b"))).kind).toBe("swapped");
  // nginx tells the old worker to end 100 ms after it started the new ones. Until then a timer keeps it up to date, after that nothing
  // does but its requests; nginx before 1.27.4 ends the connection.
  await until(async () => {
    const answer = await kept.send({ path: "/a", host: "a.example" }).catch(() => "ended" as const);
    return answer === "ended" || answer.status === 404;
  });
  kept.close();
});
