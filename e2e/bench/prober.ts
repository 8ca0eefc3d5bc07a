/**
 * A process of its own: prober PORT HOST PID…
 * Asks each of the workers on a connection that it keeps, a millisecond after the last answer, and notes the times between the
 * answers. It tells the parent when it has begun, and at the word "report" what it has noted since the last one.
 */
import { execFileSync } from "node:child_process";
import { openSync, readSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../harness/http-client.js";
import { waitFor } from "../harness/wait.js";
import type { Gap } from "./pauses.js";
import { ownerOf } from "./socket-owner.js";

const [port = 0, ...pids] = [process.argv[2], ...process.argv.slice(4)].map(Number);
const host = process.argv[3] ?? "";
/** Connections that are opened at once, so that not one worker takes them all. */
const CROWD = 32;
/** Requests on a connection; after 1,000 nginx ends it. In the moment between two connections nothing is noted. */
const REQUESTS = 900;

let gaps: Gap[] = [];

/** Opens connections until each worker has one. */
async function oneForEach(): Promise<ReadonlyMap<number, Connection>> {
  const found = new Map<number, Connection>();
  await waitFor("each worker has a connection", async () => {
    const crowd = await Promise.all(Array.from({ length: CROWD }, () => Connection.open({ port })));
    for (const connection of crowd) {
      const pid = await workerOf(connection);
      if (found.has(pid)) connection.close();
      else found.set(pid, connection);
    }
    return found.size === pids.length;
  });
  return found;
}

async function workerOf(connection: Connection): Promise<number> {
  // It has been accepted when there is an answer.
  await connection.send({ host });
  return ownerOf({ local: port, remote: connection.socket.localPort ?? 0 }, pids);
}

/** All threads of a process have a processor as soon as they want one; see sched(7), SCHED_FIFO. */
function putFirst(pid: number, priority: number): void {
  execFileSync("chrt", ["--fifo", "--all-tasks", "--pid", String(priority), String(pid)]);
}

/** Milliseconds that a process was on a processor, and that it waited for one. */
type Scheduler = () => Pick<Gap, "ran" | "waited">;

/** By /proc/PID/schedstat, which the kernel's sched-stats.rst explains. */
function schedulerOf(pid: number): Scheduler {
  const file = openSync(`/proc/${pid}/schedstat`, "r");
  const bytes = Buffer.alloc(80);
  return () => {
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
    const [ran = 0, waited = 0] = text.split(" ").map((word) => Number(word) / 1e6);
    return { ran, waited };
  };
}

async function ask(connection: Connection, scheduler: Scheduler): Promise<void> {
  let last = { at: performance.now(), ...scheduler() };
  for (let i = 0; i < REQUESTS; i += 1) {
    await delay(1);
    await connection.send({ host });
    const now = { at: performance.now(), ...scheduler() };
    gaps.push({
      length: now.at - last.at,
      ran: now.ran - last.ran,
      waited: now.waited - last.waited,
    });
    last = now;
  }
  connection.close();
}

// What is measured is what the workers are busy with, not who else wants their processors: they come before all others, and
// before them who looks at them.
for (const pid of pids) putFirst(pid, 10);
putFirst(process.pid, 20);
const schedulers = new Map(pids.map((pid) => [pid, schedulerOf(pid)]));
process.on("message", () => {
  process.send?.(gaps);
  gaps = [];
});
process.once("disconnect", () => process.exit());
process.send?.("begun");
for (;;) {
  const connections = await oneForEach();
  await Promise.all(
    [...schedulers].map(async ([pid, scheduler]) => {
      const connection = connections.get(pid);
      if (connection !== undefined) await ask(connection, scheduler);
    }),
  );
}
