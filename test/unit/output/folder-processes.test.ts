import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  endAll,
  haveEnded,
  nginxProcessesIn,
  signalOne,
  startTime,
} from "../../../src/output/folder-processes.js";
import { useTempFolder } from "../../support/temp-folder.js";

const temp = useTempFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process in the folder, whose command line starts with this title. */
async function start(title: string): Promise<number> {
  const child = spawn("sleep", ["60"], { cwd: temp(), argv0: title, stdio: "ignore" });
  children.push(child);
  await new Promise((resolve) => child.once("spawn", resolve));
  return child.pid ?? 0;
}

test("the master is known by its pid file, a worker by its title, another process is left alone", async () => {
  const worker = await start("nginx: worker process");
  const master = await start("nginx: master process nginx");
  await start("less nginx.conf");
  writeFileSync(join(temp(), "nginx.pid"), `${String(master)}\n`);
  expect(await nginxProcessesIn(temp())).toEqual([
    { pid: master, role: "master" },
    { pid: worker, role: "worker" },
  ]);
});

test("endAll ends nginx's processes only", async () => {
  const worker = await start("nginx: worker process");
  const other = await start("less nginx.conf");
  expect(await haveEnded(temp(), 0)).toBe(false);
  await endAll(temp());
  expect(await haveEnded(temp(), 0)).toBe(true);
  expect(signalOne(other, "SIGCONT")).toBe(true);
  expect(await startTime(worker)).not.toBe(await startTime(other));
});

test("a process that does not exist has no start time and gets no signal", async () => {
  expect(await startTime(2 ** 22 + 1)).toBe("");
  expect(signalOne(2 ** 22 + 1, "SIGCONT")).toBe(false);
});
