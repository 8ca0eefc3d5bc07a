/** Each reload leaves workers behind whose requests last: five generations of them, and no more. */
import { readFileSync } from "node:fs";
import { type Socket, connect, createServer } from "node:net";
import { listen } from "../../e2e/harness/free-port.js";
import { processesIn } from "../../e2e/harness/processes.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ControlClient } from "../../src/output/control-client.js";
import { LuaGateway } from "../support/lua-gateway.js";
import { until } from "../support/until.js";

const scene = useScene();
const MOST_GENERATIONS = 5;

test("the oldest workers beyond five generations that drain are ended", async () => {
  const asked = new Set<Socket>();
  const silent = createServer((socket) => asked.add(socket.on("error", () => undefined)));
  const backend = await listen(silent);
  const gateway = await scene.use(
    LuaGateway.start({
      ...{ backend, routes: { "open.example": {} } },
      options: { dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 1 } },
    }),
  );
  const { dir, port } = gateway.nginx;
  const control = new ControlClient(dir);
  const pids: (number | undefined)[] = [];
  const clients: Socket[] = [];
  for (let set = 1; set <= MOST_GENERATIONS + 2; set += 1) {
    const client = connect(port, "127.0.0.1").on("error", () => undefined);
    client.write("GET / HTTP/1.1\r\nHost: open.example\r\n\r\n");
    clients.push(client);
    await until(() => asked.size === set);
    const [worker] = (await control.status()).workers;
    pids.push(worker?.pid);
    await control.reload();
    await until(() => drains(worker?.pid));
    await until(async () =>
      (await control.status()).workers.some(({ pid }) => pid !== worker?.pid),
    );
  }
  const isLeft = async () => (await processesIn(dir)).length === 1 + MOST_GENERATIONS + 1;
  await until(isLeft);
  const left = await processesIn(dir);
  const { generations, most } = await control.draining();
  expect([generations.length, most]).toEqual([MOST_GENERATIONS, MOST_GENERATIONS]);
  expect(generations).toEqual([...generations].sort((a, b) => a - b));
  expect(pids.flatMap((pid, set) => (pid !== undefined && left.includes(pid) ? [] : set))).toEqual([
    0, 1,
  ]);
  for (const socket of [...clients, ...asked]) socket.destroy();
  await until(async () => (await control.draining()).generations.length === 0);
  await new Promise((resolve) => silent.close(resolve));
}, 120_000);

function drains(pid = 0): boolean {
  return readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").includes("is shutting down");
}
