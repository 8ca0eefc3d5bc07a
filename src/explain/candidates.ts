import type { Predicate } from "../model/match.js";
import type { SourceRef } from "../model/source-ref.js";
import type { PolicyBinding, PolicyDocument, PolicyMatches } from "../model/policy.js";
import { compareBy, compareStrings } from "../support/compare.js";
import { hostKeyCovers } from "./host-key.js";
import { pcreTest } from "./pcre.js";
import type { RoutedRequest } from "./predicates.js";
import { predicateHolds, predicateValue } from "./predicates.js";
import { fromWire, toWire } from "./wire-text.js";
import { own } from "../support/own.js";

/** What became of a binding in the search for a route. */
export type Outcome =
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
  readonly outcome: Outcome;
}

export interface Candidates {
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

function tryBinding(binding: PolicyBinding, request: RoutedRequest): Outcome {
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

function failed(predicate: Predicate, request: RoutedRequest): Outcome {
  const value = predicateValue(predicate, request);
  return {
    kind: "predicate",
    predicate,
    ...(value !== undefined && { value: fromWire(value) }),
  };
}

function afterChosen(outcome: Outcome): Outcome {
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
  outcome: Outcome,
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
