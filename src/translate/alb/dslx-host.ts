import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import type { HostPattern } from "../../model/host-pattern.js";
import type { ValueTest } from "../../model/match.js";
import { canonicalHost } from "../../support/canonical-host.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";

const ASCII = /^[\0-\x7f]*$/;
/** Of a name, or of an IPv6 address in brackets. */
const PART = /^(?:[a-z0-9_.-]*|\[?[0-9a-f:.]*\]?)$/;

/** The hosts that a HOST row stands for; undefined when only trying them tells (REGEX, RANGE …). */
export function parseHostRow(row: {
  readonly operator: string;
  readonly tests: readonly ValueTest[];
}): readonly HostPattern[] | undefined {
  if (row.operator !== "EQ" && row.operator !== "IN" && row.operator !== "ENDS_WITH") {
    return undefined;
  }
  const patterns: HostPattern[] = [];
  for (const [op, ...values] of row.tests) {
    if (op === "eq" || op === "in") {
      patterns.push(...values.map((host): HostPattern => ({ kind: "exact", host })));
    } else if (op === "oneLabel") {
      const [suffix = ""] = values;
      patterns.push({ kind: "wildcard", suffix, labels: "one" });
    } else return undefined;
  }
  return patterns;
}

/** Tests of an operator that compares texts with the host, of which no case and no trailing dot counts; undefined for any other. */
export function hostTests(
  operator: string,
  args: readonly string[],
): Result<readonly ValueTest[]> | undefined {
  const texts = args.map((arg) => arg.toLowerCase().replace(/\.$/, ""));
  const [first = ""] = texts;
  if (operator === "EQ" || operator === "IN") return equalityTests(texts);
  if (operator === "ENDS_WITH" && /^\*?\../.test(first)) {
    // `*.example` and `.example` mean one label before the suffix.
    return equalityTests([first.startsWith("*") ? first : `*${first}`]);
  }
  if (operator !== "STARTS_WITH" && operator !== "ENDS_WITH") return undefined;
  if (!PART.test(first)) return problem(noHost(first));
  return ok([[operator === "ENDS_WITH" ? "end" : "start", first]]);
}

/** Is the value one of these? */
export function oneOf(values: readonly string[]): readonly ValueTest[] {
  const [first] = values;
  if (first === undefined) return [];
  return values.length === 1 ? [["eq", first]] : [["in", ...values]];
}

/** Hosts, and wildcards of one label. */
function equalityTests(texts: readonly string[]): Result<readonly ValueTest[]> {
  const hosts: string[] = [];
  const wildcards: ValueTest[] = [];
  for (const text of texts) {
    const isWildcard = text.startsWith("*.");
    const host = hostNamed(isWildcard ? text.slice(2) : text);
    if (host === undefined) return problem(noHost(text));
    if (isWildcard) wildcards.push(["oneLabel", host]);
    else hosts.push(host);
  }
  return ok([...oneOf(hosts), ...wildcards]);
}

/** As requests name it: letters that DNS does not have are written as IDNA has them. */
function hostNamed(text: string): string | undefined {
  const name = ASCII.test(text) ? text : domainToASCII(text);
  return canonicalHost(isIPv6(name) ? `[${name}]` : name);
}

function noHost(text: string): string {
  return `no host is like ${JSON.stringify(text)}: write a DNS name or an address, without a port`;
}
