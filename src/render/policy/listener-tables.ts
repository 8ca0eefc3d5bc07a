/**
 * In which tables the bindings of a listener stand: its own, and those that it shares with all listeners of a set, so that a route of
 * a Gateway with many listeners is written once.
 */
import { createHash } from "node:crypto";
import type { BindingPlaces, RouteBinding } from "../../model/route.js";
import { compareBy, compareStrings, getOrInsert, memoized } from "../../support/collections.js";

/** The data plane looks a host up in each table of its listener, so there are not many; what is left goes to the listener's own. */
const MOST_SHARED = 8;

interface SharedTable {
  readonly id: string;
  readonly listeners: readonly string[];
  /** Pairs of binding and host that a listener saves. */
  saved: number;
}

export class ListenerTables {
  /** Of each listener that has any, the most useful first. */
  readonly #shared = new Map<string, readonly SharedTable[]>();
  readonly #tables = new Map<string, SharedTable>();
  /** By the very list, since many bindings have one. */
  readonly #tableOf = memoized((listeners: readonly string[]) => this.#table(listeners));
  readonly #idsOf = memoized((listeners: readonly string[]) => this.#ids(listeners));

  constructor(groups: Iterable<readonly RouteBinding[]>) {
    const ofListener = new Map<string, Set<SharedTable>>();
    for (const bindings of groups) {
      for (const { listeners, hosts } of bindings[0]?.at ?? []) {
        if (listeners.length === 1) continue;
        const table = this.#tableOf(listeners);
        for (const listener of table.saved === 0 ? listeners : []) {
          getOrInsert(ofListener, listener, () => new Set()).add(table);
        }
        table.saved += bindings.length * hosts.length;
      }
    }
    for (const [listener, tables] of ofListener) {
      this.#shared.set(listener, [...tables].sort(mostUseful).slice(0, MOST_SHARED));
    }
  }

  /** Ids of the tables that the listener has besides its own. */
  sharedBy(listener: string): readonly string[] {
    return (this.#shared.get(listener) ?? []).map(({ id }) => id);
  }

  /** Ids of the tables in which bindings with these places stand. */
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
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const digest = createHash("sha256").update(key).digest("hex").slice(0, 16);
    const table = { id: `${listeners[0] ?? ""}+${digest}`, listeners, saved: 0 };
    this.#tables.set(key, table);
    return table;
  }
}

const mostUseful = compareBy<SharedTable>(
  (a, b) => b.saved - a.saved,
  (a, b) => compareStrings(a.id, b.id),
);
