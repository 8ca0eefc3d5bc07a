import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import type { DSLX_OPERATORS } from "../../api/alb.js";
import type { Predicate, ValueTest } from "../../model/route.js";
import type { HostPattern } from "../../model/values.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { canonicalHost } from "../../support/ip-address.js";
import { type Result, ok, problem } from "../../support/result.js";
import { regexProblem } from "../pattern/regex.js";

type Operator = (typeof DSLX_OPERATORS)[number];

/** One row `[operator, argument…]`, and the tests of which one must pass. */
export interface Row {
  readonly operator: Operator;
  readonly args: readonly string[];
  readonly tests: readonly ValueTest[];
}

/** How many arguments each operator takes. */
const ARITY: Readonly<Record<Operator, { readonly min: number; readonly max: number }>> = {
  EQ: { min: 1, max: 1 },
  IN: { min: 1, max: Number.POSITIVE_INFINITY },
  STARTS_WITH: { min: 1, max: 1 },
  ENDS_WITH: { min: 1, max: 1 },
  REGEX: { min: 1, max: 1 },
  RANGE: { min: 2, max: 2 },
  EXIST: { min: 0, max: 0 },
};

/** Arguments that match no path, because they lack the leading slash. */
const NO_PATH: Readonly<Partial<Record<Operator, RegExp>>> = {
  EQ: /^(?!\/)/,
  IN: /^(?!\/)/,
  STARTS_WITH: /^[^/]/,
  REGEX: /^\^\w(?![^|]*[?*{|])/,
};

/** The operator that was probably meant; EQ, the narrowest, if none is near. */
export function meantOperator(name: string): string {
  return isOperator(name) ? name : (didYouMean(name, Object.keys(ARITY)) ?? "EQ");
}

/** Reads a row of a term that looks at `of`. */
export function parseRow(values: readonly string[], of: Predicate["of"]): Result<Row> {
  const [name = "", ...args] = values;
  if (!isOperator(name)) {
    return problem(
      `the operator ${JSON.stringify(name)} is none of ${Object.keys(ARITY).join(", ")}`,
    );
  }
  const { min, max } = ARITY[name];
  if (args.length < min || args.length > max) {
    return problem(`${name} takes ${arityText(min, max)}, not ${String(args.length)}`);
  }
  const relative =
    of === "path" ? args.find((arg) => NO_PATH[name]?.test(arg) === true) : undefined;
  if (relative !== undefined) {
    return problem(`no path is like ${JSON.stringify(relative)}: all begin with a slash`);
  }
  const ofHost = of === "host" ? hostTests(name, args) : undefined;
  const tests = ofHost ?? testsOf(name, args, of);
  return tests.ok ? ok({ operator: name, args, tests: tests.value }) : tests;
}

function isOperator(name: string): name is Operator {
  return Object.hasOwn(ARITY, name);
}

function arityText(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${String(min)} argument`;
  return `${String(min)} ${min === 1 ? "argument" : "arguments"}`;
}

function testsOf(
  operator: Operator,
  args: readonly string[],
  of: Predicate["of"],
): Result<readonly ValueTest[]> {
  const [first = "", second = ""] = args;
  switch (operator) {
    case "EQ":
    case "IN":
      return of === "sourceIp" ? addressTests(args) : ok(oneOf(args));
    case "STARTS_WITH":
      return ok([["start", first]]);
    case "ENDS_WITH":
      return ok([["end", first]]);
    case "REGEX": {
      const invalid = regexProblem(first);
      return invalid === undefined ? ok([["regex", first]]) : problem(invalid);
    }
    case "RANGE":
      return rangeTests(first, second, of);
    case "EXIST":
      return ok([["exists"]]);
  }
}

/** An IPv6 address has many spellings, so addresses are not compared as texts. */
function addressTests(args: readonly string[]): Result<readonly ValueTest[]> {
  const wrong = args.find((arg) => isIP(arg) === 0);
  if (wrong !== undefined) return problem(`${JSON.stringify(wrong)} is not an IP address`);
  return ok(args.map((arg) => ["cidr", `${arg}/${isIP(arg) === 4 ? "32" : "128"}`] as const));
}

function rangeTests(low: string, high: string, of: Predicate["of"]): Result<readonly ValueTest[]> {
  const comparable = isIP(low) === 0 ? isNumber(low) && isNumber(high) : isIP(low) === isIP(high);
  if (!comparable || (of === "sourceIp" && isIP(low) === 0)) {
    return problem(`${JSON.stringify(low)} and ${JSON.stringify(high)} are no range`);
  }
  return ok([["range", low, high]]);
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

const ASCII = /^[\0-\x7f]*$/;
/** Part of a name, or of an IPv6 address in brackets. */
const PART = /^(?:[a-z0-9_.-]*|\[?[0-9a-f:.]*\]?)$/;

/** The hosts that a HOST row names; undefined if it can only be tried (REGEX, RANGE …). */
export function parseHostRow(row: Row): readonly HostPattern[] | undefined {
  if (!["EQ", "IN", "ENDS_WITH"].includes(row.operator)) return undefined;
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

/** The tests of an operator that compares texts with the host, without case and trailing dot; undefined for other operators. */
function hostTests(
  operator: Operator,
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

function oneOf(values: readonly string[]): readonly ValueTest[] {
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

/** As requests name it: in IDNA's ASCII form. */
function hostNamed(text: string): string | undefined {
  const name = ASCII.test(text) ? text : domainToASCII(text);
  return canonicalHost(isIPv6(name) ? `[${name}]` : name);
}

function noHost(text: string): string {
  return `no host is like ${JSON.stringify(text)}: write a DNS name or an address, without a port`;
}
