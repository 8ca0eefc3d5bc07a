/**
 * Which of several matching routes serves a request. Entries (Rules and Ingresses) are ordered by class, ascending priority, owner of the
 * host, specificity, age (older first), namespace and name, then position inside the object. The first match wins.
 */
import type { DslxTerm } from "../api/alb.js";
import type { KubernetesObject, ObjectMeta } from "../api/wire.js";
import { type HostPattern, hostKey } from "../model/values.js";
import { compareBy, compareStrings } from "../support/collections.js";
import { ageKey } from "../support/units.js";

/** How narrow a match is: higher complexity comes first, then the longer expression. */
export interface Specificity {
  readonly complexity: number;
  readonly length: number;
  /** Of equal ones the greater text comes first, by its bytes; before age. */
  readonly text?: string;
}

export interface Rank {
  /** `first`: before every rule, such as a Frontend's redirect. `default`: after every rule. */
  readonly class: keyof typeof CLASS_DIGIT;
  /** Lower comes first. */
  readonly priority: number;
  /** A text from HostOwners. */
  readonly owner?: string;
  readonly specificity: Specificity;
  readonly metadata: ObjectMeta;
  /** Inside the object, such as rule and path index. */
  readonly position: readonly number[];
}

export const INGRESS_PRIORITY = 5;

const NO_SPECIFICITY: Specificity = { complexity: 0, length: 0 };
const CLASS_DIGIT = { first: "0", rule: "1", default: "2" } as const;
const PRIORITY_ZERO = 2 ** 31;
const MAX_COMPLEXITY = 10 ** 10 - 1;
const MAX_LENGTH = 10 ** 8 - 1;

/**
 * The rank as a text: bindings are tried in the byte order of these texts. Names contain no blank, and a blank sorts before every
 * character of a name, so the parts compare one after the other.
 */
export function orderKey(rank: Rank): string {
  const { metadata, specificity, owner = "" } = rank;
  const { namespace, name, creationTimestamp } = metadata;
  return [
    CLASS_DIGIT[rank.class],
    digits(PRIORITY_ZERO + rank.priority, 10),
    ...(owner === "" ? [] : [owner]),
    digits(MAX_COMPLEXITY - specificity.complexity, 10),
    digits(MAX_LENGTH - specificity.length, 8),
    ...(specificity.text === undefined ? [] : [greaterFirst(specificity.text)]),
    ageKey(creationTimestamp),
    namespace,
    name,
    ...rank.position.map((index) => digits(index, 6)),
  ].join(" ");
}

/** A text that sorts in the opposite order; for texts of one length. */
function greaterFirst(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) =>
    (255 - byte).toString(16).padStart(2, "0"),
  ).join("");
}

/** Whether the text is of a binding that comes after every rule. */
export function isDefaultOrder(order: string): boolean {
  return order.startsWith(`${CLASS_DIGIT.default} `);
}

/** The rank of a route for a whole listener. */
export function listenerRank(
  orderClass: "first" | "default",
  { metadata }: KubernetesObject,
  priority = 0,
): Rank {
  return {
    class: orderClass,
    priority,
    specificity: NO_SPECIFICITY,
    metadata,
    position: [],
  };
}

/** Older first, without a timestamp last, then by namespace and name. */
export const compareAge: (a: KubernetesObject, b: KubernetesObject) => number = compareBy(
  ({ metadata: { creationTimestamp: a } }, { metadata: { creationTimestamp: b } }) =>
    a === b ? 0 : compareStrings(ageKey(a), ageKey(b)),
  (a, b) => compareStrings(a.metadata.namespace, b.metadata.namespace),
  (a, b) => compareStrings(a.metadata.name, b.metadata.name),
);

export function oldestOf(objects: Iterable<KubernetesObject>): KubernetesObject | undefined {
  let first: KubernetesObject | undefined;
  for (const object of objects) {
    if (first === undefined || compareAge(object, first) < 0) first = object;
  }
  return first;
}

const EXACT_HOST = 50_000;
const WILDCARD_HOST = 10_000;
const EXACT_PATH = 2_000;
const OTHER_PATH = 1_000;
const OTHER_TERM = 100;
/** A longer path adds no more, so that no path outweighs an exact one; the expression's length then decides. */
const MAX_PATH_WEIGHT = EXACT_PATH - OTHER_PATH - 1;

