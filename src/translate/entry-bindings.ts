import type { KubernetesObject } from "../api/wire.js";
import type { Table } from "../engine/tables.js";
import type { RouteBinding } from "../model/route.js";
import type { HostPattern } from "../model/values.js";
import {
  type Difference,
  addTo,
  compareBy,
  compareStrings,
  getOrInsert,
  groupBy,
  memoized,
} from "../support/collections.js";
import { type Key, objectKey, objectName } from "./keys.js";
import type { HostFacts } from "./host-owners.js";
import { keysAbove } from "./hostnames.js";
import type { LoadBalancer } from "./load-balancer.js";
import { eachOf } from "./parts/part.js";
import { INGRESS_PRIORITY, orderKey } from "./precedence.js";
import type { OrderedClaim, PathClaim } from "./shadowed-paths.js";

type At = RouteBinding["at"];

const NOTHING: readonly never[] = [];

/** What an object binds. */
interface BoundPart {
  readonly object: KubernetesObject;
  readonly bindings: readonly RouteBinding[];
  readonly claims: readonly OrderedClaim[];
}

/** Where the routes of Ingresses and Rules are bound. */
export class EntryBindings {
  /** Claims of objects in namespaces with local priorities, in place of those of their parts. */
  readonly #moved = new Map<Key, readonly OrderedClaim[]>();
  /** Objects with local priorities, by namespace. */
  readonly #local = new Map<string, Set<Key>>();

  readonly #parts: Table<BoundPart>;

  constructor(parts: Table<BoundPart>) {
    this.#parts = parts;
  }

