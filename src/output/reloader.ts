import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** nginx, or what stands for it, would not have a configuration. The message is what nginx said, in one line. */
export class NginxRefused extends Error {
  override readonly name = "NginxRefused";

  /** What it could not listen on, as CompileOptions has it. */
  readonly unavailablePorts: readonly string[];

  /** What it can open once a reload has closed a socket of its own that is in the way. */
  readonly blockedPorts: readonly string[];

  constructor(
    message: string,
    unavailablePorts: readonly string[] = [],
    blockedPorts: readonly string[] = [],
  ) {
    super(message);
    this.unavailablePorts = unavailablePorts;
    this.blockedPorts = blockedPorts;
  }
}

/** How nginx is told that files which it reads only at a reload have changed. */
export interface Reloader {
  /** `nginx -t`, or what of it is possible, on a folder inside the run folder that is laid out like it. Throws NginxRefused. */
  test(folder: string): Promise<void>;
  /**
   * Tells nginx to reload, and waits until `isDone`. Throws NginxRefused when nginx gives up, or is not done in time; it
   * then goes on as before.
   */
  reload(isDone: () => Promise<boolean>): Promise<void>;
}

/** Milliseconds: a reload of a large configuration on a busy machine. */
const RELOAD_LIMIT = 30_000;

/** Milliseconds for nginx to load the run folder's nginx.conf: a thousand ports are 16 MB of it, and take some seconds. */
export async function loadLimit(folder: string): Promise<number> {
  const { size } = await stat(join(folder, "nginx.conf")).catch(() => ({ size: 0 }));
  return RELOAD_LIMIT + Math.floor(size / 1_000_000) * 1000;
}

interface PollOptions {
  /** Milliseconds after which to give up. */
  readonly limit: number;
  /** Gives up at once. */
  readonly signal?: AbortSignal;
}

/** Milliseconds between two looks: short at first, because most of what is waited for comes soon. */
const FIRST = 2;
const LONGEST = 50;

/** Asks again and again until `holds` does (true) or the limit is reached (false). */
export async function poll(
  holds: () => boolean | Promise<boolean>,
  { limit, signal }: PollOptions,
): Promise<boolean> {
  const deadline = performance.now() + limit;
  for (let wait = FIRST; ; wait = Math.min(wait * 1.5, LONGEST)) {
    if (await holds()) return true;
    if (signal?.aborted === true || performance.now() >= deadline) return false;
    await pause(wait);
  }
}
