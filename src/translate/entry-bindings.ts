import type { KubernetesObject } from "../api/wire.js";
import type { HostPattern } from "../model/values.js";
import type { RouteBinding } from "../model/route.js";
import {
  addTo,
  compareBy,
  compareStrings,
  getOrInsert,
  groupBy,
  memoized,
} from "../support/collections.js";
import type { BuildContext } from "./context.js";
import { keysAbove } from "./hostnames.js";
import type { HostOwners } from "./hostnames.js";
import type { PathClaim, OrderedClaim } from "./shadowed-paths.js";
import { INGRESS_PRIORITY, orderKey } from "./precedence.js";
import { reportShadowed } from "./shadowed-paths.js";

/** Gathers what is bound to the ports of one load balancer, orders it, and reports paths that others hide. */
export class EntryBindings {
  /** By listener and namespace. */
  readonly #claims = new Map<string, PathClaim[]>();
  /** By listener. */
  readonly #parts = new Map<string, Map<PathClaim["hosts"], readonly Part[]>>();
  readonly #owners: HostOwners;
  readonly #prioritised: ReadonlySet<string>;

  /** `prioritised`: namespaces whose priorities count among the routes of all. */
  constructor(owners: HostOwners, prioritised: readonly string[]) {
    this.#owners = owners;
    this.#prioritised = new Set(prioritised);
  }

  add(claim: PathClaim): void {
    addTo(this.#claims, `${claim.listener} ${claim.object.metadata.namespace}`, claim);
  }

  bindAll({ config, diagnostics }: Pick<BuildContext, "config" | "diagnostics">): void {
    const ordered = [...this.#claims.values()].flatMap((group) => this.#ordered(group));
    for (const { claim, at, order } of ordered) {
      const { path, when = [], route } = claim;
      config.bind({ at, path, when, order, route });
    }
    reportShadowed(ordered, diagnostics);
  }

  /**
   * The claims of one namespace, where the owner of their host stands. In a namespace whose priorities count inside it alone, a path that
   * is put behind one of the same host, or of a wildcard above it, moves back behind that one; no path ever moves ahead.
   */
  #ordered(group: readonly PathClaim[]): readonly OrderedClaim[] {
    const plain = group.flatMap((claim) =>
      this.#partsOf(claim).map(({ owner, at }) => {
        const counted = this.#isCounted(claim) ? claim.priority : INGRESS_PRIORITY;
        return { claim, at, order: keyOf(claim, counted, owner) };
      }),
    );
    if (group.every((claim) => this.#isCounted(claim))) return plain;
    const last = new Map<string, string>();
    return plain
      .map((ordered) => ({ ordered, inner: keyOf(ordered.claim, ordered.claim.priority) }))
      .sort(compareBy((a, b) => compareStrings(a.inner, b.inner)))
      .flatMap(({ ordered, inner }) => movedBack(ordered, inner, last));
  }

  /** Hosts of the claim for which its namespace has the same rank. */
  #partsOf({ listener, hosts, object }: PathClaim): readonly Part[] {
    const known = getOrInsert(this.#parts, listener, () => new Map());
    return getOrInsert(known, hosts, () => {
      const byOwner = groupBy(hosts, (host) => this.#owners.rank(object.metadata.namespace, host));
      return [...byOwner].map(([owner, own]) => ({ owner, at: placesOf(listener, own) }));
    });
  }

  #isCounted({ object, priority = INGRESS_PRIORITY }: PathClaim): boolean {
    return priority === INGRESS_PRIORITY || this.countsEverywhere(object);
  }

  /** Whether its priorities count among the routes of all namespaces. */
  countsEverywhere({ metadata }: KubernetesObject): boolean {
    return this.#prioritised.has(metadata.namespace);
  }
}

interface Part {
  /** Text of HostOwners. */
  readonly owner: string;
  readonly at: RouteBinding["at"];
}

function placesOf(listener: string, hosts: readonly HostPattern[]): RouteBinding["at"] {
  return [{ listeners: [listener], hosts: hosts.map((host) => ({ host, rank: "" })) }];
}

const keysOf = memoized((host: HostPattern) => [...keysAbove(host, "one"), ""]);

/** `last`: the place of the last path so far, by host key. */
function movedBack(
  { claim, at, order: outer }: OrderedClaim,
  inner: string,
  last: Map<string, string>,
): readonly OrderedClaim[] {
  const hosts = at.flatMap((each) => each.hosts.map(({ host }) => host));
  const byPlace = groupBy(hosts, (host) => {
    const keys = keysOf(host);
    const place = keys.map((key) => last.get(key) ?? "").reduce(later, outer);
    const [key = ""] = keys;
    last.set(key, later(last.get(key) ?? "", place));
    return place;
  });
  return [...byPlace].map(([place, own]) => ({
    claim,
    at: byPlace.size === 1 ? at : placesOf(claim.listener, own),
    // Directly after the place: `!` sorts before the digits of a position.
    order: place === outer ? place : `${place} ! ${inner}`,
  }));
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
