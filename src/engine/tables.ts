/**
 * Tables that follow from each other. A row is computed by a pure function that reads as if nothing ever changed; `update` computes those
 * rows again whose source, or what they read, has changed. A table reads only tables before it, so one round of updates in that order
 * brings all up to date. If a function throws, what it did not compute is still to be computed in the next round.
 */
import { compareStrings, patched } from "../support/collections.js";

export type Key = string;

/** Reads a row, and has the row being computed follow it, also if there is none. */
export type Read = <V>(table: Table<V>, key: Key) => V | undefined;

type IsEqual<V> = (a: V, b: V) => boolean;

/** A row that has read others. */
interface Reader {
  readonly key: Key;
  /** Of its table: the keys of the rows that are to be computed again. */
  readonly stale: Set<Key>;
  reads: RowRead | undefined;
}

/** In a chain: there are many, and lists take three times the memory. */
interface RowRead {
  readonly table: Readable;
  readonly key: Key;
  readonly next: RowRead | undefined;
}

interface Readable {
  addReader(key: Key, reader: Reader): void;
  removeReader(key: Key, reader: Reader): void;
}

/** Sets by key. Most have few members: a list of them takes a fifth of the memory. */
class Sets<T extends object> {
  readonly #sets = new Map<Key, readonly T[] | Set<T>>();

  of(key: Key): Iterable<T> {
    return this.#sets.get(key) ?? [];
  }

  add(key: Key, member: T): void {
    const known = this.#sets.get(key) ?? [];
    if (known instanceof Set) known.add(member);
    else if (known.length === FEW) this.#sets.set(key, new Set(known).add(member));
    else if (!known.includes(member)) this.#sets.set(key, [...known, member]);
  }

  delete(key: Key, member: T): void {
    const known = this.#sets.get(key) ?? [];
    if (known instanceof Set) known.delete(member);
    else this.#sets.set(key, without(known, member));
    const left = this.#sets.get(key);
    if ((left instanceof Set ? left.size : left?.length) === 0) this.#sets.delete(key);
  }
}

const FEW = 8;

function without<T>(list: readonly T[], member: T): readonly T[] {
  return list.filter((each) => each !== member);
}

export abstract class Table<V> implements Readable {
  readonly #rows = new Map<Key, V>();
  readonly #readers = new Sets<Reader>();
  readonly #followers: Set<Key>[] = [];
  readonly #isEqual: IsEqual<V>;

  /** `isEqual`: whether readers need not know of a new value. */
  constructor(isEqual: IsEqual<V> = Object.is) {
    this.#isEqual = isEqual;
  }

  get(key: Key): V | undefined {
    return this.#rows.get(key);
  }

  keys(): Iterable<Key> {
    return this.#rows.keys();
  }

  values(): Iterable<V> {
    return this.#rows.values();
  }

