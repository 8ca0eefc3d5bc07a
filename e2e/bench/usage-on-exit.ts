/**
 * Preloaded into a Node process that is measured: at its end, and at each SIGUSR2, it logs what the process has used, and for how long its event
 * loop was blocked at most since the last time.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const say = (): void => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpu = (userCPUTime + systemCPUTime) / 1000;
    const [memory, block] = [maxRSS * 1024, delays.max / 1e6];
    const usage = { level: "info", msg: "usage", cpu, memory, block };
    process.stderr.write(`${JSON.stringify(usage)}\n`);
    delays.reset();
  };
  process.on("SIGUSR2", say);
  process.on("exit", say);
}
