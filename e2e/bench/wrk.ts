import { join } from "node:path";
import { runLoad } from "./load-process.js";
import { REPOSITORY } from "./repository.js";

export interface WrkOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** One of load/, without `.lua`. */
  readonly script: "spread" | "paced";
  readonly words: readonly string[];
}

export interface LoadResult {
  readonly requests: number;
  /** Requests without the answer that was to come. */
  readonly failures: number;
  readonly seconds: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Runs wrk with one of the scripts in load/. */
export async function wrk(options: WrkOptions): Promise<LoadResult> {
  const { port, connections, seconds, words } = options;
  const script = join(REPOSITORY, "e2e/bench/load", `${options.script}.lua`);
  const output = await runLoad(
    [
      // wrk knows whole seconds only; SIGINT ends it earlier, with its results.
      ...["wrk", "-t1", `-c${connections}`, "-d600s", "-s", script],
      ...[`http://127.0.0.1:${port}/`, "--", ...words],
    ],
    /^BEGIN$/,
    (interrupt) => setTimeout(interrupt, 1000 * seconds),
  );
  const found = /^RESULT (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(output);
  if (!found) throw new Error(`wrk said:\n${output}`);
  const [requests = 0, failures = 0, duration = 0, p50 = 0, p99 = 0] = found.slice(1).map(Number);
  return { requests, failures, seconds: duration / 1e6, p50, p99 };
}
