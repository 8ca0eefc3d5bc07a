import type { DSLX_TYPES, DslxTerm } from "../../api/alb.js";
import type { PathMatch, Predicate, ValueTest } from "../../model/route.js";
import { ANY_HOST, type HostPattern, hostKey } from "../../model/values.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { own } from "../../support/json-object.js";
import { type Result, ok, problem } from "../../support/result.js";
import { isHeaderName } from "../http/headers.js";
import { MOST_BINDING_TEXT } from "../size-limits.js";
import { type Row, meantOperator, parseHostRow, parseRow } from "./dslx-row.js";

/** What a Rule matches: one of the hosts, the path and all conditions. */
export interface DslxMatch {
  readonly hosts: readonly HostPattern[];
  readonly path: PathMatch | undefined;
  readonly when: readonly Predicate[];
}

/** A problem of the term with this index, and of its row if it is the row's. */
interface DslxProblem {
  readonly term: number;
  readonly row?: number;
  readonly problem: string;
}

/** What each type of term looks at, and whether its key names it. */
const SUBJECTS: Readonly<
  Record<(typeof DSLX_TYPES)[number], { readonly of: Predicate["of"]; readonly keyed: boolean }>
> = {
  HOST: { of: "host", keyed: false },
  URL: { of: "path", keyed: false },
  SRC_IP: { of: "sourceIp", keyed: false },
  METHOD: { of: "method", keyed: false },
  HEADER: { of: "header", keyed: true },
  PARAM: { of: "query", keyed: true },
  COOKIE: { of: "cookie", keyed: true },
};

interface ParsedTerm {
  readonly of: Predicate["of"];
  readonly key?: string;
  readonly rows: readonly Row[];
}

/**
 * Terms are ANDed, rows of one term ORed. An invalid term is left out, so the match is wider than meant but keeps its rank: the caller
 * refuses what it matches, so no wider rule serves it. The hosts that such a term names stay, next to any host, so the Rule keeps its rank
 * there.
 */
export function parseDslx(dslx: readonly DslxTerm[]): {
  /** Undefined if no term has a row. */
  readonly match: DslxMatch | undefined;
  /** Gives the rank: the terms as written, with the types and operators that were probably meant. */
  readonly terms: readonly DslxTerm[];
  readonly problems: readonly DslxProblem[];
} {
  const problems: DslxProblem[] = [];
  const terms: DslxTerm[] = [];
  const parsed: ParsedTerm[] = [];
  const named: HostPattern[] = [];
  for (const [index, term] of dslx.entries()) {
    // The origin drops a term without rows.
    if (term.values.length === 0) continue;
    const result = parseTerm(term, index);
    if ("rows" in result) {
      terms.push(term);
      parsed.push(result);
    } else {
      const meant = meantTerm(term);
      terms.push(meant);
      problems.push(result);
      if (meant.type === "HOST") named.push(...hostsNamed(meant));
    }
  }
  const match = terms.length === 0 ? undefined : combine(parsed, [...named, ANY_HOST]);
  return { match, terms, problems };
}

/** The hosts of the valid rows. */
function hostsNamed({ values }: DslxTerm): readonly HostPattern[] {
  return values.flatMap((row) => {
    const read = parseRow(row, "host");
    return read.ok ? (hostsOf([read.value]) ?? []) : [];
  });
}

function meantTerm(term: DslxTerm): DslxTerm {
  const isKnown = Object.hasOwn(SUBJECTS, term.type);
  const type = isKnown ? term.type : (didYouMean(term.type, Object.keys(SUBJECTS)) ?? "HOST");
  const values = term.values.map(([operator = "", ...args]) => [meantOperator(operator), ...args]);
  return { ...term, type, values };
}

