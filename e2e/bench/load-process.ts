/** Programs that send requests, on the processor for everything that is not measured. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { LOAD_CPU } from "./processors.js";

export interface LoadResult {
  readonly requests: number;
  /** Requests without the answer that was to come. */
  readonly failures: number;
  readonly seconds: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of a load at a fixed rate: requests that had no answer of 200, which count as slow ones above, and microseconds. */
  readonly tail?: { readonly unanswered: number; readonly p999: number };
}

/** Runs a command and returns its output. `begun` is called when a line matches `beginning`. */
export async function runLoad(
  words: readonly string[],
  beginning: RegExp,
  begun: (interrupt: () => void) => Promise<void>,
): Promise<string> {
  const child = spawn("taskset", ["-c", String(LOAD_CPU), ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let output = "";
  const actions: Promise<void>[] = [];
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  createInterface(child.stdout).on("line", (line) => {
    output += `${line}\n`;
    if (beginning.test(line)) actions.push(begun(() => child.kill("SIGINT")));
  });
  await ended;
  await Promise.all(actions);
  return output;
}

/** From the line that the bench's own programs and scripts end with. */
export function resultIn(output: string): LoadResult {
  const found = /^RESULT (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(output);
  if (!found) throw new Error(`no result of a load:\n${output}`);
  const [requests = 0, failures = 0, duration = 0, p50 = 0, p99 = 0] = found.slice(1).map(Number);
  const [unanswered, p999] = /^TAIL (\d+) (\d+)$/m.exec(output)?.slice(1).map(Number) ?? [];
  return {
    ...{ requests, failures, seconds: duration / 1e6, p50, p99 },
    ...(unanswered !== undefined && p999 !== undefined && { tail: { unanswered, p999 } }),
  };
}
