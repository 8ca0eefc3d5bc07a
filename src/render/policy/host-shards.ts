/** The shards of `hosts` and `matches`: the bindings of each host in each table of listeners. */
import { type BindingPlaces, type RouteBinding, inBindingOrder } from "../../model/route.js";
import { UNNAMED_HOST } from "../../model/policy.js";
import { hostKey } from "../../model/values.js";
import {
  compareBy,
  compareIds,
  compareStrings,
  getOrInsert,
  listDifferences,
  memoized,
  sameElements,
  trimmed,
} from "../../support/collections.js";
import { type Few, countOf, membersOf, withMember, withoutMember } from "../../support/few.js";
import { ShardMap } from "../shard-map.js";
import { filled } from "../../support/json-object.js";
import { canonicalJson, wellFormed } from "./canonical-json.js";
import { createHash } from "node:crypto";

/** A line of a host, and the key by which lines are sorted. */
interface Line {
  readonly order: string;
  readonly text: string;
}

/** Bindings with the same places. */
interface Group {
  readonly at: RouteBinding["at"];
  bindings: Few<RouteBinding>;
  /** The hosts that have it now. */
  places: readonly Place[];
  /** Its id in `matches`, if several places share it. */
  matches: string | undefined;
}

/** Renders repeatedly; each time it renders only the hosts whose bindings changed. */
export class HostShards {
  /** Without the order, which differs between hosts. */
  readonly #texts = new WeakMap<RouteBinding, string>();
  readonly #tables = new ListenerTables();
  readonly #groups = new Map<RouteBinding["at"], Group>();
  /** The places of each host. */
  readonly #placed = new Map<string, Few<Place>>();
  #bindings: readonly RouteBinding[] = [];
  #hosts = ShardMap.EMPTY;
  #matches = ShardMap.EMPTY;

