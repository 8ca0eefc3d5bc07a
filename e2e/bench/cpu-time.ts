import { readFile, readdir } from "node:fs/promises";

/**
 * Nanoseconds that all threads of the processes have been on a processor (user and system). Exact for threads that wait; one
 * that runs is behind by up to a tick of the kernel, 4 ms.
 */
export async function cpuTime(pids: readonly number[]): Promise<number> {
  let sum = 0;
  for (const pid of pids) {
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      sum += Number(text.split(" ")[0]);
    }
  }
  return sum;
}

/** Pids of a process's children. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text
    .trim()
    .split(" ")
    .filter((word) => word !== "")
    .map(Number);
}
