import type { HostPattern } from "../../../model/host-pattern.js";

/**
 * The hosts that both patterns are for; wildcards stand for any number of labels (Gateway API, Listener.hostname). Undefined: none.
 */
export function intersect(a: HostPattern, b: HostPattern): HostPattern | undefined {
  if (includes(a, b)) return b;
  return includes(b, a) ? a : undefined;
}

function includes(outer: HostPattern, inner: HostPattern): boolean {
  switch (outer.kind) {
    case "any":
      return true;
    case "exact":
      return inner.kind === "exact" && inner.host === outer.host;
    case "wildcard":
      return inner.kind !== "any" && liesBelow(outer.suffix, inner);
  }
}

function liesBelow(suffix: string, inner: Exclude<HostPattern, { kind: "any" }>): boolean {
  if (inner.kind === "exact") return inner.host.endsWith(`.${suffix}`);
  return inner.suffix === suffix || inner.suffix.endsWith(`.${suffix}`);
}
