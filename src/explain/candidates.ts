import type { Predicate, ValueTest } from "../model/route.js";
import {
  type PolicyBinding,
  type PolicyDocument,
  type PolicyServer,
  UNNAMED_HOST,
} from "../model/policy.js";
import type { SourceRef } from "../model/values.js";
import { compareStrings } from "../support/collections.js";
import { mostSimilar } from "../support/did-you-mean.js";
import { addressBytes, cidrContains } from "../support/ip-address.js";
import { own } from "../support/json-object.js";
import { pcreTest } from "./pcre.js";
import {
  type ExplainRequest,
  cookieValue,
  coveringKeys,
  fromWire,
  headerValue,
  hostKeyCovers,
  queryValue,
  toWire,
} from "./request.js";

/** A binding that may serve a request, and whether it does. */
export interface Candidate {
  readonly route: string;
  /** Absent: the policy has no such route. */
  readonly source?: SourceRef;
  /** Host key. */
  readonly host: string;
  readonly path?: NonNullable<PolicyBinding["path"]>;
  readonly when?: readonly Predicate[];
  /**
   * `order`: it matches, but the chosen one comes first. `path`: its path does not match. `undecided`: only PCRE can try its regular
   * expression. `predicate`: the first condition that fails, and the request's value, if there is one.
   */
  readonly outcome:
    | { readonly kind: "chosen" | "order" | "path" | "undecided" }
    | { readonly kind: "predicate"; readonly predicate: Predicate; readonly value?: string };
}

/**
 * Tries the bindings of a listener that are for the host, in the order in which the data plane does (lua/alb/policy/index.lua).
 * `certain` is false if a candidate before the chosen one is undecided.
 */
export function findCandidates(
  policy: PolicyDocument,
  listener: string,
  request: ExplainRequest,
): { readonly chosen?: Candidate; readonly certain: boolean; readonly all: readonly Candidate[] } {
  const tried: Candidate[] = [];
  let chosen: Candidate | undefined;
  let certain = true;
  for (const entry of bindingsFor(policy, listener, request.host)) {
    const outcome = tryBinding(entry.binding, request);
    const candidate = describe(policy, entry, chosen ? afterChosen(outcome) : outcome);
    if (chosen === undefined && outcome.kind === "undecided") certain = false;
    if (chosen === undefined && outcome.kind === "chosen") chosen = candidate;
    tried.push(candidate);
  }
  return { ...(chosen && { chosen }), certain, all: tried };
}

const MOST_NEAR = 5;

/** The host keys on a server that are most like a host for which it serves nothing, the most similar first. */
export function nearestHosts(
  { hosts }: PolicyDocument,
  { listeners }: PolicyServer,
  host: string,
): readonly string[] {
  const tables = new Set(listeners.flatMap(([, ...ids]) => ids));
  const keys = Object.keys(hosts).flatMap((key) => {
    const bar = key.lastIndexOf("|");
    return tables.has(key.slice(0, bar)) ? key.slice(bar + 1) : [];
  });
  const others = keys.filter((key) => key !== UNNAMED_HOST && !hostKeyCovers(toWire(key), host));
  return mostSimilar(host, new Set(others), MOST_NEAR);
}

/** A binding and its host key. */
export interface HostedBinding {
  readonly host: string;
  readonly binding: PolicyBinding;
}

/** The bindings of a listener for a host (wire text), in the order in which they are tried. */
export function bindingsFor(
  policy: PolicyDocument,
  listener: string,
  host: string,
): readonly HostedBinding[] {
  const tables = tablesOf(policy, listener);
  const entriesOf = (key: string) => tables.flatMap((table) => tableEntries(policy, table, key));
  const keys = coveringKeys(host).map(fromWire);
  const named = keys.filter((key) => key !== "").flatMap(entriesOf);
  const isNamed = named.length > 0;
  const isAlone = isNamed && isApart(policy, listener);
  return [...named, ...(isAlone ? [] : entriesOf("")), ...(isNamed ? [] : entriesOf(UNNAMED_HOST))]
    .map((entry) => ({ entry, order: toWire(entry.binding.order) }))
    .sort((a, b) => compareStrings(a.order, b.order))
    .map(({ entry }) => entry);
}

function tableEntries(
  policy: PolicyDocument,
  table: string,
  host: string,
): readonly HostedBinding[] {
  return (own(policy.hosts, `${table}|${host}`) ?? [])
    .flatMap((binding) => expanded(policy, binding))
    .map((binding) => ({ host, binding }));
}

/** Whether bindings without a host are for hosts that no other names. */
function isApart({ servers }: PolicyDocument, listener: string): boolean {
  return Object.values(servers).some(({ apart = [] }) => apart.includes(listener));
}

/** A listener's own table, and those that it shares. */
function tablesOf({ servers }: PolicyDocument, listener: string): readonly string[] {
  for (const { listeners } of Object.values(servers)) {
    const found = listeners.find(([, id]) => id === listener);
    if (found !== undefined) return found.slice(1);
  }
  return [listener];
}