function parseTerm(term: DslxTerm, index: number): ParsedTerm | DslxProblem {
  const subject = own(SUBJECTS, term.type);
  if (subject === undefined) {
    const known = Object.keys(SUBJECTS).join(", ");
    return { term: index, problem: `the type ${JSON.stringify(term.type)} is none of ${known}` };
  }
  const key = parseKey(term, subject.keyed);
  if (!key.ok) return { term: index, problem: key.problem };
  const rows: Row[] = [];
  for (const [position, values] of term.values.entries()) {
    const row = parseRow(values, subject.of);
    if (!row.ok) return { term: index, row: position, problem: row.problem };
    rows.push(row.value);
  }
  return { of: subject.of, ...(key.value !== undefined && { key: key.value }), rows };
}

/** Names of headers and cookies are tokens, those of headers without case (RFC 9110, RFC 6265). Parameters can have any name. */
function parseKey({ type, key = "" }: DslxTerm, keyed: boolean): Result<string | undefined> {
  if (!keyed) return ok(undefined);
  if (key === "") return problem(`a term of type ${type} needs a key`);
  if (type !== "PARAM" && !isHeaderName(key)) {
    return problem(`the key ${JSON.stringify(key)} is not a name`);
  }
  return ok(type === "HEADER" ? key.toLowerCase() : key);
}

function combine(terms: readonly ParsedTerm[], otherwise: readonly HostPattern[]): DslxMatch {
  let hosts: readonly HostPattern[] | undefined;
  let path: PathMatch | undefined;
  const when: Predicate[] = [];
  for (const term of terms) {
    const termHosts = term.of === "host" && hosts === undefined ? hostsOf(term.rows) : undefined;
    const termPath = term.of === "path" && path === undefined ? pathOf(term.rows) : undefined;
    if (termHosts !== undefined) hosts = termHosts;
    else if (termPath !== undefined) path = termPath;
    else when.push(predicateOf(term));
  }
  return { hosts: hosts ?? otherwise, path, when };
}

/** The hosts of a term whose rows all name hosts, so that it can be looked up; undefined for other terms. */
function hostsOf(rows: readonly Row[]): readonly HostPattern[] | undefined {
  const hosts = new Map<string, HostPattern>();
  for (const row of rows) {
    const patterns = parseHostRow(row);
    if (patterns === undefined) return undefined;
    for (const pattern of patterns) hosts.set(hostKey(pattern), pattern);
  }
  return [...hosts.values()];
}

function pathOf(rows: readonly Row[]): PathMatch | undefined {
  const [row] = rows;
  if (row === undefined || rows.length > 1) return undefined;
  const [value = ""] = row.args;
  switch (row.operator) {
    case "EQ":
      return ["exact", value];
    case "STARTS_WITH":
      return ["start", value];
    case "REGEX":
      return ["regex", value, ""];
    case "IN":
    case "ENDS_WITH":
    case "RANGE":
    case "EXIST":
      return undefined;
  }
}

function predicateOf({ of, key, rows }: ParsedTerm): Predicate {
  const any: readonly ValueTest[] = rows.flatMap(({ tests }) => tests);
  return { of, ...(key !== undefined && { key }), any };
}

/** Why the match is too large: its path and conditions are bound once for each host. Undefined if it is not. */
export function dslxSizeProblem({ hosts, path, when }: DslxMatch): string | undefined {
  const each = textOf(path) + textOf(when);
  const text = each * hosts.length;
  if (text <= MOST_BINDING_TEXT || hosts.length === 1) return undefined;
  return `${String(hosts.length)} hosts with ${String(each)} characters of path and conditions make ${String(text)}; a Rule may have ${String(MOST_BINDING_TEXT)}`;
}

/** A smaller match for the same requests, and perhaps for others of its hosts. */
export function widened({ hosts, path }: DslxMatch): DslxMatch {
  const fits = textOf(path) * hosts.length <= MOST_BINDING_TEXT;
  return { hosts, path: fits ? path : undefined, when: [] };
}

function textOf(part: DslxMatch["path"] | DslxMatch["when"]): number {
  return part === undefined ? 0 : JSON.stringify(part).length;
}
