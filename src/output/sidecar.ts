/** An nginx that somebody else runs on our run folder, such as the container beside ours. */
import { join } from "node:path";
import { execa } from "execa";
import { EnvironmentError } from "../support/errors.js";
import { ControlClient, ControlError } from "./control-client.js";
import { isTaken, readListens, refuseBlocked } from "./listens.js";
import { NginxRefused, loadLimit, poll } from "./reloader.js";
import type { Reloader } from "./reloader.js";

const COMMAND_LIMIT = 60_000;

/** How a sidecar's nginx is told to reload. */
export type ReloadWay =
  /** It reloads itself when it is asked at its control socket. The folder is where it writes: its prefix. */
  | { readonly kind: "control"; readonly folder: string }
  | { readonly kind: "command"; readonly command: string };

/** `folder`: the run folder, whose files it loads. */
export function sidecar(way: ReloadWay, folder: string): Reloader {
  return new Sidecar(folder, () =>
    way.kind === "control" ? askForReload(way.folder) : runCommand(way.command),
  );
}

class Sidecar implements Reloader {
  readonly #folder: string;
  readonly #tell: () => Promise<void>;

  constructor(folder: string, tell: () => Promise<void>) {
    this.#folder = folder;
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
    const limit = await loadLimit(this.#folder);
    await this.#tell();
    if (!(await poll(isDone, { limit }))) {
      throw new NginxRefused(
        `nginx did not take the new files in ${limit / 1000} s; its own error log says why`,
      );
    }
  }
}

async function askForReload(folder: string): Promise<void> {
  try {
    await new ControlClient(folder).reload();
  } catch (error: unknown) {
    throw error instanceof ControlError ? new EnvironmentError(error.message) : error;
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
