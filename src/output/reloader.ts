/** How nginx is reloaded, and an nginx that albc does not run. NginxProcess is the other Reloader. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { EnvironmentError } from "../support/errors.js";
import { ControlClient, ControlError } from "./control-client.js";
import { behindOwn, isTaken, readListens } from "./listens.js";

/** nginx refused a configuration. The message is the reason that nginx gave, in one line. */
export class NginxRefused extends Error {
  override readonly name = "NginxRefused";

  /** The ports that it could not listen on, for CompileOptions. */
  readonly unavailablePorts: readonly string[];

  /** The ports that it can open once a reload has closed a socket of its own. */
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

/** Makes nginx load files that it reads only at a reload. */
export interface Reloader {
  /** Tests a folder inside the run folder that has the same layout, if possible by `nginx -t`. Throws NginxRefused. */
  test(folder: string): Promise<void>;
  /**
   * Reloads nginx, and waits until `isDone`, not so long if it `isAwaited` by other changes. Throws NginxRefused if nginx gives up or is
   * late; it then keeps serving as before.
   */
  reload(isDone: () => Promise<boolean>, isAwaited?: () => boolean): Promise<void>;
}

/** Milliseconds: a reload of a large configuration on a busy machine. */
const RELOAD_LIMIT = 30_000;
/** The same while other changes wait: an nginx that albc does not run refuses a configuration by doing nothing. */
const AWAITED_LIMIT = 10_000;

/** Milliseconds for nginx to load nginx.conf of the run folder: a thousand ports are 16 MB, and take some seconds. */
export async function loadLimit(folder: string): Promise<number> {
  const { size } = await stat(join(folder, "nginx.conf")).catch(() => ({ size: 0 }));
  return RELOAD_LIMIT + Math.floor(size / 1_000_000) * 1000;
}

/** Milliseconds between two checks: short at first, because most waits are short. */
const FIRST = 2;
const LONGEST = 50;

/** Checks until `holds` returns true (true), or the limit is reached (false). */
export async function poll(
  holds: () => boolean | Promise<boolean>,
  { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal },
): Promise<boolean> {
  const deadline = performance.now() + limit;
  for (let wait = FIRST; ; wait = Math.min(wait * 1.5, LONGEST)) {
    if (await holds()) return true;
    if (signal?.aborted === true || performance.now() >= deadline) return false;
    await pause(wait);
  }
}

/** Throws NginxRefused if nginx must close a socket of its own before it can open one of the next configuration. */
export function refuseBlocked(next: readonly string[], live: readonly string[]): void {
  const blocked = behindOwn(next, live);
  if (blocked.length === 0) return;
  const message = `${blocked.join(", ")}: nginx itself listens there on other addresses until it is reloaded`;
  throw new NginxRefused(message, [], blocked);
}

const COMMAND_LIMIT = 60_000;

/** How to reload an nginx that albc does not run. */
export type ReloadWay =
  /** By a request to its control socket. The folder is its prefix, where it writes. */
  | { readonly kind: "control"; readonly folder: string }
  | { readonly kind: "command"; readonly command: string };

/** An nginx that others run on our run folder, such as in another container of the pod. */
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
   * The reload itself is the test, except for ports that another process of the pod has: with such a port in its files, an nginx that is
   * about to start could serve nothing at all.
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

  async reload(isDone: () => Promise<boolean>, isAwaited = () => false): Promise<void> {
    const limit = await loadLimit(this.#folder);
    await this.#tell();
    const start = performance.now();
    const waited = (): number => performance.now() - start;
    const isLate = (): boolean => isAwaited() && waited() > limit - RELOAD_LIMIT + AWAITED_LIMIT;
    const loaded = new AbortController();
    const settled = async (): Promise<boolean> => {
      if (await isDone()) loaded.abort();
      return loaded.signal.aborted || isLate();
    };
    await poll(settled, { limit });
    if (loaded.signal.aborted) return;
    throw new NginxRefused(
      `nginx did not take the new files in ${Math.round(waited() / 1000)} s; its own error log says why`,
    );
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
