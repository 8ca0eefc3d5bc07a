import { ANY_HOST, type HostPattern, hostKey } from "../model/values.js";
import { canonicalHost, isDnsName } from "../support/ip-address.js";
import { type Result, ok, problem } from "../support/result.js";

/**
 * The hosts that `text` names. Absent or empty text means every host; `*.` at the start is a wildcard for one label or many. Case and a
 * trailing dot are ignored.
 */
export function parseHostPattern(
  text: string | undefined,
  labels: "one" | "many",
): Result<HostPattern> {
  if (text === undefined || text === "") return ok(ANY_HOST);
  const host = text.toLowerCase().replace(/\.$/, "");
  const suffix = host.startsWith("*.") ? host.slice(2) : undefined;
  if (!isDnsName(suffix ?? host) || (suffix === undefined && canonicalHost(host) === undefined)) {
    return problem(`${JSON.stringify(text)} is not a DNS name, with or without a leading "*."`);
  }
  return ok(suffix === undefined ? { kind: "exact", host } : { kind: "wildcard", suffix, labels });
}

/** The wildcard for one label that covers the name. */
export function parentWildcard(host: HostPattern): HostPattern | undefined {
  const dot = host.kind === "exact" ? host.host.indexOf(".") : -1;
  if (host.kind !== "exact" || dot < 1) return undefined;
  return { kind: "wildcard", suffix: host.host.slice(dot + 1), labels: "one" };
}

/** The keys of a host and of the wildcards above it, for one label or many, the narrowest first. */
export function keysAbove(host: HostPattern, labels: "one" | "many"): readonly string[] {
  if (host.kind === "any") return [];
  if (labels === "one") {
    const parent = parentWildcard(host);
    return parent === undefined ? [hostKey(host)] : [hostKey(host), hostKey(parent)];
  }
  const names = (host.kind === "exact" ? host.host : host.suffix).split(".");
  const first = host.kind === "exact" ? 1 : 0;
  const wildcards = names.slice(first).map((_, at) => `**.${names.slice(first + at).join(".")}`);
  return [hostKey(host), ...wildcards];
}

/** Whether every host of `inner` is one of `outer`. */
export function covers(outer: HostPattern, inner: HostPattern): boolean {
  if (outer.kind === "any") return true;
  if (inner.kind === "any") return false;
  if (outer.kind === "exact") return inner.kind === "exact" && inner.host === outer.host;
  if (inner.kind === "exact") {
    const prefix = withoutSuffix(inner.host, outer.suffix);
    return prefix !== undefined && (outer.labels === "many" || !prefix.includes("."));
  }
  if (outer.labels === "one") return inner.labels === "one" && inner.suffix === outer.suffix;
  return inner.suffix === outer.suffix || withoutSuffix(inner.suffix, outer.suffix) !== undefined;
}

/** `a.b` for `a.b.example` and the suffix `example`; undefined if the host is not below the suffix. */
function withoutSuffix(host: string, suffix: string): string | undefined {
  return host.length > suffix.length + 1 && host.endsWith(`.${suffix}`)
    ? host.slice(0, -suffix.length - 1)
    : undefined;
}

/** The hosts that both patterns match, if their wildcards stand for any number of labels (Gateway API, Listener.hostname). */
export function intersect(a: HostPattern, b: HostPattern): HostPattern | undefined {
  if (covers(a, b)) return b;
  return covers(b, a) ? a : undefined;
}
