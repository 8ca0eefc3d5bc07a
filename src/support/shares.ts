/**
 * Who gets how much of something finite (docs/adr/shares.md). Shares are max–min fair by namespace: nothing is lost while the whole
 * suffices. If it doesn't, the namespaces that use most lose their newest objects first, and a namespace that wants less than they keep
 * loses nothing.
 */
import { compareBy, compareStrings, groupBy } from "./collections.js";
import { ageKey } from "./units.js";

/** An object of Kubernetes. */
interface Owner {
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly creationTimestamp?: string;
  };
}

export interface Claim {
  /** Its age decides. Undefined: the options, which come first. Claims of one owner count in the order in which they are given. */
  readonly owner: Owner | undefined;
  /** What is wanted. Claims of one place share it, and it costs its size once. */
  readonly place: string;
  readonly size: number;
}

export interface Shares {
  /** The places that are kept. */
  readonly kept: ReadonlySet<string>;
  /** What remains of the capacity. */
  readonly left: number;
  /** The size of what a namespace keeps; the options are the namespace "". */
  readonly used: (namespace: string) => number;
}

/**
 * Claims are served by the size that their namespace would have with them, so when the capacity ends, no namespace has more than another
 * one wants. The first claim of a namespace that does not fit ends its share: younger ones get only places that are paid already.
 */
export function shareOut(claims: readonly Claim[], capacity: number): Shares {
  const sizes = sizesOf(claims);
  const total = sumOf(sizes.values());
  if (total <= capacity) return shares(claims, new Set(sizes.keys()), capacity - total);
  const kept = new Set<string>();
  const ended = new Set<string>();
  let left = capacity;
  for (const { namespace, place, size } of inTurn(claims)) {
    if (kept.has(place)) continue;
    if (size <= left && !ended.has(namespace)) {
      kept.add(place);
      left -= size;
    } else ended.add(namespace);
  }
  return shares(claims, kept, left);
}

/** Why a claim gets no share; `what`: the unit, such as `sockets`. */
export function usedUp(
  what: string,
  {
    namespace,
    used,
    whole,
    size,
  }: {
    /** Empty: the options. */
    readonly namespace: string;
    readonly used: number;
    readonly whole: number;
    readonly size: number;
  },
): string {
  const who = namespace === "" ? "the options have" : `namespace ${namespace} has`;
  const [has, of, needs] = [used, whole, size].map((each) => String(Math.ceil(each)));
  return `${who} ${has ?? ""} of the ${of ?? ""} ${what} that are shared, which are used up; this one needs ${needs ?? ""}`;
}

interface Turn extends Claim {
  readonly namespace: string;
  readonly age: string;
  /** The size of the namespace's places up to this one. */
  readonly level: number;
}

function inTurn(claims: readonly Claim[]): readonly Turn[] {
  const aged = claims.map((claim) => ({
    ...claim,
    namespace: namespaceOf(claim),
    age: claim.owner === undefined ? "" : ageKey(claim.owner.metadata.creationTimestamp),
  }));
  const turns = [...groupBy(aged.sort(byAge), ({ namespace }) => namespace).values()].flatMap(
    (own) => {
      const places = new Set<string>();
      let level = 0;
      return own.flatMap((claim): readonly Turn[] => {
        if (places.has(claim.place)) return [];
        places.add(claim.place);
        level += claim.size;
        return [{ ...claim, level }];
      });
    },
  );
  return turns.sort(byLevel);
}

/** The sort keeps the order of one owner's claims. */
const byAge = compareBy<Omit<Turn, "level">>(
  (a, b) => compareStrings(a.age, b.age),
  (a, b) => compareStrings(a.namespace, b.namespace),
  ({ owner: a }, { owner: b }) => compareStrings(a?.metadata.name ?? "", b?.metadata.name ?? ""),
  ({ owner: a }, { owner: b }) => compareStrings(a?.kind ?? "", b?.kind ?? ""),
);

/** The sort keeps the order of one namespace's claims. */
const byLevel = compareBy<Turn>(
  (a, b) => a.level - b.level,
  (a, b) => (a.namespace === b.namespace ? 0 : byAge(a, b)),
);

function shares(claims: readonly Claim[], kept: ReadonlySet<string>, left: number): Shares {
  let known: ReadonlyMap<string, number> | undefined;
  return { kept, left, used: (namespace) => (known ??= usedBy(claims, kept)).get(namespace) ?? 0 };
}

function usedBy(claims: readonly Claim[], kept: ReadonlySet<string>): ReadonlyMap<string, number> {
  const own = groupBy(
    claims.filter(({ place }) => kept.has(place)),
    namespaceOf,
  );
  return new Map([...own].map(([namespace, list]) => [namespace, sumOf(sizesOf(list).values())]));
}

function sizesOf(claims: readonly Claim[]): ReadonlyMap<string, number> {
  return new Map(claims.map(({ place, size }) => [place, size]));
}

function namespaceOf({ owner }: Pick<Claim, "owner">): string {
  return owner?.metadata.namespace ?? "";
}

function sumOf(sizes: Iterable<number>): number {
  let sum = 0;
  for (const size of sizes) sum += size;
  return sum;
}