/** The origin's measure of a match expression: host before path, exact before prefix and pattern, longer before shorter. */
export function specificity(terms: readonly DslxTerm[]): Specificity {
  const complexity = terms.reduce((sum, term) => sum + termComplexity(term), 0);
  return { complexity, length: JSON.stringify(expression(terms)).length };
}

function termComplexity(term: DslxTerm): number {
  const rows = term.values;
  switch (term.type) {
    case "HOST":
      return hostComplexity(rows[0]?.[0]);
    case "URL":
      return rows.reduce((sum, row) => sum + pathComplexity(row), 0);
    default:
      return OTHER_TERM * rows.length;
  }
}

function hostComplexity(operator: string | undefined): number {
  if (operator === "EQ" || operator === "IN") return EXACT_HOST;
  return operator === "ENDS_WITH" ? WILDCARD_HOST : OTHER_TERM;
}

function pathComplexity([operator, value = ""]: readonly string[]): number {
  if (operator === "EQ" || operator === "IN") return EXACT_PATH;
  if (operator === "STARTS_WITH") {
    return OTHER_PATH + Math.min(value.length + 2, MAX_PATH_WEIGHT);
  }
  if (operator === "REGEX") return OTHER_PATH + Math.min(value.length, MAX_PATH_WEIGHT);
  return OTHER_TERM;
}

/** The expression that the origin compiles, of which only the length counts: terms in AND, their rows in OR. */
function expression(terms: readonly DslxTerm[]): readonly unknown[] {
  const compiled = terms.map(({ type, key, values }) => {
    const rows = values.map(([operator, ...args]) => [
      operator,
      type,
      ...(key === undefined ? [] : [key]),
      ...args,
    ]);
    return rows.length === 1 ? rows[0] : ["OR", ...rows];
  });
  return compiled.length === 1 ? compiled : ["AND", ...compiled];
}

/** The number with leading zeros, bounded by what `width` digits can express. */
function digits(value: number, width: number): string {
  const bounded = Math.min(Math.max(Math.trunc(value), 0), 10 ** width - 1);
  return String(bounded).padStart(width, "0");
}

// Routes of Gateway API are ordered by their own hostname, match, age, name, then position inside the route (HTTPRouteRule.matches).

/** Exact before expressions before prefixes; longer first. */
export interface PathRank {
  readonly kind: "exact" | "regex" | "prefix";
  /** In characters. */
  readonly length: number;
}

export interface MatchRank {
  readonly path: PathRank;
  readonly method: boolean;
  /** Numbers of conditions. */
  readonly headers: number;
  readonly queries: number;
}

export interface RouteRank {
  readonly match: MatchRank;
  readonly route: KubernetesObject;
  /** Indexes of rule and match. */
  readonly position: readonly number[];
}

const HOST_DIGIT = { exact: "0", wildcard: "1", any: "2" } as const;
const PATH_DIGIT = { exact: "0", regex: "1", prefix: "2" } as const;

/** The rank as a text: bindings of one `hostnameRank` are tried in the byte order of these texts. */
export function routeOrderKey({ match, route, position }: RouteRank): string {
  const { namespace, name, creationTimestamp } = route.metadata;
  return [
    PATH_DIGIT[match.path.kind] + longerFirst(match.path.length),
    match.method ? "0" : "1",
    longerFirst(match.headers),
    longerFirst(match.queries),
    ageKey(creationTimestamp),
    // The API compares "{namespace}/{name}"; a blank sorts before every character of a name.
    `${namespace}/${name}`,
    route.kind,
    ...position.map((index) => digits(index, 4)),
  ].join(" ");
}

/**
 * The rank of the route's own hostname, before it is intersected with the listener's: exact before wildcards before none, longer first.
 * Hostnames of one rank never match the same host.
 */
export function hostnameRank(hostname: HostPattern): string {
  return HOST_DIGIT[hostname.kind] + longerFirst(hostKey(hostname).length);
}

function longerFirst(length: number): string {
  const width = 5;
  return digits(10 ** width - 1 - length, width);
}
