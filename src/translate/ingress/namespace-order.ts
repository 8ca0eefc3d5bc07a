/**
 * The order of the paths of Ingresses. Between namespaces it is by how narrow a path is and by age, which no annotation changes. Inside a
 * namespace priorities and the lengths of patterns come first: a path that its namespace puts behind a wider one moves back behind it, and
 * no path ever moves ahead of another namespace's. Each path has one key, so the order is total.
 */
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { PathMatch } from "../../ir/match.js";
import { compareBy, compareStrings } from "../../support/compare.js";
import { parentWildcard } from "../hostnames.js";

export interface Ordered {
  readonly listener: string;
  readonly namespace: string;
  readonly host: HostPattern;
  readonly path: PathMatch;
  /** What every path that it matches begins with. */
  readonly literal: string;
  /** Keys of its place inside the namespace, and between namespaces; most often the same. */
  readonly inner: string;
  readonly outer: string;
}

/** Characters by which paths are told apart; longer ones count as overlapping. */
const LONGEST_LITERAL = 64;

/** The order of each. */
export function orderOf<T extends Ordered>(all: readonly T[]): ReadonlyMap<T, string> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = `${each.listener} ${each.namespace}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  const orders = new Map<T, string>();
  for (const group of groups.values()) {
    if (group.every(({ inner, outer }) => inner === outer)) {
      for (const each of group) orders.set(each, each.outer);
    } else addOrders(group, orders);
  }
  return orders;
}

const byInner = compareBy<Ordered>((a, b) => compareStrings(a.inner, b.inner));

function addOrders<T extends Ordered>(group: readonly T[], orders: Map<T, string>): void {
  const earlier = new Earlier();
  for (const each of [...group].sort(byInner)) {
    const behind = earlier.last(each);
    const place = behind === undefined || behind < each.outer ? each.outer : behind;
    // Directly after the place: `!` sorts before the digits of a position.
    orders.set(each, place === each.outer ? place : `${place} ! ${each.inner}`);
    earlier.add(each, place);
  }
}

/** The places of what comes first in a namespace. */
class Earlier {
  readonly #places = new Map<string, string>();
  readonly #lengths = new Set<number>();

  add(each: Ordered, place: string): void {
    const literal = comparable(each);
    const isExact = each.path.kind === "exact";
    if (!isExact) this.#lengths.add(literal.length);
    const key = `${hostKey(each.host)} ${isExact ? "=" : ""}${literal}`;
    const known = this.#places.get(key);
    if (known === undefined || known < place) this.#places.set(key, place);
  }

  /** The last place of a path that may match what this one matches. */
  last(each: Ordered): string | undefined {
    const literal = comparable(each);
    const lengths = [...this.#lengths].filter((length) => length <= literal.length);
    // An Exact path is narrower than all that begin as it does, but for the root of app-root.
    const texts = [`=${literal === "" ? "/" : literal}`];
    for (const length of lengths) texts.push(literal.slice(0, length));
    const places = keysAbove(each.host).flatMap((key) =>
      texts.flatMap((text) => this.#places.get(`${key} ${text}`) ?? []),
    );
    return places.sort(compareStrings).at(-1);
  }
}

/** Patterns match without case. */
function comparable({ literal }: Ordered): string {
  return literal.slice(0, LONGEST_LITERAL).toLowerCase();
}

/** Keys of the hosts that cover a host. */
function keysAbove(host: HostPattern): readonly string[] {
  const parent = parentWildcard(host);
  return [...new Set([hostKey(host), ...(parent ? [hostKey(parent)] : []), ""])];
}
