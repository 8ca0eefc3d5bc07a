/**
 * What can still be served if nginx refuses a new nginx.conf: the new policy and secrets with the old nginx.conf. A port of one object
 * must not delay the routes and revoked passwords of all others.
 */
import { type RenderedFile, type RenderedPolicy, contentsOf } from "../render/rendered-file.js";

/** Files that nginx reads only at a reload. They change together. */
export function needsReload({ path }: RenderedFile): boolean {
  return /^(?:nginx\.conf$|lua\/|environment\/|streams\/)/.test(path);
}

/** Text that identifies what nginx refused: equal if nginx.conf, lua/ and environment/ are equal. */
export function reloadPart(files: readonly RenderedFile[]): string {
  const parts = files.filter(needsReload).map((file) => [file.path, contentsOf(file)] as const);
  return JSON.stringify(parts);
}

/** Empty if there is no such file. */
export function textOf(files: readonly RenderedFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  return file === undefined ? "" : contentsOf(file);
}

/** The new files, but the old ones of those that need a reload, with everything that the old nginx.conf names. */
export function keepingConfiguration(
  old: readonly RenderedFile[],
  files: readonly RenderedFile[],
): readonly RenderedFile[] {
  const swapped = files.filter((file) => !needsReload(file));
  const paths = new Set(swapped.map(({ path }) => path));
  const text = textOf(old, "nginx.conf");
  const kept = old.filter(
    (file) => needsReload(file) || (!paths.has(file.path) && text.includes(file.path)),
  );
  return [...swapped, ...kept];
}

/**
 * False if a server of the new policy needs its new server block: for TLS or plain text, or for the check that a request belongs to the
 * listener whose certificate its client was asked for. If anything else is missing in the old nginx.conf, such as the location of another
 * limit, nginx answers 500.
 */
export function isSafeBelowOld(old: RenderedPolicy, policy: RenderedPolicy): boolean {
  const servers = old.maps.get("servers")?.shards;
  return [...(policy.maps.get("servers")?.shards ?? [])].every(([key, json]) => {
    const before = servers?.get(key);
    if (before === undefined) return true;
    const [was, is] = [guardOf(before), guardOf(json)];
    return was.tls === is.tls && (was.guarded || !is.guarded) && (was.asks || !is.asks);
  });
}

function guardOf(json: string): Readonly<Record<"tls" | "guarded" | "asks", boolean>> {
  const parsed: unknown = JSON.parse(json);
  const server: object = typeof parsed === "object" && parsed !== null ? parsed : {};
  const tls = "tls" in server && server.tls === true;
  const asks = "clientCertificates" in server;
  return { tls, asks, guarded: tls && (asks || "isolated" in server) };
}

/** What to apply now, and the milliseconds until the rest; 0: there is no rest. Only endpoints of streams may wait. */
export function inTime(
  old: readonly RenderedFile[],
  files: readonly RenderedFile[],
  allowance: Pick<ReloadAllowance, "take">,
): { readonly due: readonly RenderedFile[]; readonly held: number } {
  const early = keepingEndpoints(old, files);
  const held = early === undefined ? 0 : allowance.take();
  return { due: held === 0 ? files : (early ?? files), held };
}

/** The new files with the old endpoints; undefined if the endpoints are the same, or are not the only change that needs a reload. */
export function keepingEndpoints(
  old: readonly RenderedFile[],
  files: readonly RenderedFile[],
): readonly RenderedFile[] | undefined {
  const now = files.find(({ patient }) => patient);
  const before = old.find(({ path }) => path === now?.path);
  if (before === undefined || now === undefined) return undefined;
  if (contentsOf(before) === contentsOf(now)) return undefined;
  const kept = files.map((file) => (file === now ? before : file));
  return reloadPart(kept) === reloadPart(old) ? kept : undefined;
}

/** Milliseconds: the longest delay of changed endpoints. */
export const ENDPOINT_INTERVAL = 1000;

/**
 * How often endpoints of streams may cause a reload: the first change after a quiet interval at once, then once an interval. Each reload
 * leaves old workers behind until their last connection ends (see lua/alb/phases/worker.lua).
 */
export class ReloadAllowance {
  readonly #interval: number;
  readonly #now: () => number;
  #takenAt = -Infinity;

  /** `interval`, `now`: milliseconds. */
  constructor(interval: number, now: () => number = () => performance.now()) {
    this.#interval = interval;
    this.#now = now;
  }

  /** Returns 0 and takes a reload, or returns the milliseconds until one is allowed. */
  take(): number {
    const now = this.#now();
    const left = Math.ceil(this.#takenAt + this.#interval - now);
    if (left > 0) return left;
    this.#takenAt = now;
    return 0;
  }
}
