/** How long the workers left a client without an answer while something went on. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Closable } from "../harness/scene.js";

/** The time between two answers of a worker, in milliseconds. */
export interface Gap {
  readonly length: number;
  /** In which the worker was on a processor. */
  readonly ran: number;
  /** In which it could have been on one, but others were. */
  readonly waited: number;
}

/** Milliseconds in which nothing changes, to see what the machine and the prober do to the gaps. */
export const STILL = 10_000;

const PROBER = fileURLToPath(new URL("prober.js", import.meta.url));

export interface Prober extends Closable {
  /** Gaps since the last call. */
  gaps(): Promise<readonly Gap[]>;
}

/** Asks the workers for a host that has an answer. */
export async function startProber(asked: {
  readonly port: number;
  readonly host: string;
  readonly workers: readonly number[];
}): Promise<Prober> {
  const words = [asked.port, asked.host, ...asked.workers].map(String);
  const child = fork(PROBER, words, { execArgv: ["--max-semi-space-size=1"] });
  const exit = once(child, "exit");
  const ended = exit.then(() => Promise.reject(new Error("the prober ended")));
  // At its end nobody waits for an answer.
  ended.catch(() => undefined);
  const answer = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, "message"), ended])) as [unknown];
    return message;
  };
  await answer();
  return {
    gaps: async () => {
      const told = answer();
      child.send("report");
      return (await told) as readonly Gap[];
    },
    close: async () => {
      child.disconnect();
      await exit;
    },
  };
}