  /** Adds the key of each row there is, and of each that changes from now on. */
  follow(stale: Set<Key>): void {
    this.#followers.push(stale);
    for (const key of this.#rows.keys()) stale.add(key);
  }

  addReader(key: Key, reader: Reader): void {
    this.#readers.add(key, reader);
  }

  removeReader(key: Key, reader: Reader): void {
    this.#readers.delete(key, reader);
  }

  protected put(key: Key, now: V | undefined): void {
    const before = this.#rows.get(key);
    const isSame = before !== undefined && now !== undefined && this.#isEqual(before, now);
    if (isSame || before === now) return;
    if (now === undefined) this.#rows.delete(key);
    else this.#rows.set(key, now);
    for (const stale of this.#followers) stale.add(key);
    for (const reader of this.#readers.of(key)) reader.stale.add(reader.key);
  }
}

/** Rows that are given. */
export class Input<V> extends Table<V> {
  /** Undefined removes the row. */
  set(key: Key, value: V | undefined): void {
    this.put(key, value);
  }
}

/** For each row of a source at most one, which may follow from rows of other tables as well. */
export class Derived<S, V> extends Table<V> {
  readonly #source: Table<S>;
  readonly #compute: (value: S, read: Read, key: Key) => V | undefined;
  readonly #stale = new Set<Key>();
  /** Rows that have read others. */
  readonly #readers = new Map<Key, Reader>();

  constructor(
    source: Table<S>,
    compute: (value: S, read: Read, key: Key) => V | undefined,
    isEqual?: IsEqual<V>,
  ) {
    super(isEqual);
    this.#source = source;
    this.#compute = compute;
    source.follow(this.#stale);
  }

  update(): void {
    for (const key of this.#stale) {
      this.#recompute(key);
      this.#stale.delete(key);
    }
  }

  #recompute(key: Key): void {
    const value = this.#source.get(key);
    let reads: RowRead | undefined;
    const read: Read = (table, other) => {
      if (!isRecent(reads, table, other)) reads = { table, key: other, next: reads };
      return table.get(other);
    };
    const now = value === undefined ? undefined : this.#compute(value, read, key);
    this.#note(key, reads);
    this.put(key, now);
  }

  #note(key: Key, reads: RowRead | undefined): void {
    const known = this.#readers.get(key);
    if (known === undefined && reads === undefined) return;
    const reader = known ?? { key, stale: this.#stale, reads: undefined };
    for (let each = reader.reads; each; each = each.next) each.table.removeReader(each.key, reader);
    for (let each = reads; each; each = each.next) each.table.addReader(each.key, reader);
    reader.reads = reads;
    if (reads === undefined) this.#readers.delete(key);
    else this.#readers.set(key, reader);
  }
}

/** Facts that are computed when somebody asks, and kept up to date until `forget`. */
export class Asked<Q extends object, V> {
  readonly #questions = new Input<Q>();
  readonly #answers: Derived<Q, V>;
  readonly #changed = new Set<Key>();

  constructor(answer: (question: Q, read: Read) => V, isEqual?: IsEqual<V>) {
    this.#answers = new Derived(this.#questions, answer, isEqual);
    this.#answers.follow(this.#changed);
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

/** Functions read the same few rows several times in a row. */
const RECENT = 4;

function isRecent(reads: RowRead | undefined, table: Readable, key: Key): boolean {
  let each = reads;
  for (let i = 0; i < RECENT && each !== undefined; i += 1) {
    if (each.table === table && each.key === key) return true;
    each = each.next;
  }
  return false;
}

/** Collects what the rows of a source contribute to each key, by the source's keys in byte order. */
export class Group<S, M, V> extends Table<V> {
  readonly #source: Table<S>;
  readonly #contribute: (value: S, key: Key) => Iterable<readonly [Key, M]>;
  readonly #reduce: (members: readonly M[], key: Key) => V | undefined;
  /** Rows of the source, and keys of this table, that are to be looked at. */
  readonly #stale = new Set<Key>();
  readonly #touched = new Set<Key>();
  readonly #members = new Sets<Contribution<M>>();
  /** By the source's key. */
  readonly #given = new Map<Key, readonly Contribution<M>[]>();

  constructor(
    source: Table<S>,
    contribute: (value: S, key: Key) => Iterable<readonly [Key, M]>,
    reduce: (members: readonly M[], key: Key) => V | undefined,
    isEqual?: IsEqual<V>,
  ) {
    super(isEqual);
    this.#source = source;
    this.#contribute = contribute;
    this.#reduce = reduce;
    source.follow(this.#stale);
  }

  update(): void {
    for (const key of this.#stale) {
      this.#replace(key);
      this.#stale.delete(key);
    }
    for (const key of this.#touched) {
      const members = inOrder(this.#members.of(key));
      this.put(key, members.length === 0 ? undefined : this.#reduce(members, key));
      this.#touched.delete(key);
    }
  }

  #replace(from: Key): void {
    const value = this.#source.get(from);
    const all = value === undefined ? [] : [...this.#contribute(value, from)];
    const given = all.map(([to, member]) => ({ from, to, member }));
    for (const each of this.#given.get(from) ?? []) {
      this.#members.delete(each.to, each);
      this.#touched.add(each.to);
    }
    for (const each of given) {
      this.#members.add(each.to, each);
      this.#touched.add(each.to);
    }
    if (given.length === 0) this.#given.delete(from);
    else this.#given.set(from, given);
  }
}

/** The rows of a table as a sorted list. It stays the same object while nothing changes. */
export class SortedRows<V extends object> {
  readonly #table: Table<V>;
  readonly #compare: (a: V, b: V) => number;
  readonly #stale = new Set<Key>();
  /** Those in the list. */
  readonly #known = new Map<Key, V>();
  #values: readonly V[] = [];

  constructor(table: Table<V>, compare: (a: V, b: V) => number) {
    this.#table = table;
    this.#compare = compare;
    table.follow(this.#stale);
  }

  get values(): readonly V[] {
    const changes = Array.from(this.#stale, (key) => {
      return { before: this.#known.get(key), now: this.#table.get(key) };
    });
    this.#values = patched(this.#values, changes, this.#compare);
    for (const key of this.#stale) {
      const now = this.#table.get(key);
      if (now === undefined) this.#known.delete(key);
      else this.#known.set(key, now);
    }
    this.#stale.clear();
    return this.#values;
  }
}

/** What a row of the source gives to a row of a group. */
interface Contribution<M> {
  readonly from: Key;
  readonly to: Key;
  readonly member: M;
}

/** Those of one row stay in their order. */
function inOrder<M>(contributions: Iterable<Contribution<M>>): readonly M[] {
  const sorted = [...contributions].sort((a, b) => compareStrings(a.from, b.from));
  return sorted.map(({ member }) => member);
}
