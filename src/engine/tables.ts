/**
 * Tables that follow from each other. A row is computed by a pure function that reads as if nothing ever changed; `update` computes those
 * rows again whose source, or what they read, has changed. A table reads only tables before it, so one round of updates in that order
 * brings all up to date. If a function throws, what it did not compute is still to be computed in the next round.
 */
import { addTo, compareStrings, getOrInsert, patched } from "../support/collections.js";
import { type Few, membersOf, withMember, withoutMember } from "../support/few.js";

export type Key = string;

const NONE: readonly never[] = [];

/** Reads a row, and has the row being computed follow it, also if there is none. */
export type Read = <V>(table: Table<V>, key: Key) => V | undefined;

/** Called with the key of a row that has another value now, and the value before. */
type Note<V> = (key: Key, before: V | undefined) => void;

type IsEqual<V> = (a: V, b: V) => boolean;

/** One object for all that is known of a row: maps of each would take twice the memory. */
class Row<V = unknown, O = unknown> {
  readonly table: Pick<Table<V>, "stale" | "unread">;
  readonly key: Key;
  value: V | undefined = undefined;
  /** What the value follows from. */
  origin: O | undefined = undefined;
  /** Rows that have read it. */
  readers: Few<Row> = undefined;

  constructor(table: Pick<Table<V>, "stale" | "unread">, key: Key) {
    this.table = table;
    this.key = key;
  }
}

export abstract class Table<V, O = unknown> {
  /** Also those without a value, as long as they are read, or may get one. */
  readonly #rows = new Map<Key, Row<V, O>>();
  /** Keys of rows that are to be computed again. */
  readonly stale = new Set<Key>();
  readonly #followers: Note<V>[] = [];
  readonly #isEqual: IsEqual<V>;

  /** `isEqual`: whether readers need not know of a new value. */
  constructor(isEqual: IsEqual<V> = Object.is) {
    this.#isEqual = isEqual;
  }

  get(key: Key): V | undefined {
    return this.#rows.get(key)?.value;
  }