function expanded(
  policy: PolicyDocument,
  binding: PolicyDocument["hosts"][string][number],
): readonly PolicyBinding[] {
  if (!("matches" in binding)) return [binding];
  const matches = own(policy.matches, binding.matches) ?? [];
  return matches.map((match) => ({ ...match, order: binding.order + match.order }));
}

function tryBinding(binding: PolicyBinding, request: ExplainRequest): Candidate["outcome"] {
  const path = pathMatches(binding, request);
  if (path === false) return { kind: "path" };
  let undecided = path === undefined;
  for (const predicate of binding.when ?? []) {
    const holds = predicateHolds(predicate, request);
    if (holds === false) return failed(predicate, request);
    undecided ||= holds === undefined;
  }
  return { kind: undecided ? "undecided" : "chosen" };
}

function failed(predicate: Predicate, request: ExplainRequest): Candidate["outcome"] {
  const value = predicateValue(predicate, request);
  return {
    kind: "predicate",
    predicate,
    ...(value !== undefined && { value: fromWire(value) }),
  };
}

function afterChosen(outcome: Candidate["outcome"]): Candidate["outcome"] {
  return outcome.kind === "chosen" || outcome.kind === "undecided" ? { kind: "order" } : outcome;
}

/** Undefined: only PCRE can decide. */
function pathMatches(
  { path: match }: PolicyBinding,
  { path = "" }: ExplainRequest,
): boolean | undefined {
  if (match === undefined) return true;
  const value = toWire(match[1]);
  switch (match[0]) {
    case "exact":
      return path === value;
    case "prefix":
      return path === value || path.startsWith(`${value}/`);
    case "start":
      return path.startsWith(value);
    case "regex":
      return pcreTest(value, match[2], path);
  }
}

function describe(
  policy: PolicyDocument,
  { host, binding: { route, path, when } }: HostedBinding,
  outcome: Candidate["outcome"],
): Candidate {
  const source = own(policy.routes, route)?.source;
  return {
    route,
    ...(source && { source }),
    host,
    ...(path && { path }),
    ...(when && { when }),
    outcome,
  };
}

/** The request's value for a condition (wire text); undefined: it has none. */
function predicateValue({ of, key = "" }: Predicate, request: ExplainRequest): string | undefined {
  switch (of) {
    case "method":
      return request.method;
    case "path":
      return request.path;
    case "host":
      return request.host;
    case "sourceIp":
      return request.client;
    case "header":
      return headerValue(request, toWire(key));
    case "query":
      return queryValue(request, toWire(key));
    case "cookie":
      return cookieValue(request, toWire(key));
  }
}

/** Whether the condition holds; undefined: only PCRE can decide. A missing value passes no test. */
function predicateHolds(predicate: Predicate, request: ExplainRequest): boolean | undefined {
  const value = predicateValue(predicate, request);
  if (value === undefined) return false;
  const results = predicate.any.map((test) => passes(test, value));
  return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
}

/** Whether a value (wire text) passes a test; undefined: only PCRE can decide. */
export function passes([op, ...args]: ValueTest, value: string): boolean | undefined {
  const test = own(TESTS, op);
  return test === undefined ? false : test(value, args.map(toWire));
}

/** An operator that is not here never holds. */
const TESTS: Readonly<
  Record<ValueTest[0], (value: string, args: readonly string[]) => boolean | undefined>
> = {
  eq: (value, [expected]) => value === expected,
  in: (value, args) => args.includes(value),
  start: (value, [start = ""]) => value.startsWith(start),
  end: (value, [end = ""]) => value.endsWith(end),
  oneLabel: (value, [suffix]) => afterFirstLabel(value) === suffix,
  regex: (value, [pattern = ""]) => pcreTest(pattern, "", value),
  range: (value, [low = "", high = ""]) => inRange(value, low, high),
  cidr: (value, [cidr = ""]) => cidrContains(cidr, value),
  exists: () => true,
};

function afterFirstLabel(host: string): string | undefined {
  const dot = host.indexOf(".");
  return dot > 0 ? host.slice(dot + 1) : undefined;
}

/** Inclusive; compares addresses of one family as addresses, everything else as numbers. */
function inRange(value: string, low: string, high: string): boolean {
  const [address, from, to] = [value, low, high].map(addressBytes);
  if (address !== undefined && from !== undefined && to !== undefined) {
    const oneFamily = address.length === from.length && address.length === to.length;
    return oneFamily && address >= from && address <= to;
  }
  return number(value) >= number(low) && number(value) <= number(high);
}

/** Reads numbers as Lua's `tonumber` does; NaN, which is in no range, for other text. */
function number(text: string): number {
  const decimal = /^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;
  return decimal.test(text) || /^\s*0[xX][0-9A-Fa-f]+\s*$/.test(text) ? Number(text) : Number.NaN;
}
