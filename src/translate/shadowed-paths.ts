import type { KubernetesObject } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import type { RouteBinding } from "../model/route.js";
import { type HostPattern, hostKey } from "../model/values.js";
import { addTo, getOrInsert, groupBy, memoized } from "../support/collections.js";
import type { HostOwners } from "./host-owners.js";
import { keysAbove } from "./hostnames.js";
import { type Place, nameOf } from "./place.js";
import type { Specificity } from "./precedence.js";

/** Path elements up to which prefixes of a path are compared, so that a long path costs no more than its length. */
const MOST_ELEMENTS = 16;

/** The claims for one host of a listener that have no conditions, so they get all requests for their path. */
class ClaimsOfHost {
  readonly #claims: OrderedClaim[] = [];
  /** Undefined: none, or several. */
  #namespace: string | undefined;
  /** By path: the one that comes first. Computed on first use, because most hosts have one claim. */
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
    if (winner === undefined || each.binding.order < winner.binding.order) first.set(key, each);
  }
  return first;
}

/** Claims of one object with one list of places on one listener. */
interface Together {
  readonly listener: string;
  readonly hosts: readonly { readonly host: HostPattern }[];
  readonly claims: readonly OrderedClaim[];
}

/**
 * Reports paths that no request can reach: an earlier claim has the same host and path, or one of another namespace has all of its
 * requests. Regular expressions are not compared. Of hosts that have the same claims, only the first is reported.
 */
export class ShadowedPaths {
  readonly #owners: HostOwners;
  /** By host key. */
  readonly #reports = new Map<string, readonly Report[]>();

  constructor(owners: HostOwners) {
    this.#owners = owners;
  }

  get reports(): Iterable<readonly Report[]> {
    return this.#reports.values();
  }

  /** `touched`: keys of hosts with other claims. `claimsOf`: all claims of an object. */
  update(
    touched: ReadonlySet<string>,
    claimsOf: (object: KubernetesObject) => readonly OrderedClaim[],
  ): void {
    if (touched.size === 0) return;
    for (const key of touched) this.#reports.delete(key);
    const placed = memoizedByKey((key) => this.#placesOf(key, claimsOf));
    for (const host of this.#owners.namesBelow(touched)) {
      const key = hostKey(host);
      const above = [...keysAbove(host, "one"), ""].map(placed);
      const reports = [...placed(key)].flatMap(([listener, { own, groups }]) => {
        const wider = above.flatMap((places) => places.get(listener)?.own ?? []);
        return groups.flatMap((group) => {
          const [first] = group.hosts;
          const isFirst = groups.length > 1 || (first && hostKey(first.host)) === key;
          return isFirst ? shadowedAt(group, own, wider) : [];
        });
      });
      if (reports.length === 0) this.#reports.delete(key);
      else this.#reports.set(key, reports);
    }
  }

  /** What is claimed for a host, by listener. */
  #placesOf(
    key: string,
    claimsOf: (object: KubernetesObject) => readonly OrderedClaim[],
  ): ReadonlyMap<string, { readonly own: ClaimsOfHost; readonly groups: readonly Together[] }> {
    const all = this.#owners.claimantsOf(key).flatMap((object) => claimsAt(claimsOf(object), key));
    const byListener = groupBy(all, ({ listener }) => listener);
    return new Map(
      Array.from(byListener, ([listener, groups]) => {
        return [listener, { own: hostClaims(groups), groups }] as const;
      }),
    );
  }
}

function memoizedByKey<V>(compute: (key: string) => V): (key: string) => V {
  const known = new Map<string, V>();
  return (key) => getOrInsert(known, key, () => compute(key));
}

/** An index of fewer claims and hosts would cost more memory than it saves time. */
const MANY = 8;

/** The claims of an object for a host. All its hosts may be asked for, so an object with many of them has an index. */
function claimsAt(claims: readonly OrderedClaim[], key: string): readonly Together[] {
  const hasMany = claims.length > MANY || claims.some(({ binding: { at } }) => hasManyHosts(at));
  if (hasMany) return byHost(claims).get(key) ?? [];
  return together(claims).filter(({ hosts }) => hosts.some(({ host }) => hostKey(host) === key));
}

function hasManyHosts(at: RouteBinding["at"]): boolean {
  return at.some(({ hosts }) => hosts.length > MANY);
}

const byHost = memoized((claims: readonly OrderedClaim[]) => {
  const groups = new Map<string, Together[]>();
  for (const each of together(claims)) {
    for (const { host } of each.hosts) addTo(groups, hostKey(host), each);
  }
  return groups;
});

function together(claims: readonly OrderedClaim[]): readonly Together[] {
  const groups = groupBy(claims, ({ binding }) => binding.at);
  return [...groups].flatMap(([[place], own]) => {
    const [first] = own;
    const hosts = place?.hosts ?? [];
    return first === undefined ? [] : { listener: first.claim.listener, hosts, claims: own };
  });
}

function shadowedAt(
  { claims }: Together,
  own: ClaimsOfHost,
  above: readonly ClaimsOfHost[],
): readonly Report[] {
  return claims.flatMap((each) => {
    const { claim } = each;
    const winner = claim.placeOf && (sameOf(each, own) ?? widerOf(each, above));
    if (claim.placeOf === undefined || winner === undefined) return [];
    const message = messageFor(claim, winner);
    return [{ code: "INGRESS_PATH_SHADOWED", message, ...claim.placeOf(claim) }];
  });
}

function hostClaims(groups: readonly Together[]): ClaimsOfHost {
  const own = new ClaimsOfHost();
  for (const { claims } of groups) {
    for (const each of claims) if ((each.claim.when ?? []).length === 0) own.add(each);
  }
  return own;
}

function sameOf(each: OrderedClaim, own: ClaimsOfHost): PathClaim | undefined {
  if (own.hasOnly(each)) return undefined;
  const winner = own.first(pathKey(each.claim.path));
  if (winner?.claim.placeOf === undefined || winner.binding.order >= each.binding.order) {
    return undefined;
  }
  return winner.claim;
}

function widerOf(
  { claim, binding: { order } }: OrderedClaim,
  above: readonly ClaimsOfHost[],
): PathClaim | undefined {
  const { namespace } = claim.object.metadata;
  for (const known of above) {
    if (known.isAllOf(namespace)) continue;
    for (const path of widerPaths(claim.path)) {
      const winner = known.first(path);
      const isOther = winner?.claim.object.metadata.namespace !== namespace;
      if (winner !== undefined && isOther && winner.binding.order < order) return winner.claim;
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
  /** Of a Rule, or see annotations/origin.ts; absent: that of every Ingress. */
  readonly priority?: number;
  readonly specificity: Specificity;
  readonly when?: RouteBinding["when"];
  /** The field of a path, which no other should hide. */
  readonly placeOf?: (claim: PathClaim) => Place;
}

/** A claim for some or all of its hosts, and where it is bound. */
export interface OrderedClaim {
  readonly claim: PathClaim;
  /** Its priority counts only among the paths of its namespace. */
  readonly isLocal: boolean;
  readonly binding: RouteBinding;
}
