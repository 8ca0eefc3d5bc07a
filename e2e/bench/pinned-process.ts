import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { waitFor } from "../harness/wait.js";

/** A server in a process of its own that stays on one processor. */
export class PinnedProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #log = "";

  constructor(
    /** As taskset takes them. */
    cpus: string,
    words: readonly string[],
    options: { readonly cwd: string; readonly env?: Record<string, string> },
  ) {
    // taskset becomes the command: the pid is the server's.
    this.#child = spawn("taskset", ["-c", cpus, ...words], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.on("data", (bytes: Buffer) => (this.#log += bytes.toString()));
    this.#exit = once(this.#child, "close");
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("taskset could not be started");
    return this.#child.pid;
  }

  /** Waits until it accepts connections. */
  async listening(port: number): Promise<void> {
    await waitFor(`something listens on port ${port}`, async () => {
      if (this.#child.exitCode !== null) return "ended";
      return (await accepts(port)) && "listening";
    });
    if (this.#child.exitCode !== null) throw new Error(`the server ended:\n${this.#log}`);
  }

  async close(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exit;
  }
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });
}
