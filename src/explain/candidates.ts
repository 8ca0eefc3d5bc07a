import type { Predicate } from "../model/route.js";
import type { PolicyBinding, PolicyDocument, PolicyMatches } from "../model/policy.js";
import type { SourceRef } from "../model/values.js";
import { compareBy, compareStrings } from "../support/collections.js";
import { addressBytes, cidrContains } from "../support/ip-address.js";
import { own } from "../support/json-object.js";
import { pcreTest } from "./pcre.js";
import type { ExplainRequest } from "./request.js";
import {
  cookieValue,
  fromWire,
  headerValue,
  hostKeyCovers,
  queryValue,
  toWire,
} from "./request.js";

/** What became of a binding in the search for a route. */
export type MatchOutcome =
  | { readonly kind: "chosen" }
  /** It matches too, but the chosen one comes first. */
  | { readonly kind: "order" }
  /** Its path matches, its host does not. */
  | { readonly kind: "host" }
  | { readonly kind: "path" }
  /** The first condition that does not hold, and the request's value if it has one. */
  | { readonly kind: "predicate"; readonly predicate: Predicate; readonly value?: string }
  /** It has a regular expression that only the data plane's PCRE can try. */
  | { readonly kind: "undecided" };

export interface Candidate {
  readonly route: string;
  /** Absent when the policy has no such route. */
  readonly source?: SourceRef;
  /** Host key. */
  readonly host: string;
  readonly path?: NonNullable<PolicyBinding["path"]>;
  readonly when?: readonly Predicate[];
  readonly outcome: MatchOutcome;
}

interface Candidates {
  readonly chosen?: Candidate;
  /** False: a candidate before the chosen one is undecided. */
  readonly certain: boolean;
  /** In the order in which they are tried, then those of other hosts. */
  readonly all: readonly Candidate[];
}

interface HostBinding {
  readonly host: string;
  readonly binding: PolicyBinding;
}

/** Tries the bindings of a listener as the data plane's router does. */
export function findCandidates(
  policy: PolicyDocument,
  listener: string,
  request: RoutedRequest,
): Candidates {
  const bindings = bindingsOf(policy, listener);
  const ours = bindings.filter(({ host }) => hostKeyCovers(toWire(host), request.host));
  ours.sort(compareBy((a, b) => compareStrings(toWire(a.binding.order), toWire(b.binding.order))));
  const tried: Candidate[] = [];
  let chosen: Candidate | undefined;
  let certain = true;
  for (const entry of ours) {
    const outcome = tryBinding(entry.binding, request);
    const candidate = describe(policy, entry, chosen ? afterChosen(outcome) : outcome);
    if (chosen === undefined && outcome.kind === "undecided") certain = false;
    if (chosen === undefined && outcome.kind === "chosen") chosen = candidate;
    tried.push(candidate);
  }
  const others = bindings
    .filter((entry) => !ours.includes(entry) && pathMatches(entry.binding, request) !== false)
    .map((entry) => describe(policy, entry, { kind: "host" }));
  return { ...(chosen && { chosen }), certain, all: [...tried, ...others] };
}

function bindingsOf(policy: PolicyDocument, listener: string): HostBinding[] {
  const known = Object.values(policy.servers).flatMap(({ listeners }) => listeners);
  const tables = [listener, ...(known.find(([, id]) => id === listener)?.slice(2) ?? [])];
  return Object.entries(policy.hosts).flatMap(([key, bindings]) => {
    const bar = key.lastIndexOf("|");
    return tables.includes(key.slice(0, bar))
      ? bindings
          .flatMap((binding) => expanded(policy, binding))
          .map((binding) => ({ host: key.slice(bar + 1), binding }))
      : [];
  });
}

