/** The shards of hosts: which routes are tried for a host, in one table of listeners. */
import type { BindingPlaces, RouteBinding } from "../../model/route.js";
import { inBindingOrder } from "../../model/route.js";
import { hostKey } from "../../model/values.js";
import {
  compareBy,
  compareStrings,
  listDifferences,
  getOrInsert,
} from "../../support/collections.js";
import { ShardMap } from "../shard-map.js";
import { filled } from "../../support/json-object.js";
import { canonicalJson, wellFormed } from "./canonical-json.js";
import { ListenerTables } from "./listener-tables.js";

/** A line of a host, and where it stands among the others. */
interface Line {
  readonly order: string;
  readonly text: string;
}

export interface RenderedHosts {
  /** By `<table>|<host key>`. */
  readonly hosts: ShardMap;
  /** Bindings that several hosts or tables have, by id. */
  readonly matches: ShardMap;
  readonly tables: ListenerTables;
}

type At = RouteBinding["at"];

/** Bindings with the same places. */
interface Group {
  readonly at: At;
  readonly bindings: Set<RouteBinding>;
  /** Where it stands now. */
  places: readonly Place[];
  /** Under which several of them have it. */
  matches: string | undefined;
}

/** Renders again and again: only hosts with bindings that have changed are rendered anew. */
export class HostShards {
  /** But for the order; kept while the binding is the same object. */
  readonly #texts = new WeakMap<RouteBinding, string>();
  readonly #tables = new ListenerTables();
  readonly #groups = new Map<At, Group>();
  /** What stands in a host. */
  readonly #standing = new Map<string, Map<Place, Group>>();
  #bindings: readonly RouteBinding[] = [];
  #hosts = ShardMap.EMPTY;
  #matches = ShardMap.EMPTY;

  /** `bindings`: sorted by `inBindingOrder`. */
  render(bindings: readonly RouteBinding[]): RenderedHosts {
    const changed = this.#regroup(bindings);
    const hosts = new Set<string>();
    const matches = new Map<string, string | undefined>();
    const isMoved = this.#tables.settle();
    for (const group of isMoved ? new Set([...this.#groups.values(), ...changed]) : changed) {
      this.#move(group, hosts, matches);
    }
    this.#hosts = this.#hosts.with(
      new Map([...hosts].map((key) => [wellFormed(key), this.#host(key)])),
    );
    this.#matches = this.#matches.with(matches);
    return { hosts: this.#hosts, matches: this.#matches, tables: this.#tables };
  }

  /** Gives the groups that have other bindings. */
  #regroup(bindings: readonly RouteBinding[]): ReadonlySet<Group> {
    const changes = listDifferences(this.#bindings, bindings, inBindingOrder);
    const sizes = new Map<Group, number>();
    const bindingsOf = ({ at }: RouteBinding): Set<RouteBinding> => {
      const group = getOrInsert(this.#groups, at, () => newGroup(at));
      if (!sizes.has(group)) sizes.set(group, group.bindings.size);
      return group.bindings;
    };
    for (const { before } of changes) if (before) bindingsOf(before).delete(before);
    for (const { now } of changes) if (now) bindingsOf(now).add(now);
    for (const [group, size] of sizes) {
      for (const places of group.at) this.#tables.count(places, group.bindings.size - size);
      if (group.bindings.size === 0) this.#groups.delete(group.at);
    }
    this.#bindings = bindings;
    return new Set(sizes.keys());
  }

  /** To where it stands now; `hosts` and `matches` get what that changes. */
  #move(group: Group, hosts: Set<string>, matches: Map<string, string | undefined>): void {
    for (const place of group.places) {
      this.#standing.get(place.key)?.delete(place);
      hosts.add(place.key);
    }
    if (group.matches !== undefined) matches.set(group.matches, undefined);
    const { at, bindings } = group;
    group.places = bindings.size === 0 ? [] : at.flatMap((each) => placesOf(each, this.#tables));
    for (const place of group.places) {
      getOrInsert(this.#standing, place.key, () => new Map<Place, Group>()).set(place, group);
      hosts.add(place.key);
    }
    const isShared = group.places.length > 1 && bindings.size > 1;
    group.matches = isShared ? matchesId(group) : undefined;
    if (group.matches !== undefined) matches.set(group.matches, this.#list(group));
  }

  #host(key: string): string | undefined {
    const standing = this.#standing.get(key) ?? new Map<Place, Group>();
    if (standing.size === 0) {
      this.#standing.delete(key);
      return undefined;
    }
    const lines = [...standing].flatMap(([{ rank }, { matches, bindings }]) =>
      matches === undefined
        ? [...bindings].map((binding) => this.#line(rank, binding))
        : [referenceLine(rank, matches)],
    );
    return listText(lines);
  }

  #list({ bindings }: Group): string {
    return listText([...bindings].map((binding) => this.#line("", binding)));
  }

  #line(rank: string, binding: RouteBinding): Line {
    const order = rank + binding.order;
    const text = getOrInsert(this.#texts, binding, () => bindingText(binding));
    return { order, text: `{"order":${canonicalJson(order)},${text}` };
  }
}

function newGroup(at: At): Group {
  return { at, bindings: new Set(), places: [], matches: undefined };
}

/** But for the brace that opens it and its order, which is another one for each host. */
function bindingText({ path, route, when }: RouteBinding): string {
  return canonicalJson({ path, route, ...filled("when", when) }).slice(1);
}

interface Place {
  readonly key: string;
  readonly rank: string;
}

function placesOf(places: BindingPlaces, tables: ListenerTables): readonly Place[] {
  const hosts = places.hosts.map(({ host, rank }) => ({ key: hostKey(host), rank }));
  return tables
    .of(places)
    .flatMap((table) => hosts.map(({ key, rank }) => ({ key: `${table}|${key}`, rank })));
}

/** By its first binding: a listener has the order of a binding once. */
function matchesId({ at: [place], bindings }: Group): string {
  const orders = [...bindings].map(({ order }) => order);
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
