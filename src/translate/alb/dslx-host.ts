import type { HostPattern } from "../../ir/host-pattern.js";
import type { Row } from "./dslx-row.js";

/** What a Host header can be made of once the port is cut off: names, addresses, bracketed IPv6. */
const HOST = /^[a-z0-9_.:[\]-]+$/;

/** The hosts that a HOST row stands for; undefined when only trying them tells (REGEX, RANGE …). */
export function parseHostRow(row: Row): readonly HostPattern[] | undefined {
  if (row.operator !== "EQ" && row.operator !== "IN" && row.operator !== "ENDS_WITH") {
    return undefined;
  }
  const patterns: HostPattern[] = [];
  for (const test of row.tests) {
    if (test.op === "eq") patterns.push({ kind: "exact", host: test.value });
    else if (test.op === "in") {
      patterns.push(...test.values.map((host): HostPattern => ({ kind: "exact", host })));
    } else if (test.op === "oneLabel") {
      patterns.push({ kind: "wildcard", suffix: test.suffix, labels: "one" });
    } else return undefined;
  }
  return patterns.every(isLookedUp) ? patterns : undefined;
}

function isLookedUp(pattern: HostPattern): boolean {
  if (pattern.kind === "any") return true;
  return HOST.test(pattern.kind === "exact" ? pattern.host : pattern.suffix);
}
