import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type LoadResult, resultIn, runLoad } from "./load-process.js";
import { REPOSITORY } from "./repository.js";

export interface WrkOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** One of load/, without `.lua`. */
  readonly script: "spread" | "paced" | "body";
  readonly words: readonly string[];
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
    async (interrupt) => {
      await delay(1000 * seconds);
      interrupt();
    },
  );
  return resultIn(output);
}