function expanded(
  policy: PolicyDocument,
  binding: PolicyBinding | PolicyMatches,
): readonly PolicyBinding[] {
  if (!("matches" in binding)) return [binding];
  const matches = own(policy.matches ?? {}, binding.matches) ?? [];
  return matches.map((match) => ({ ...match, order: binding.order + match.order }));
}

function tryBinding(binding: PolicyBinding, request: RoutedRequest): MatchOutcome {
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

function failed(predicate: Predicate, request: RoutedRequest): MatchOutcome {
  const value = predicateValue(predicate, request);
  return {
    kind: "predicate",
    predicate,
    ...(value !== undefined && { value: fromWire(value) }),
  };
}

function afterChosen(outcome: MatchOutcome): MatchOutcome {
  return outcome.kind === "chosen" || outcome.kind === "undecided" ? { kind: "order" } : outcome;
}

/** Undefined: only PCRE can tell. */
function pathMatches({ path }: PolicyBinding, request: RoutedRequest): boolean | undefined {
  if (path === undefined) return true;
  const value = toWire(path[1]);
  switch (path[0]) {
    case "exact":
      return request.path === value;
    case "prefix":
      return request.path === value || request.path.startsWith(`${value}/`);
    case "start":
      return request.path.startsWith(value);
    case "regex":
      return pcreTest(value, path[2], request.path);
  }
}

function describe(
  policy: PolicyDocument,
  { host, binding: { route, path, when } }: HostBinding,
  outcome: MatchOutcome,
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

/** A request and what was made of its target. */
export interface RoutedRequest extends ExplainRequest {
  /** Normalised path. */
  readonly path: string;
}

/** The value that a predicate is about (wire text); undefined: the request has none. */
function predicateValue({ of, key = "" }: Predicate, request: RoutedRequest): string | undefined {
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

/** Does the condition hold? Undefined: only PCRE can tell. A missing value holds for nothing. */
function predicateHolds(predicate: Predicate, request: RoutedRequest): boolean | undefined {
  const value = predicateValue(predicate, request);
  if (value === undefined) return false;
  const results = predicate.any.map(([op, ...args]) => testHolds(op, args.map(toWire), value));
  return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
}

type ValueTest = (value: string, args: readonly string[]) => boolean | undefined;

/** The tests of model/route.ts by operator. */
const TESTS: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
  ["eq", (value, [expected]) => value === expected],
  ["in", (value, args) => args.includes(value)],
  ["start", (value, [start = ""]) => value.startsWith(start)],
  ["end", (value, [end = ""]) => value.endsWith(end)],
  ["oneLabel", (value, [suffix]) => afterFirstLabel(value) === suffix],
  ["regex", (value, [pattern = ""]) => pcreTest(pattern, "", value)],
  ["range", (value, [low = "", high = ""]) => inRange(value, low, high)],
  ["cidr", (value, [cidr = ""]) => cidrContains(cidr, value)],
  ["exists", () => true],
]);

/** One of an unknown kind never holds. */
function testHolds(op: string, args: readonly string[], value: string): boolean | undefined {
  const test = TESTS.get(op);
  return test === undefined ? false : test(value, args);
}

function afterFirstLabel(host: string): string | undefined {
  const dot = host.indexOf(".");
  return dot > 0 ? host.slice(dot + 1) : undefined;
}

/** Inclusive; addresses of one family as addresses, else numbers as numbers. */
function inRange(value: string, low: string, high: string): boolean {
  const [address, from, to] = [value, low, high].map(addressBytes);
  if (address !== undefined && from !== undefined && to !== undefined) {
    const oneFamily = address.length === from.length && address.length === to.length;
    return oneFamily && address >= from && address <= to;
  }
  return number(value) >= number(low) && number(value) <= number(high);
}

/** NaN, which is in no range, for text that is no number to Lua either. */
function number(text: string): number {
  const decimal = /^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;
  return decimal.test(text) || /^\s*0[xX][0-9A-Fa-f]+\s*$/.test(text) ? Number(text) : Number.NaN;
}
