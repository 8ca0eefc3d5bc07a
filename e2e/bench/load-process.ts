import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { LOAD_CPU } from "./processors.js";

/**
 * Runs a command on the processor for everything that is not measured, and returns its output. `begun` is called when a line
 * matches `beginning`.
 */
export async function runLoad(
  words: readonly string[],
  beginning: RegExp,
  begun: (interrupt: () => void) => void,
): Promise<string> {
  const child = spawn("taskset", ["-c", String(LOAD_CPU), ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  createInterface(child.stdout).on("line", (line) => {
    output += `${line}\n`;
    if (beginning.test(line)) begun(() => child.kill("SIGINT"));
  });
  await ended;
  return output;
}
