/** Paths as Gateway API sees them: normalised for matching, as they came for forwarding. */
import type { PathModifier } from "./world.js";

export interface Target {
  /** As it came. */
  readonly raw: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** Decoded, slashes merged, dot segments removed (RFC 3986, 5.2.4); undefined when it climbs above the root. */
  readonly path: string | undefined;
}

export function readTarget(target: string): Target {
  const [raw = ""] = target.split("?");
  return { raw, query: target.slice(raw.length), path: normalise(raw) };
}

function normalise(raw: string): string | undefined {
  const segments = decodeURIComponent(raw).split("/").slice(1);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === ".." && kept.pop() === undefined) return undefined;
    if (segment !== "" && segment !== "." && segment !== "..") kept.push(segment);
  }
  const last = segments.at(-1) ?? "";
  const isOpen = kept.length > 0 && ["", ".", ".."].includes(last);
  return `/${kept.join("/")}${isOpen ? "/" : ""}`;
}

/** Only whole elements count, and a final slash of the prefix does not. */
export function hasPrefix(path: string, prefix: string): boolean {
  const trimmed = withoutFinalSlash(prefix);
  return path === trimmed || path.startsWith(`${trimmed}/`) || trimmed === "";
}

export function withoutFinalSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** The path after the change; `prefix` is that of the match. */
export function modified(
  target: Target,
  modifier: PathModifier | undefined,
  prefix: string,
): string {
  if (modifier === undefined) return target.raw;
  if (modifier.type === "ReplaceFullPath") return modifier.value;
  const rest = remainder(target, withoutFinalSlash(prefix));
  const path = `${withoutFinalSlash(modifier.value)}${rest}`;
  // One that begins with two slashes would be read as a host by some.
  return `/${path.replace(/^\/+/, "")}`;
}

/** What comes after the prefix: as it was sent where the prefix stands there and nothing climbs, else of the normalised path. */
function remainder({ raw, path = "" }: Target, written: string): string {
  const prefix = encoded(decodeURIComponent(written));
  const climbs = decodeURIComponent(raw)
    .split("/")
    .some((segment) => segment === "." || segment === "..");
  if (!climbs && (raw === prefix || raw.startsWith(`${prefix}/`))) return raw.slice(prefix.length);
  return encoded(path.slice(decodeURIComponent(prefix).length));
}

function encoded(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}
