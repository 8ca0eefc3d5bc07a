/**
 * What can still be served when nginx refuses a new nginx.conf: the new policy and secrets below the nginx.conf that it has. One
 * object's port may not hold up everybody's routes and revoked passwords.
 */
import type { RenderedFile } from "../render/rendered-file.js";
import { contentsOf } from "../render/rendered-file.js";
import type { RenderedPolicy } from "../render/rendered-policy.js";

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
