/**
 * The tables that hold the bindings of a listener: its own, and tables that all listeners of a set share, so a route of a Gateway with
 * many listeners is written once.
 */
import { createHash } from "node:crypto";
import type { BindingPlaces } from "../../model/route.js";
import {
  compareBy,
  compareIds,
  getOrInsert,
  memoized,
  sameElements,
} from "../../support/collections.js";

/** Shared tables of a listener. The data plane looks up a host in each of them; other bindings go to the listener's own table. */
const MOST_SHARED = 8;

interface SharedTable {
  readonly id: string;
  readonly listeners: readonly string[];
  /** Pairs of binding and host that the table saves each of its listeners. */
  saved: number;
}

export class ListenerTables {
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
