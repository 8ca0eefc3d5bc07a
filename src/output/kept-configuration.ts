/**
 * What can still be served when nginx refuses a new nginx.conf: the new policy and secrets below the nginx.conf that it has. One
 * object's port may not hold up everybody's routes and revoked passwords.
 */
import type { RenderedFile, RenderedPolicy } from "../render/rendered-file.js";
import { contentsOf } from "../render/rendered-file.js";

/** Files that nginx reads at a reload only: they belong together. */
export function needsReload({ path }: RenderedFile): boolean {
  return /^(?:nginx\.conf$|lua\/|environment\/|streams\/)/.test(path);
}

/** What a refusal was of: equal for equal nginx.conf, lua/ and environment/. */
export function reloadPart(files: readonly RenderedFile[]): string {
  const parts = files.filter(needsReload).map((file) => [file.path, contentsOf(file)] as const);
  return JSON.stringify(parts);
}

/** Empty when there is no such file. */
export function textOf(files: readonly RenderedFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  return file === undefined ? "" : contentsOf(file);
}

/** The new files but for those that need a reload, which stay with all that the old nginx.conf names. */
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
 * False when a server of the new policy needs what only its new server block has: TLS or none, or the check that a request belongs
 * to the listener whose certificate its client was asked for. Everything else that the old nginx.conf lacks, such as the location for
 * another limit, nginx answers with 500.
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

interface Guard {
  readonly tls: boolean;
  readonly guarded: boolean;
  readonly asks: boolean;
}

function guardOf(json: string): Guard {
  const parsed: unknown = JSON.parse(json);
  const server: object = typeof parsed === "object" && parsed !== null ? parsed : {};
  const tls = "tls" in server && server.tls === true;
  const asks = "clientCertificates" in server;
  return { tls, asks, guarded: tls && (asks || "isolated" in server) };
}

/** Files of which one that may wait is the only thing that needs a reload: the endpoints of streams. All else does not wait. */

/** What can be applied now, and the milliseconds after which the rest can be; 0: that is all. */
export function inTime(
  old: readonly RenderedFile[],
  files: readonly RenderedFile[],
  allowance: Pick<ReloadAllowance, "take">,
): { readonly due: readonly RenderedFile[]; readonly held: number } {
  const early = keepingEndpoints(old, files);
  const held = early === undefined ? 0 : allowance.take();
  return { due: held === 0 ? files : (early ?? files), held };
}

/** The new files with the endpoints of before; undefined when those are the same, or not all that needs a reload. */
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

/** Milliseconds: the longest that a change of endpoints waits. */
export const ENDPOINT_INTERVAL = 1000;

/**
 * How often endpoints of streams may have nginx reload by themselves: the first change after a quiet interval at once, then once an
 * interval. A reload leaves old workers behind until their last connection ends (see lua/alb/phases/worker.lua).
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

  /** Takes a reload; 0. Or takes none: the milliseconds until there is one. */
  take(): number {
    const now = this.#now();
    const left = Math.ceil(this.#takenAt + this.#interval - now);
    if (left > 0) return left;
    this.#takenAt = now;
    return 0;
  }
}
