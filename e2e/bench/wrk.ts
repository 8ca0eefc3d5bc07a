import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { LOAD_CPU } from "./processors.js";
import { REPOSITORY } from "./repository.js";

const run = promisify(execFile);

export interface WrkOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** One of load/, without `.lua`. */
  readonly script: "spread" | "paced";
  readonly words: readonly string[];
}

export interface WrkResult {
  readonly requests: number;
  /** Requests without the answer that was to come. */
  readonly failures: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Runs wrk with one of the scripts in load/, on the processor for everything that is not measured. */
export async function wrk(options: WrkOptions): Promise<WrkResult> {
  const script = join(REPOSITORY, "e2e/bench/load", `${options.script}.lua`);
  const { stdout } = await run("taskset", [
    ...["-c", String(LOAD_CPU), "wrk", "-t1", `-c${options.connections}`],
    ...[`-d${options.seconds}s`, "-s", script, `http://127.0.0.1:${options.port}/`, "--"],
    ...options.words,
  ]);
  const found = /^RESULT (\d+) (\d+) (\d+) (\d+)$/m.exec(stdout);
  if (!found) throw new Error(`wrk said:\n${stdout}`);
  const [requests = 0, failures = 0, p50 = 0, p99 = 0] = found.slice(1).map(Number);
  return { requests, failures, p50, p99 };
}