  /** `bindings`: sorted by `inBindingOrder`. The keys of `hosts` are `<table>|<host key>`. */
  render(bindings: readonly RouteBinding[]): {
    readonly hosts: ShardMap;
    readonly matches: ShardMap;
    readonly tables: ListenerTables;
  } {
    const changed = this.#regroup(bindings);
    const hosts = new Set<string>();
    const matches = new Map<string, string | undefined>();
    const isMoved = this.#tables.settle();
    const moved = isMoved ? new Set([...this.#groups.values(), ...changed]) : changed;
    // A group that comes may have the id in `matches` of one that goes.
    for (const group of moved) this.#leave(group, hosts, matches);
    for (const group of moved) this.#enter(group, hosts, matches);
    this.#hosts = this.#hosts.with(
      new Map([...hosts].map((key) => [wellFormed(key), this.#host(key)])),
    );
    this.#matches = this.#matches.with(matches);
    return { hosts: this.#hosts, matches: this.#matches, tables: this.#tables };
  }

  /** Returns the groups whose bindings changed. */
  #regroup(bindings: readonly RouteBinding[]): ReadonlySet<Group> {
    const changes = listDifferences(this.#bindings, bindings, inBindingOrder);
    const sizes = new Map<Group, number>();
    const change = (binding: RouteBinding, changed: typeof withMember): void => {
      const group = getOrInsert(this.#groups, binding.at, () => newGroup(binding.at));
      if (!sizes.has(group)) sizes.set(group, countOf(group.bindings));
      group.bindings = changed(group.bindings, binding);
    };
    for (const { before } of changes) if (before) change(before, withoutMember);
    for (const { now } of changes) if (now) change(now, withMember);
    for (const [group, size] of sizes) {
      const count = countOf(group.bindings);
      for (const places of group.at) this.#tables.count(places, count - size);
      if (count === 0) this.#groups.delete(group.at);
    }
    this.#bindings = bindings;
    return new Set(sizes.keys());
  }

  /** Takes the group from its places, and records the changed hosts and matches. */
  #leave(group: Group, hosts: Set<string>, matches: Map<string, string | undefined>): void {
    for (const place of group.places) {
      this.#placed.set(place.key, withoutMember(this.#placed.get(place.key), place));
      hosts.add(place.key);
    }
    if (group.matches !== undefined) matches.set(group.matches, undefined);
  }

  /** Puts the group in its present places, and records the same. */
  #enter(group: Group, hosts: Set<string>, matches: Map<string, string | undefined>): void {
    const { at, bindings } = group;
    const count = countOf(bindings);
    group.places = count === 0 ? [] : trimmed(at.flatMap((each) => this.#placesOf(group, each)));
    for (const place of group.places) {
      this.#placed.set(place.key, withMember(this.#placed.get(place.key), place));
      hosts.add(place.key);
    }
    const isShared = group.places.length > 1 && count > 1;
    group.matches = isShared ? matchesId(group) : undefined;
    if (group.matches !== undefined) matches.set(group.matches, this.#list(group));
  }

  #placesOf(group: Group, places: BindingPlaces): readonly Place[] {
    const hosts = places.hosts.map(({ host, isUnnamed, rank }) => {
      return { key: isUnnamed ? UNNAMED_HOST : hostKey(host), rank };
    });
    return this.#tables
      .of(places)
      .flatMap((table) => hosts.map(({ key, rank }) => ({ key: `${table}|${key}`, rank, group })));
  }

  #host(key: string): string | undefined {
    const placed = this.#placed.get(key);
    if (placed === undefined) {
      this.#placed.delete(key);
      return undefined;
    }
    const lines = [...membersOf(placed)].flatMap(({ rank, group: { matches, bindings } }) =>
      matches === undefined
        ? Array.from(membersOf(bindings), (binding) => this.#line(rank, binding))
        : [referenceLine(rank, matches)],
    );
    return listText(lines);
  }

  #list({ bindings }: Group): string {
    return listText(Array.from(membersOf(bindings), (binding) => this.#line("", binding)));
  }

  #line(rank: string, binding: RouteBinding): Line {
    const order = rank + binding.order;
    const text = getOrInsert(this.#texts, binding, () => bindingText(binding));
    return { order, text: `{"order":${canonicalJson(order)},${text}` };
  }
}

function newGroup(at: RouteBinding["at"]): Group {
  return { at, bindings: undefined, places: [], matches: undefined };
}

/** Without the opening brace and the order, which differs between hosts. */
function bindingText({ path, route, when }: RouteBinding): string {
  return canonicalJson({ path, route, ...filled("when", when) }).slice(1);
}

interface Place {
  readonly key: string;
  readonly rank: string;
  readonly group: Group;
}

/** Named after the first binding, whose order is unique in a listener. */
function matchesId({ at: [place], bindings }: Group): string {
  const orders = Array.from(membersOf(bindings), ({ order }) => order);
  const first = orders.reduce((a, b) => (b < a ? b : a));
  return wellFormed(`${place?.listeners[0] ?? ""} ${first}`);
}

function referenceLine(rank: string, id: string): Line {
  return {
    order: rank + id,
    text: `{"matches":${canonicalJson(id)},"order":${canonicalJson(rank)}}`,
  };
}

const inOrder = compareBy<Line>(
  (a, b) => compareStrings(a.order, b.order),
  (a, b) => compareStrings(a.text, b.text),
);

function listText(lines: Line[]): string {
  const sorted = lines.sort(inOrder).map(({ text }) => `      ${text}`);
  return `[\n${sorted.join(",\n")}\n    ]`;
}

/**
 * The tables that hold the bindings of a listener: its own, and tables that all listeners of a set share, so a route of a Gateway with
 * many listeners is written once.
 */

/** Shared tables of a listener. The data plane looks up a host in each of them; other bindings go to the listener's own table. */
const MOST_SHARED = 8;

interface SharedTable {
  readonly id: string;
  readonly listeners: readonly string[];
  /** Pairs of binding and host that the table saves each of its listeners. */
  saved: number;
}

export class ListenerTables {
  /** Another object once `sharedBy` has changed. */
  state: object = {};
  /** By listener; the most useful first. */
  readonly #shared = new Map<string, readonly SharedTable[]>();
  readonly #tables = new Map<string, SharedTable>();
  /** By listener. */
  readonly #wanted = new Map<string, Set<SharedTable>>();
  readonly #changed = new Set<SharedTable>();
  /** Memoized by list object, because many bindings share one. */
  readonly #tableOf = memoized((listeners: readonly string[]) => this.#table(listeners));
  #idsOf = memoized((listeners: readonly string[]) => this.#ids(listeners));

  /** `bindings`: how many more or fewer bindings have these places. */
  count({ listeners, hosts }: BindingPlaces, bindings: number): void {
    if (listeners.length === 1) return;
    const table = this.#tableOf(listeners);
    table.saved += bindings * hosts.length;
    this.#changed.add(table);
  }

  /** Applies the counts; returns whether `of` changed for any places. */
  settle(): boolean {
    const listeners = new Set<string>();
    for (const table of this.#changed) {
      for (const listener of table.listeners) {
        const wanted = getOrInsert(this.#wanted, listener, () => new Set());
        if (table.saved > 0) wanted.add(table);
        else wanted.delete(table);
        listeners.add(listener);
      }
    }
    this.#changed.clear();
    const moved = [...listeners].filter((listener) => this.#choose(listener));
    if (moved.length > 0) this.#idsOf = memoized((list: readonly string[]) => this.#ids(list));
    return moved.length > 0;
  }

  /** Chooses the tables that the listener shares; returns whether they changed. */
  #choose(listener: string): boolean {
    const before = this.#shared.get(listener) ?? [];
    const wanted = [...(this.#wanted.get(listener) ?? [])];
    const chosen = wanted.sort(mostUseful).slice(0, MOST_SHARED);
    this.#shared.set(listener, chosen);
    if (!sameElements(before, chosen)) this.state = {};
    return !sameElements([...before].sort(compareIds), [...chosen].sort(compareIds));
  }

  /** Ids of the shared tables of the listener. */
  sharedBy(listener: string): readonly string[] {
    return (this.#shared.get(listener) ?? []).map(({ id }) => id);
  }

  /** Ids of the tables that hold bindings with these places. */
  of({ listeners }: BindingPlaces): readonly string[] {
    return this.#idsOf(listeners);
  }

  #ids(listeners: readonly string[]): readonly string[] {
    if (listeners.length === 1) return listeners;
    const table = this.#tableOf(listeners);
    const alone = listeners.filter((each) => this.#shared.get(each)?.includes(table) !== true);
    return alone.length === listeners.length ? alone : [table.id, ...alone];
  }

  #table(listeners: readonly string[]): SharedTable {
    const key = listeners.join("\n");
    return getOrInsert(this.#tables, key, () => {
      const digest = createHash("sha256").update(key).digest("hex").slice(0, 16);
      return { id: `${listeners[0] ?? ""}+${digest}`, listeners, saved: 0 };
    });
  }
}

const mostUseful = compareBy<SharedTable>((a, b) => b.saved - a.saved, compareIds);
