/** An nginx that somebody else runs on our run folder, such as the container beside ours. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { EnvironmentError } from "../support/environment-error.js";
import { fileError } from "./file-error.js";
import { signalOne } from "./folder-processes.js";
import { readListens, refuseBlocked } from "./listens.js";
import { poll } from "./poll.js";
import { isTaken } from "./port-probe.js";
import type { Reloader } from "./reloader.js";
import { NginxRefused, RELOAD_LIMIT } from "./reloader.js";

const COMMAND_LIMIT = 60_000;

/** Takes the value of `--reload`: `signal:PIDFILE` or `command:COMMAND`. Throws EnvironmentError for any other. */
export function sidecar(reload: string): Reloader {
  const [, kind, value = ""] = /^(signal|command):(.+)$/s.exec(reload) ?? [];
  if (kind === "signal") return new Sidecar(() => hangUp(value));
  if (kind === "command") return new Sidecar(() => runCommand(value));
  throw new EnvironmentError("--reload must be signal:PIDFILE or command:COMMAND");
}

class Sidecar implements Reloader {
  readonly #tell: () => Promise<void>;

  constructor(tell: () => Promise<void>) {
    this.#tell = tell;
  }

  /**
   * Its nginx is not ours to run; what it does not take of a configuration is found out by the reload. But for a port that
   * somebody else of the pod has: with that in its files an nginx that is about to start could serve nothing at all.
   */
  async test(folder: string): Promise<void> {
    const next = await readListens(join(folder, "nginx.conf"));
    const written = await readListens(join(folder, "..", "nginx.conf"));
    refuseBlocked(next, written);
    const fresh = next.filter((place) => !written.includes(place));
    const taken: string[] = [];
    for (const place of fresh) if (await isTaken(place, written)) taken.push(place);
    if (taken.length === 0) return;
    throw new NginxRefused(`${taken.join(", ")}: in use by another process of this machine`, taken);
  }

  async reload(isDone: () => Promise<boolean>): Promise<void> {
    await this.#tell();
    if (!(await poll(isDone, { limit: RELOAD_LIMIT }))) {
      throw new NginxRefused(
        `nginx did not take the new files in ${RELOAD_LIMIT / 1000} s; its own error log says why`,
      );
    }
  }
}

async function hangUp(pidFile: string): Promise<void> {
  const text = await readFile(pidFile, "utf8").catch((error: unknown) => {
    throw fileError("read the process id of nginx from", pidFile, error);
  });
  const pid = Number(text.trim());
  if (!Number.isSafeInteger(pid) || pid <= 1) {
    throw new EnvironmentError(`${pidFile} holds no process id`);
  }
  if (!signalOne(pid, "SIGHUP")) {
    throw new EnvironmentError(`process ${String(pid)} of ${pidFile} can't be signalled`);
  }
}

async function runCommand(command: string): Promise<void> {
  const { exitCode, all } = await execa("/bin/sh", ["-c", command], {
    all: true,
    reject: false,
    stdin: "ignore",
    timeout: COMMAND_LIMIT,
  });
  if (exitCode === 0) return;
  const status = exitCode === undefined ? "no status" : `status ${exitCode}`;
  throw new NginxRefused(`the reload command ended with ${status}: ${all.trim().slice(-500)}`);
}
