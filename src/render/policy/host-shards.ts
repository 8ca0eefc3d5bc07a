/** The shards of hosts: which routes are tried for a host, in one table of listeners. */
import type { BindingPlaces, RouteBinding } from "../../model/route.js";
import { hostKey } from "../../model/values.js";
import { compareBy, compareStrings, getOrInsert, groupBy } from "../../support/collections.js";
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

export class HostShards {
  /** But for the order; kept while the binding is the same object. */
  readonly #texts = new WeakMap<RouteBinding, string>();

  render(bindings: readonly RouteBinding[]): RenderedHosts {
    const groups = groupBy(bindings, ({ at }) => at);
    const tables = new ListenerTables(groups.values());
    const lines = new Map<string, Line[]>();
    const matches: (readonly [string, string])[] = [];
    for (const [at, group] of groups) {
      const places = at.flatMap((each) => placesOf(each, tables));
      const isShared = places.length > 1 && group.length > 1;
      if (isShared) matches.push([matchesId(at, group), this.#list(group)]);
      for (const { key, rank } of places) {
        const added = isShared
          ? [referenceLine(rank, at, group)]
          : group.map((binding) => this.#line(rank, binding));
        getOrInsert(lines, key, () => []).push(...added);
      }
    }
    const hosts = [...lines].map(([key, own]) => [wellFormed(key), listText(own)] as const);
    return { hosts: new ShardMap(hosts), matches: new ShardMap(matches), tables };
  }

  #list(group: readonly RouteBinding[]): string {
    return listText(group.map((binding) => this.#line("", binding)));
  }

  #line(rank: string, binding: RouteBinding): Line {
    const order = rank + binding.order;
    const text = getOrInsert(this.#texts, binding, () => bindingText(binding));
    return { order, text: `{"order":${canonicalJson(order)},${text}` };
  }
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

/** A listener has the order of a binding once. */
function matchesId([first]: RouteBinding["at"], [binding]: readonly RouteBinding[]): string {
  return wellFormed(`${first?.listeners[0] ?? ""} ${binding?.order ?? ""}`);
}

function referenceLine(rank: string, at: RouteBinding["at"], group: readonly RouteBinding[]): Line {
  const id = matchesId(at, group);
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
