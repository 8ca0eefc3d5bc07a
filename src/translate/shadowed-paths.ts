import type { KubernetesObject } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import type { RouteBinding } from "../model/route.js";
import { type HostPattern, hostKey } from "../model/values.js";
import { Derived, Group, Input } from "../engine/tables.js";
import { groupBy, trimmed } from "../support/collections.js";
import { keysAbove } from "./hostnames.js";
import type { Key } from "./keys.js";
import { type Place, nameOf } from "./place.js";
import type { Specificity } from "./precedence.js";

/** Path elements up to which prefixes of a path are compared, so that a long path costs no more than its length. */
const MOST_ELEMENTS = 16;

/** Of fewer claims an index is made when it is needed. */
const MANY = 8;

/** The claims for one host of a listener. Those that have no conditions get all requests for their path. */
class ClaimedHost {
  readonly host: HostPattern;
  readonly listener: string;
  readonly groups: readonly Together[];
  /** Without conditions. Computed on first use, like all below. */
  #claims: readonly OrderedClaim[] | undefined;
  /** Of all of them; "" if they have none, or several. */
  #namespace: string | undefined;
  /** By path: the one that comes first. Only of many. */
  #first: ReadonlyMap<string, OrderedClaim> | undefined;

  constructor(host: HostPattern, listener: string, groups: readonly Together[]) {
    this.host = host;
    this.listener = listener;
    this.groups = groups;
  }

  /** Whether no other claim can come before it. */
  hasOnly(each: OrderedClaim): boolean {
    return this.#all.length === 1 && this.#all[0] === each;
  }

  isAllOf(namespace: string): boolean {
    return (this.#namespace ??= commonNamespace(this.#all)) === namespace;
  }

  first(path: string): OrderedClaim | undefined {
    const all = this.#all;
    const known = all.length <= MANY ? firstByPath(all) : (this.#first ??= firstByPath(all));
    return known.get(path);
  }

  get #all(): readonly OrderedClaim[] {
    const [only] = this.groups;
    if (this.groups.length === 1 && only?.claims.length === 1 && isAlways(only.claims[0]))
      return only.claims;
    return (this.#claims ??= trimmed(this.groups.flatMap(({ claims }) => claims.filter(isAlways))));
  }
}

function isAlways(each: OrderedClaim | undefined): boolean {
  return each !== undefined && (each.claim.when ?? []).length === 0;
}

function commonNamespace(claims: readonly OrderedClaim[]): string {
  const [namespace, ...others] = new Set(
    claims.map(({ claim }) => claim.object.metadata.namespace),
  );
  return others.length === 0 ? (namespace ?? "") : "";
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
  readonly #claims = new Input<readonly OrderedClaim[]>();
  readonly #hosts = new Group(
    this.#claims,
    (claims) => together(claims).flatMap((each) => each.hosts.map((at) => placed(at, each))),
    claimedHost,
  );
  readonly #reports = new Derived(this.#hosts, (claimed, read) => {
    const { host, listener, groups } = claimed;
    const above = [...keysAbove(host, "one").slice(1), ""];
    const wider = above.flatMap((key) => read(this.#hosts, placeKey(listener, key)) ?? []);
    const reported = groups.length === 1 ? groups.filter((group) => isFirst(host, group)) : groups;
    const reports = reported.flatMap((group) => shadowedAt(group, claimed, [claimed, ...wider]));
    return reports.length === 0 ? undefined : reports;
  });

  get reports(): Iterable<readonly Report[]> {
    return this.#reports.values();
  }

  /** All claims of each object that has other ones. */
  update(changed: ReadonlyMap<Key, readonly OrderedClaim[]>): void {
    for (const [key, claims] of changed) {
      this.#claims.set(key, claims.length === 0 ? undefined : claims);
    }
    this.#hosts.update();
    this.#reports.update();
  }
}

/** Without those of closed objects, which are reported already. */
function together(claims: readonly OrderedClaim[]): readonly Together[] {
  const open = claims.filter(({ claim }) => claim.object.closed === undefined);
  const groups = groupBy(open, ({ binding }) => binding.at);
  return [...groups].flatMap(([[place], own]) => {
    const [first] = own;
    const hosts = place?.hosts ?? [];
    return first === undefined
      ? []
      : { listener: first.claim.listener, hosts, claims: trimmed(own) };
  });
}

function isFirst(host: HostPattern, { hosts: [first] }: Together): boolean {
  return first !== undefined && hostKey(first.host) === hostKey(host);
}

function placed({ host }: Together["hosts"][number], group: Together) {
  return [placeKey(group.listener, hostKey(host)), { host, group }] as const;
}

function placeKey(listener: string, host: string): Key {
  return `${listener} ${host}`;
}

function claimedHost(
  members: readonly { readonly host: HostPattern; readonly group: Together }[],
): ClaimedHost | undefined {
  const [first] = members;
  const groups = members.map(({ group }) => group);
  return first && new ClaimedHost(first.host, first.group.listener, groups);
}

function shadowedAt(
  { claims }: Together,
  own: ClaimedHost,
  above: readonly ClaimedHost[],
): readonly Report[] {
  return claims.flatMap((each) => {
    const { claim } = each;
    const winner = claim.placeOf && (sameOf(each, own) ?? widerOf(each, above));
    if (claim.placeOf === undefined || winner === undefined) return [];
    const message = messageFor(claim, winner);
    return [{ code: "INGRESS_PATH_SHADOWED", message, ...claim.placeOf(claim) }];
  });
}

function sameOf(each: OrderedClaim, own: ClaimedHost): PathClaim | undefined {
  if (own.hasOnly(each)) return undefined;
  const winner = own.first(pathKey(each.claim.path));
  if (winner?.claim.placeOf === undefined || winner.binding.order >= each.binding.order) {
    return undefined;
  }
  return winner.claim;
}

function widerOf(
  { claim, binding: { order } }: OrderedClaim,
  above: readonly ClaimedHost[],
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
