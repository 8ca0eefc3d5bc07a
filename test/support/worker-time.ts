import { readdirSync, readFileSync } from "node:fs";
import type { NginxProcess } from "./nginx-process.js";
import { until } from "./until.js";

/** The law: what one request may cost a worker, in milliseconds of processor time. */
export const MOST_MS = 20;

/** Returns a function for the processor time, in milliseconds, that the only worker of an nginx has used. */
export async function workerTime({ pid }: Pick<NginxProcess, "pid">): Promise<() => number> {
  await until(() => Promise.resolve(workerOf(pid) !== undefined));
  const worker = workerOf(pid) ?? "";
  return () => Number(readFileSync(`/proc/${worker}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** The process id of the only worker of an nginx. */
export function workerOf(master: number): string | undefined {
  const isWorker = (pid: string) =>
    /^\d+$/.test(pid) &&
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(master);
  return readdirSync("/proc").find((pid) => {
    try {
      return isWorker(pid);
    } catch {
      return false;
    }
  });
}
