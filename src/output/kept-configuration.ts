/**
 * What can still be served if nginx refuses a new nginx.conf: the new policy and secrets with the old nginx.conf. A port of one object
 * must not delay the routes and revoked passwords of all others.
 */
import { type RenderedFile, RenderedPolicy, contentsOf } from "../render/rendered-file.js";

/** Files that nginx reads only at a reload. They change together. */
export function needsReload({ path }: RenderedFile): boolean {
  return /^(?:nginx\.conf$|lua\/|environment\/|streams\/)/.test(path);
}

/** Whether nginx needs no reload to get from one to the other. */
export function isSameConfiguration(
  a: readonly RenderedFile[],
  b: readonly RenderedFile[],
): boolean {
  const others = new Map(b.filter(needsReload).map((file) => [file.path, file]));
  const own = a.filter(needsReload);
  return (
    own.length === others.size &&
    own.every((file) => {
      const other = others.get(file.path);
      return other !== undefined && contentsOf(file) === contentsOf(other);
    })
  );
}

/** Empty if there is no such file. */
export function textOf(files: readonly RenderedFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  return file === undefined ? "" : contentsOf(file);
}

/**
 * The files of a configuration that nginx may load, with the policy and secrets of a newer one as far as they fit. Both are of the same
 * moment, so the former alone is as right, but older.
 */
export function withNewestPolicy(
  loadable: readonly RenderedFile[],
  newest: readonly RenderedFile[],
): readonly RenderedFile[] {
  const hasRoom = policyMemory(loadable) === policyMemory(newest);
  const fits = hasRoom && isSafeBelowOld(policyOf(loadable), policyOf(newest));
  return fits ? keepingConfiguration(loadable, newest) : loadable;
}

function policyMemory(files: readonly RenderedFile[]): string | undefined {
  return /lua_shared_dict albc_policy .*/.exec(textOf(files, "nginx.conf"))?.[0];
}

export function isPolicy(file: RenderedFile): boolean {
  return file.path === "policy.json";
}

export function policyOf(files: readonly RenderedFile[]): RenderedPolicy {
  const contents = files.find(isPolicy)?.contents;
  if (!(contents instanceof RenderedPolicy)) throw new Error("no policy.json among the files");
  return contents;
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