  /** `claims`: all claims of each object that has other ones. */
  update(changes: readonly (Difference<BoundPart> & { readonly key: Key })[]): {
    readonly claims: ReadonlyMap<Key, readonly OrderedClaim[]>;
    readonly bindings: readonly Difference<RouteBinding>[];
  } {
    const earlier = new Map(
      changes.map(({ key, before }) => {
        return [key, this.#moved.get(key) ?? before?.claims ?? NOTHING] as const;
      }),
    );
    this.#order(changes, earlier);
    const claims = new Map<Key, readonly OrderedClaim[]>();
    const bindings = [...eachOf(changes, (part) => part.bindings)];
    for (const [key, before] of earlier) {
      const now = this.#moved.get(key) ?? this.#parts.get(key)?.claims ?? NOTHING;
      const differences = differencesOf(before.map(bindingOfClaim), now.map(bindingOfClaim));
      if (differences.length > 0) claims.set(key, now);
      bindings.push(...differences);
    }
    return { claims, bindings };
  }

  /** `earlier`: the claims before, of objects that changed; others of their namespaces that may move are added. */
  #order(
    changes: readonly (Difference<BoundPart> & { readonly key: Key })[],
    earlier: Map<Key, readonly OrderedClaim[]>,
  ): void {
    const namespaces = new Set(changes.flatMap((each) => this.#noteLocal(each)));
    for (const key of earlier.keys()) this.#moved.delete(key);
    if (namespaces.size === 0) return;
    const all = new Map<string, OrderedClaim[]>();
    for (const [key, { claims, object }] of this.#parts.entries()) {
      const { namespace } = object.metadata;
      if (!namespaces.has(namespace)) continue;
      if (!earlier.has(key)) earlier.set(key, this.#moved.get(key) ?? claims);
      this.#moved.delete(key);
      if (this.#local.has(namespace)) getOrInsert(all, namespace, () => []).push(...claims);
    }
    for (const own of all.values()) {
      const byKey = groupBy(withLocalPriorities(own), ({ claim: { object } }) =>
        objectKey({ kind: object.kind, ...object.metadata }),
      );
      for (const [key, now] of byKey) {
        this.#moved.set(key, sameWherePossible(now, earlier.get(key) ?? NOTHING));
      }
    }
  }

  /** Gives the namespace if it has local priorities, or had some. */
  #noteLocal({ key, now }: Difference<BoundPart> & { readonly key: Key }): readonly string[] {
    const { namespace } = objectName(key);
    const known = this.#local.get(namespace);
    const isLocal = now?.claims.some((claim) => claim.isLocal) === true;
    if (isLocal) getOrInsert(this.#local, namespace, () => new Set()).add(key);
    else known?.delete(key);
    if (known?.size === 0) this.#local.delete(namespace);
    return isLocal || known !== undefined ? [namespace] : [];
  }
}

function differencesOf(
  before: readonly RouteBinding[],
  now: readonly RouteBinding[],
): readonly Difference<RouteBinding>[] {
  const added = new Set(now);
  const gone = before.filter((each) => !added.delete(each));
  return [...gone.map((each) => ({ before: each })), ...[...added].map((each) => ({ now: each }))];
}

function bindingOfClaim({ binding }: OrderedClaim): RouteBinding {
  return binding;
}

/** The claims of one object, each bound at the rank of its namespace. */
export function orderedClaims(
  claims: readonly PathClaim[],
  factsOf: (host: HostPattern) => HostFacts,
  { prioritised }: Pick<LoadBalancer, "prioritised">,
): readonly OrderedClaim[] {
  const places = new Map<string, Map<PathClaim["hosts"], ReturnType<typeof placesByRank>>>();
  return claims.flatMap((claim) => {
    const { listener, hosts, object, priority = INGRESS_PRIORITY } = claim;
    const known = getOrInsert(places, listener, () => new Map());
    const isLocal = priority !== INGRESS_PRIORITY && !prioritised.has(object.metadata.namespace);
    return getOrInsert(known, hosts, () => placesByRank(claim, factsOf)).map(([rank, at]) => {
      const order = keyOf(claim, isLocal ? INGRESS_PRIORITY : priority, rank);
      return { claim, isLocal, binding: bindingOf(claim, at, order) };
    });
  });
}

/** The claim's places by the rank (HostFacts) that its namespace has for the host. */
function placesByRank(
  { listener, hosts }: PathClaim,
  factsOf: (host: HostPattern) => HostFacts,
): readonly (readonly [rank: string, at: At])[] {
  const byRank = groupBy(hosts, (host) => factsOf(host).rank);
  return [...byRank].map(([rank, own]) => [rank, placesOf(listener, own)]);
}

function bindingOf(
  { path, when = NOTHING, route }: PathClaim,
  at: At,
  order: string,
): RouteBinding {
  return { at, path, when, order, route };
}

function placesOf(listener: string, hosts: readonly HostPattern[]): At {
  return [{ listeners: [listener], hosts: hosts.map((host) => ({ host, rank: "" })) }];
}

/**
 * The claims of a namespace that has priorities which count inside it alone: a path that is put behind one of the same host, or of a
 * wildcard above it, moves back behind that one; no path ever moves ahead.
 */
export function withLocalPriorities(all: readonly OrderedClaim[]): readonly OrderedClaim[] {
  const byListener = groupBy(all, ({ claim }) => claim.listener);
  return [...byListener.values()].flatMap((group) => {
    if (group.every(({ isLocal }) => !isLocal)) return group;
    const last = new Map<string, string>();
    return group
      .map((ordered) => ({ ordered, inner: keyOf(ordered.claim, ordered.claim.priority) }))
      .sort(compareBy((a, b) => compareStrings(a.inner, b.inner)))
      .flatMap(({ ordered, inner }) => movedBack(ordered, inner, last));
  });
}

const keysOf = memoized((host: HostPattern) => [...keysAbove(host, "one"), ""]);

/** `last`: the place of the last path so far, by host key. */
function movedBack(
  ordered: OrderedClaim,
  inner: string,
  last: Map<string, string>,
): readonly OrderedClaim[] {
  const { claim, binding } = ordered;
  const outer = binding.order;
  const hosts = binding.at.flatMap((each) => each.hosts.map(({ host }) => host));
  const byPlace = groupBy(hosts, (host) => {
    const keys = keysOf(host);
    const place = keys.map((key) => last.get(key) ?? "").reduce(later, outer);
    const [key = ""] = keys;
    last.set(key, later(last.get(key) ?? "", place));
    return place;
  });
  if (byPlace.size === 1 && byPlace.has(outer)) return [ordered];
  return [...byPlace].map(([place, own]) => {
    const at = byPlace.size === 1 ? binding.at : placesOf(claim.listener, own);
    // Directly after the place: `!` sorts before the digits of a position.
    const order = place === outer ? place : `${place} ! ${inner}`;
    return { ...ordered, binding: bindingOf(claim, at, order) };
  });
}

/** `before` where it is the same, so that what follows from it stays. */
export function sameWherePossible(
  now: readonly OrderedClaim[],
  before: readonly OrderedClaim[],
): readonly OrderedClaim[] {
  const known = new Map<PathClaim, OrderedClaim[]>();
  for (const each of before) addTo(known, each.claim, each);
  return now.map((each) => {
    const { order, at } = each.binding;
    const same = known.get(each.claim)?.find(({ binding }) => {
      return binding.order === order && isSamePlace(binding.at, at);
    });
    return same ?? each;
  });
}

function isSamePlace([a]: At, [b]: At): boolean {
  return (
    a?.hosts.length === b?.hosts.length &&
    a?.hosts.every(({ host }, i) => host === b?.hosts[i]?.host) === true
  );
}

function keyOf(
  { object: { metadata }, specificity, position }: PathClaim,
  priority = INGRESS_PRIORITY,
  owner = "",
): string {
  return orderKey({ class: "rule", priority, owner, specificity, metadata, position });
}

function later(a: string, b: string): string {
  return a < b ? b : a;
}
