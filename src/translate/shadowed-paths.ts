import type { KubernetesObject } from "../api/wire.js";
import type { DiagnosticSink, Report } from "../diagnostics/sink.js";
import type { RouteBinding } from "../model/route.js";
import type { HostPattern } from "../model/values.js";
import { hostKey } from "../model/values.js";
import { addTo, getOrInsert, groupBy } from "../support/collections.js";
import { keysAbove } from "./hostnames.js";
import type { Place } from "./place.js";
import { nameOf } from "./place.js";
import type { Specificity } from "./precedence.js";

/** Elements of a path up to which its prefixes are looked for, so that a long path costs no more than its length. */
const MOST_ELEMENTS = 16;

/** What is claimed for one host of a listener, and surely gets its requests. */
class HostClaims {
  readonly #claims: OrderedClaim[] = [];
  /** Undefined: none, or several. */
  #namespace: string | undefined;
  /** By path: the one that comes first. Made when it is asked for, since most hosts have one claim. */
  #first: Map<string, OrderedClaim> | undefined;

  add(each: OrderedClaim): void {
    const { namespace } = each.claim.object.metadata;
    const isOther = this.#namespace !== namespace && this.#claims.length > 0;
    this.#namespace = isOther ? undefined : namespace;
    this.#claims.push(each);
  }

  /** Whether no other claim can come before it. */
  hasOnly(each: OrderedClaim): boolean {
    return this.#claims.length === 1 && this.#claims[0] === each;
  }

  isAllOf(namespace: string): boolean {
    return this.#namespace === namespace;
  }

  first(path: string): OrderedClaim | undefined {
    return (this.#first ??= firstByPath(this.#claims)).get(path);
  }
}

function firstByPath(claims: readonly OrderedClaim[]): Map<string, OrderedClaim> {
  const first = new Map<string, OrderedClaim>();
  for (const each of claims) {
    const key = pathKey(each.claim.path);
    const winner = first.get(key);
    if (winner === undefined || each.order < winner.order) first.set(key, each);
  }
  return first;
}

/** Claims with one list of hosts on one listener. */
interface Together {
  readonly at: OrderedClaim["at"];
  readonly claims: readonly OrderedClaim[];
}

/**
 * Reports paths that no request can reach: an earlier claim has the same host and path, or one of another namespace has all of its
 * requests. What only trying tells, such as patterns, is not looked for. Of hosts that have the same claims the first is looked at.
 */
export function reportShadowed(claims: readonly OrderedClaim[], diagnostics: DiagnosticSink): void {
  const groups = [...groupBy(claims, ({ at }) => at)].map(([at, own]) => ({ at, claims: own }));
  const named = new Map<string, Together[]>();
  for (const group of groups) {
    for (const [listener, host] of placesOf(group)) {
      addTo(named, placeKey(listener, hostKey(host)), group);
    }
  }
  const known = new Map<string, HostClaims>();
  const claimsOf = (key: string): HostClaims =>
    getOrInsert(known, key, () => hostClaims(named.get(key) ?? []));
  for (const group of groups) {
    for (const [at, [listener, host]] of placesOf(group).entries()) {
      const key = placeKey(listener, hostKey(host));
      if (at > 0 && named.get(key)?.length === 1) continue;
      const above = [...keysAbove(host, "one"), ""].map((each) => placeKey(listener, each));
      const wider = above.filter((each) => named.has(each)).map(claimsOf);
      for (const report of shadowedAt(group, claimsOf(key), wider)) diagnostics.report(report);
    }
  }
}

function shadowedAt(
  { claims }: Together,
  own: HostClaims,
  above: readonly HostClaims[],
): readonly Report[] {
  return claims.flatMap((each) => {
    const { place } = each.claim;
    const winner = place && (sameOf(each, own) ?? widerOf(each, above));
    if (place === undefined || winner === undefined) return [];
    const message = messageFor(each.claim, winner);
    return [{ code: "INGRESS_PATH_SHADOWED", message, ...place }];
  });
}

function placeKey(listener: string, host: string): string {
  return `${listener}|${host}`;
}

function placesOf({ at }: Together): readonly (readonly [string, HostPattern])[] {
  return at.flatMap(({ listeners, hosts }) =>
    listeners.flatMap((listener) => hosts.map(({ host }) => [listener, host] as const)),
  );
}

function hostClaims(groups: readonly Together[]): HostClaims {
  const own = new HostClaims();
  for (const { claims } of groups) {
    for (const each of claims) if ((each.claim.when ?? []).length === 0) own.add(each);
  }
  return own;
}

function sameOf(each: OrderedClaim, own: HostClaims): PathClaim | undefined {
  if (own.hasOnly(each)) return undefined;
  const winner = own.first(pathKey(each.claim.path));
  if (winner?.claim.place === undefined || winner.order >= each.order) return undefined;
  return winner.claim;
}

function widerOf(
  { claim, order }: OrderedClaim,
  above: readonly HostClaims[],
): PathClaim | undefined {
  const { namespace } = claim.object.metadata;
  for (const known of above) {
    if (known.isAllOf(namespace)) continue;
    for (const path of widerPaths(claim.path)) {
      const winner = known.first(path);
      const isOther = winner?.claim.object.metadata.namespace !== namespace;
      if (winner !== undefined && isOther && winner.order < order) return winner.claim;
    }
  }
  return undefined;
}

/** Keys of the path itself, and of those that have all its requests. */
function widerPaths(path: PathClaim["path"]): readonly string[] {
  const [kind, text = ""] = path ?? [];
  const value = kind === "regex" ? "" : text;
  const keys = [pathKey(path), "any", "prefix ", "start /"];
  for (let at = value.indexOf("/", 1); at > 0; at = value.indexOf("/", at + 1)) {
    const start = value.slice(0, at);
    keys.push(`prefix ${start}`, `start ${start}`, `start ${start}/`);
    if (keys.length > 3 * MOST_ELEMENTS) break;
  }
  if (kind === "exact" || kind === "prefix") {
    keys.push(`prefix ${value}`, `start ${value}`);
  }
  return keys;
}

function pathKey(path: PathClaim["path"]): string {
  return path === undefined ? "any" : `${path[0]} ${path[1]}`;
}

function messageFor({ object }: PathClaim, winner: PathClaim): string {
  const name = nameOf(winner.object);
  return winner.object.metadata.namespace === object.metadata.namespace
    ? `${name} has the same host and path, and comes first`
    : `${name} has ${shown(winner.path)} of the host, and its namespace comes first`;
}

function shown(path: PathClaim["path"]): string {
  if (path === undefined) return "all paths";
  return path[1] === "" ? "/" : path[1];
}

/** What a Rule or an Ingress wants to be bound. */
export interface PathClaim extends Omit<RouteBinding, "order" | "when" | "at"> {
  readonly listener: string;
  /** Distinct. Claims of one object for the same hosts have the very same list: what is done for each host is then done once. */
  readonly hosts: readonly HostPattern[];
  readonly object: KubernetesObject;
  /** Inside the object, such as rule and path index. */
  readonly position: readonly number[];
  /** Of a Rule, or see origin-annotations.ts; absent: that of every Ingress. */
  readonly priority?: number;
  readonly specificity: Specificity;
  readonly when?: RouteBinding["when"];
  /** Of a path, which no other should hide. */
  readonly place?: Place;
}

/** A claim for some or all of its hosts, and the text by which it is tried there. */
export interface OrderedClaim {
  readonly claim: PathClaim;
  readonly at: RouteBinding["at"];
  readonly order: string;
}
