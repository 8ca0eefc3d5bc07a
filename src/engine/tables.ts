/**
 * Tables that follow from each other. A row is computed by a pure function that reads as if nothing ever changed; `update` computes those
 * rows again whose source, or what they read, has changed. A table reads only tables before it, so one round of updates in that order
 * brings all up to date. If a function throws, what it did not compute is still to be computed in the next round.
 */
import { addTo, compareStrings, getOrInsert, patched } from "../support/collections.js";
import { type Few, membersOf, withMember, withoutMember } from "../support/few.js";

export type Key = string;

const NONE: readonly never[] = [];

/** Reads a row, and has the row being computed follow it, also if there is none. Once that row is computed, reading follows nothing. */
export type Read = <V>(table: Table<V>, key: Key) => V | undefined;

/** As methods, so that a table of values with more fields is one of values with fewer. */
interface Methods<V> {
  isEqual(a: V, b: V): boolean;
  /** The row has another value now than `before`. */
  note(key: Key, before: V | undefined): void;
}

type IsEqual<V> = Methods<V>["isEqual"];

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
  readonly #followers: Methods<V>["note"][] = [];
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
  follow(note: Methods<V>["note"]): void {
    this.#followers.push(note);
    for (const [key] of this.entries()) note(key, undefined);
  }

  rowAt(key: Key): Row<V, O> {
    return getOrInsert(this.#rows, key, () => new Row(this, key));
  }

  isRead(key: Key): boolean {
    return this.#rows.get(key)?.readers !== undefined;
  }

  /** Keys of the rows that have read it. */
  readersOf(key: Key): readonly Key[] {
    return Array.from(membersOf(this.#rows.get(key)?.readers), (reader) => reader.key);
  }

  /** The reader does not follow the row any more. */
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
    if (isSame || (before === undefined && now === undefined)) return;
    for (const note of this.#followers) note(row.key, before);
    this.wake(row.key);
  }

  protected wake(key: Key): void {
    for (const reader of membersOf(this.#rows.get(key)?.readers)) {
      reader.table.stale.add(reader.key);
    }
  }
}

/** Rows that are given. */
export class Input<V> extends Table<V> {
  #all: ReadonlyMap<Key, V> = new Map();

  /** Undefined removes the row. */
  set(key: Key, value: V | undefined): void {
    this.put(this.rowAt(key), value);
  }

  /** Of a table that has rows by this alone. Gives the keys of rows that differ. */
  replaceAll(all: ReadonlyMap<Key, V>): readonly Key[] {
    const before = this.#all;
    if (all === before) return NONE;
    this.#all = all;
    const keys = [...new Set([...before.keys(), ...all.keys()])];
    const changed = keys.filter((key) => before.get(key) !== all.get(key));
    for (const key of changed) this.set(key, all.get(key));
    return changed;
  }
}

/** Values that are kept elsewhere: there is a row for who reads it, and it has no value. */
export class Outside extends Table<never> {
  change(keys: Iterable<Key>): void {
    for (const key of keys) this.wake(key);
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

  /** Keys of the rows that the row has read. */
  readsOf(key: Key): readonly Key[] {
    return (this.rowAt(key).origin ?? NONE).map((each) => each.key);
  }

  #recompute(key: Key): void {
    const value = this.#source.get(key);
    const row = this.rowAt(key);
    const reads = new Set<Row>();
    let isComputed = false;
    const read: Read = (table, other) => {
      if (isComputed) return table.get(other);
      const known = table.rowAt(other);
      if (!reads.has(known)) known.readers = withMember(known.readers, row);
      reads.add(known);
      return known.value;
    };
    const now = value === undefined ? undefined : this.#compute(value, read, key);
    isComputed = true;
    for (const each of row.origin ?? NONE) if (!reads.has(each)) each.table.unread(each.key, row);
    row.origin = reads.size === 0 ? undefined : [...reads];
    this.put(row, now);
  }
}

/** Rows that are computed when one reads them, and kept as long as one does. */
export class Asked<Q extends object, V> extends Derived<Q, V> {
  readonly #questions: Input<Q>;

  constructor(answer: (question: Q, read: Read) => V, isEqual?: IsEqual<V>) {
    const questions = new Input<Q>();
    super(questions, answer, isEqual);
    this.#questions = questions;
  }

  /** `question`: the same for each key. */
  ask(read: Read, key: Key, question: Q): V {
    if (this.#questions.get(key) === undefined) {
      this.#questions.set(key, question);
      this.update();
    }
    const answer = read<V>(this, key);
    if (answer === undefined) throw new Error(`no answer for ${key}`);
    return answer;
  }

  override unread(key: Key, reader: Row): void {
    super.unread(key, reader);
    if (!this.isRead(key)) this.#questions.set(key, undefined);
  }
}

/** The rows that have changed since they were last taken. */
export class Changes<V> {
  readonly #before = new Map<Key, V | undefined>();
  readonly #table: Table<V>;

  constructor(table: Table<V>) {
    this.#table = table;
    table.follow((key, before) => {
      if (!this.#before.has(key)) this.#before.set(key, before);
    });
  }

  get all(): readonly Change<V>[] {
    return Array.from(this.#before, ([key, before]) => {
      return { key, before, now: this.#table.get(key) };
    });
  }

  take(): readonly Change<V>[] {
    const { all } = this;
    this.#before.clear();
    return all;
  }
}

interface Change<V> {
  readonly key: Key;
  readonly before: V | undefined;
  readonly now: V | undefined;
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
    this.#changes.take();
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
    return (this.#values = patched(this.#values, this.#changes.take(), this.#compare));
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