  *entries(): Iterable<readonly [Key, V]> {
    for (const { key, value } of this.#rows.values()) if (value !== undefined) yield [key, value];
  }

  *values(): Iterable<V> {
    for (const { value } of this.#rows.values()) if (value !== undefined) yield value;
  }

  /** Notes each row there is, and each that changes from now on. */
  follow(note: Note<V>): void {
    this.#followers.push(note);
    for (const [key] of this.entries()) note(key, undefined);
  }

  rowAt(key: Key): Row<V, O> {
    return getOrInsert(this.#rows, key, () => new Row(this, key));
  }

  unread(key: Key, reader: Row): void {
    const row = this.rowAt(key);
    row.readers = withoutMember(row.readers, reader);
    this.#settle(row);
  }

  /** Forgets the row unless there is something to know of it. */
  #settle({ key, value, origin, readers }: Row<V, O>): void {
    const isNeeded = value !== undefined || origin !== undefined || readers !== undefined;
    if (!isNeeded) this.#rows.delete(key);
  }

  protected put(row: Row<V, O>, now: V | undefined): void {
    const before = row.value;
    const isSame = before !== undefined && now !== undefined && this.#isEqual(before, now);
    if (!isSame) row.value = now;
    this.#settle(row);
    if (isSame || before === now) return;
    for (const note of this.#followers) note(row.key, before);
    for (const reader of membersOf(row.readers)) reader.table.stale.add(reader.key);
  }
}

/** Rows that are given. */
export class Input<V> extends Table<V> {
  /** Undefined removes the row. */
  set(key: Key, value: V | undefined): void {
    this.put(this.rowAt(key), value);
  }
}

/** For each row of a source at most one, which may follow from rows of other tables as well. */
export class Derived<S, V> extends Table<V, readonly Row[]> {
  readonly #source: Table<S>;
  readonly #compute: (value: S, read: Read, key: Key) => V | undefined;

  constructor(
    source: Table<S>,
    compute: (value: S, read: Read, key: Key) => V | undefined,
    isEqual?: IsEqual<V>,
  ) {
    super(isEqual);
    this.#source = source;
    this.#compute = compute;
    source.follow((key) => this.stale.add(key));
  }

  update(): void {
    for (const key of this.stale) {
      this.#recompute(key);
      this.stale.delete(key);
    }
  }

  #recompute(key: Key): void {
    const value = this.#source.get(key);
    const reads = new Set<Row>();
    const read: Read = (table, other) => {
      const row = table.rowAt(other);
      reads.add(row);
      return row.value;
    };
    const now = value === undefined ? undefined : this.#compute(value, read, key);
    const row = this.rowAt(key);
    for (const each of reads) each.readers = withMember(each.readers, row);
    for (const each of row.origin ?? NONE) if (!reads.has(each)) each.table.unread(each.key, row);
    row.origin = reads.size === 0 ? undefined : [...reads];
    this.put(row, now);
  }
}

/** Facts that are computed when somebody asks, and kept up to date until `forget`. */
export class Asked<Q extends object, V> {
  readonly #questions = new Input<Q>();
  readonly #answers: Derived<Q, V>;
  readonly #changed = new Set<Key>();

  constructor(answer: (question: Q, read: Read) => V, isEqual?: IsEqual<V>) {
    this.#answers = new Derived(this.#questions, answer, isEqual);
    this.#answers.follow((key) => this.#changed.add(key));
  }

  /** `question`: the same for each key. */
  ask(key: Key, question: Q): V {
    if (this.#questions.get(key) === undefined) {
      this.#questions.set(key, question);
      this.#answers.update();
    }
    const answer = this.#answers.get(key);
    if (answer === undefined) throw new Error(`no answer for ${key}`);
    return answer;
  }

  forget(key: Key): void {
    this.#questions.set(key, undefined);
  }

  /** Gives the keys of the facts that have changed. */
  update(): readonly Key[] {
    this.#changed.clear();
    this.#answers.update();
    return [...this.#changed];
  }
}

/** Values before they changed. */
class Changes<V> {
  readonly #before = new Map<Key, V | undefined>();
  readonly #table: Table<V>;

  constructor(table: Table<V>) {
    this.#table = table;
    table.follow((key, before) => {
      if (!this.#before.has(key)) this.#before.set(key, before);
    });
  }

  get all(): readonly {
    readonly key: Key;
    readonly before: V | undefined;
    readonly now: V | undefined;
  }[] {
    return Array.from(this.#before, ([key, before]) => {
      return { key, before, now: this.#table.get(key) };
    });
  }

  clear(): void {
    this.#before.clear();
  }
}

/** Collects what the rows of a source contribute to each key, by the source's keys in byte order. */
export class Group<S, M, V> extends Table<V, readonly Contribution<M>[]> {
  readonly #changes: Changes<S>;
  readonly #contribute: (value: S, key: Key) => Iterable<readonly [Key, M]>;
  readonly #reduce: (members: readonly M[], key: Key) => V | undefined;

  constructor(
    source: Table<S>,
    contribute: (value: S, key: Key) => Iterable<readonly [Key, M]>,
    reduce: (members: readonly M[], key: Key) => V | undefined,
    isEqual?: IsEqual<V>,
  ) {
    super(isEqual);
    this.#changes = new Changes(source);
    this.#contribute = contribute;
    this.#reduce = reduce;
  }

  update(): void {
    this.#collect();
    for (const key of this.stale) {
      const row = this.rowAt(key);
      const members = row.origin?.map(({ member }) => member);
      this.put(row, members && this.#reduce(members, key));
      this.stale.delete(key);
    }
  }

  #collect(): void {
    const gone = new Map<Key, Set<Key>>();
    const added = new Map<Key, Contribution<M>[]>();
    for (const { key: from, before, now } of this.#changes.all) {
      for (const [to] of before === undefined ? NONE : this.#contribute(before, from)) {
        getOrInsert(gone, to, () => new Set()).add(from);
      }
      for (const [to, member] of now === undefined ? NONE : this.#contribute(now, from)) {
        addTo(added, to, { from, member });
      }
    }
    this.#changes.clear();
    for (const to of new Set([...gone.keys(), ...added.keys()])) {
      const row = this.rowAt(to);
      const kept = (row.origin ?? NONE).filter(({ from }) => gone.get(to)?.has(from) !== true);
      const all = kept.concat(added.get(to) ?? NONE).sort(bySource);
      row.origin = all.length === 0 ? undefined : all;
      this.stale.add(to);
    }
  }
}

/** The rows of a table as a sorted list. It stays the same object while nothing changes. */
export class SortedRows<V extends object> {
  readonly #changes: Changes<V>;
  readonly #compare: (a: V, b: V) => number;
  #values: readonly V[] = [];

  constructor(table: Table<V>, compare: (a: V, b: V) => number) {
    this.#changes = new Changes(table);
    this.#compare = compare;
  }

  get values(): readonly V[] {
    this.#values = patched(this.#values, this.#changes.all, this.#compare);
    this.#changes.clear();
    return this.#values;
  }
}

/** What a row of the source gives to a row of a group. */
interface Contribution<M> {
  readonly from: Key;
  readonly member: M;
}

/** Those of one row stay in their order. */
function bySource<M>(a: Contribution<M>, b: Contribution<M>): number {
  return compareStrings(a.from, b.from);
}
