/** The run folder is full: what served goes on, it is said, and what could not be written is when there is room again. */
import { execFileSync } from "node:child_process";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Load, only200 } from "../harness/load.js";
import { Scene } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { gatewayClass, gatewayOf, httpRoute, ingressOf } from "./objects.js";
import { Pod } from "./pod.js";

const scene = new Scene();
let cluster: Cluster;
let backend: EchoBackend;
let pod: Pod;
let load: Load;
let disk: string;
let port: number;
beforeAll(async () => {
  disk = await makeTempFolder();
  // This process is in a mount namespace of its own.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m,mode=0755", "tmpfs", disk]);
  await scene.use(
    Promise.resolve({
      close: async () => {
        execFileSync("umount", ["--lazy", disk]);
        await removeFolder(disk);
      },
    }),
  );
  cluster = await scene.use(Cluster.open());
  const { namespace } = cluster;
  backend = await scene.use(localBackend("web"));
  port = await freePort();
  await cluster.apply(gatewayClass(namespace));
  await cluster.apply(serviceOf(named("web")));
  await cluster.apply(endpointSlice(named("web"), [backend.address]));
  await cluster.apply(ingressOf(named("steady"), "steady.example", "web"));
  await cluster.apply(httpRoute(named("app"), "edge", "web"));
  pod = await scene.use(Pod.start({ namespace, runFolder: join(disk, "run") }));
  load = new Load({
    target: { port: pod.port },
    requests: [{ host: "steady.example" }],
    connections: 2,
    pause: 10,
    check: only200,
  });
  await scene.use(Promise.resolve(load));
}, 60_000);
afterAll(async () => {
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

const ballast = () => join(disk, "ballast");

/** Leaves not one block. */
function fill(): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(ballast(), Buffer.alloc(bavail * bsize));
  } catch (error: unknown) {
    // A log may grow meanwhile; then the disk is full as well.
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

async function metric(name: string): Promise<number | undefined> {
  return (await pod.health.metrics()).get(name);
}

test("a route and a new listener wait for room; what serves goes on, and so does what is known already", async () => {
  fill();
  await cluster.apply(gatewayOf(named("edge"), [port]));
  await waitFor("it is said", () => pod.hasLogged(/the disk is full/));
  await waitFor(
    "it is counted",
    async () => ((await metric('albc_config_applies_total{outcome="error"}')) ?? 0) > 0,
  );
  expect(await metric("albc_config_last_apply_successful")).toBe(0);
  await cluster.apply(ingressOf(named("late"), "late.example", "web"));
  await load.more(100);
  expect(await pod.health.ask("/readyz")).toBe("200 ok");
  expect(await pod.health.ask("/healthz")).toBe("200 ok");
  expect(JSON.stringify(await cluster.get(gatewayOf(named("edge"), [port])))).not.toContain(
    '"reason":"Programmed"',
  );

  rmSync(ballast());
  const isServed = ({ status }: { readonly status: number }) => status === 200;
  await waitFor(
    "both are served",
    async () =>
      isServed(await pod.send({ host: "late.example" })) &&
      isServed(await pod.send({ host: "any.example" }, port)),
    { deadline: 70_000 },
  );
  await waitFor(
    "it is well again",
    async () => (await metric("albc_config_last_apply_successful")) === 1,
  );
  await waitFor("the status says so", async () =>
    JSON.stringify(await cluster.get(gatewayOf(named("edge"), [port]))).includes(
      '"reason":"Programmed"',
    ),
  );
  await load.more(50);
  expect((await load.stop()).failures).toEqual([]);
}, 120_000);

test("routes alone are served from memory, and an nginx that starts when there is room again has them", async () => {
  fill();
  // So many that appending them takes a block of their own: the file's last one may have room.
  for (let n = 0; n < 20; n += 1) {
    await cluster.apply(ingressOf(named(`in-memory-${n}`), `${n}.in-memory.example`, "web"));
  }
  await cluster.apply(ingressOf(named("in-memory"), "in-memory.example", "web"));
  await pod.until("it is served", { host: "in-memory.example" }, ({ status }) => status === 200);
  await waitFor("it is told", () => pod.hasLogged(/served, but not written/));
  expect(await metric("albc_config_last_apply_successful")).toBe(0);
  expect(await pod.health.ask("/readyz")).toBe("200 ok");

  rmSync(ballast());
  await waitFor(
    "it is written",
    async () => (await metric("albc_config_last_apply_successful")) === 1,
    { deadline: 70_000 },
  );
  // Nobody but the file can tell the next one.
  await pod.killController();
  await pod.killNginx();
  await pod.startNginx();
  await pod.until("it is served", { host: "in-memory.example" }, ({ status }) => status === 200);
  pod.startController();
  await pod.ready();
}, 120_000);

test("a controller that is killed while the disk is full is followed by one that puts all right", async () => {
  fill();
  await cluster.apply(ingressOf(named("later"), "later.example", "web"));
  await pod.killController();
  pod.startController();
  expect((await pod.send({ host: "steady.example" })).status).toBe(200);
  rmSync(ballast());
  await waitFor(
    "it is served",
    async () => {
      // It may have ended for want of room, and then the kubelet starts it again.
      if (pod.controller.ended !== undefined) pod.startController();
      return (await pod.send({ host: "later.example" })).status === 200;
    },
    { deadline: 40_000, every: 200 },
  );
  await pod.ready();
}, 90_000);
