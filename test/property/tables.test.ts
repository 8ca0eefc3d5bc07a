/**
 * Tables that were updated hold what tables made from scratch hold: after any sequence of changes, with functions that throw now and then.
 * Only rows whose input differs are computed.
 */
import {
  Asked,
  Changes,
  Derived,
  Group,
  Input,
  type Key,
  Outside,
  type Table,
} from "../../src/engine/tables.js";
import { compareStrings } from "../../src/support/collections.js";
import { fc, runs } from "../support/fast-check.js";

/** Names that a row contributes a number to; and a name that it reads of the groups. */
interface Row {
  readonly names: readonly string[];
  readonly number: number;
  readonly reads: string;
}

/** Rows → sums by name → for each row its number and a sum → lists of those by sum, in the order of the rows. */
class Sheet {
  readonly rows = new Input<Row>();
  computed = 0;
  /** Rows, and names, at which functions throw. */
  readonly faulty = new Set<string>();

  readonly sums = new Group(
    this.rows,
    ({ names, number }, key) => {
      this.#fail(`of ${key}`);
      return names.map((name) => [name, number] as const);
    },
    (numbers, name) => {
      this.#fail(`sum ${name}`);
      const sum = numbers.reduce((a, b) => a + b, 0);
      return sum === 0 ? undefined : sum;
    },
  );

  readonly texts = new Derived(this.rows, ({ number, reads }, read, key) => {
    this.computed += 1;
    this.#fail(`text ${key}`);
    const sum = number < 0 ? 0 : read(this.sums, reads);
    return sum === undefined ? undefined : { text: `${key} ${String(number)}`, sum };
  });

  readonly lists = new Group(
    this.texts,
    ({ sum, text }) => [[String(sum), text] as const],
    (texts) => texts,
    (a, b) => a.join() === b.join(),
  );

  update(): void {
    this.sums.update();
    this.texts.update();
    this.lists.update();
  }

  #fail(at: string): void {
    if (this.faulty.has(at)) throw new Error(at);
  }
}

const contents = <V>(table: Table<V>): ReadonlyMap<Key, unknown> =>
  new Map([...table.entries()].sort(([a], [b]) => compareStrings(a, b)));

const contentsOf = ({ sums, texts, lists }: Sheet) => [
  contents(sums),
  contents(texts),
  contents(lists),
];

const KEYS = ["a", "b", "c", "d", "e"];
const NAMES = ["x", "y", "z"];
const row = fc.record({
  names: fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }),
  number: fc.integer({ min: -1, max: 2 }),
  reads: fc.constantFrom(...NAMES, "w"),
});
const change = fc.tuple(fc.constantFrom(...KEYS), fc.option(row, { nil: undefined, freq: 3 }));
const places = [
  ...KEYS.flatMap((key) => [`of ${key}`, `text ${key}`]),
  ...NAMES.map((n) => `sum ${n}`),
];
const step = fc.record({
  changes: fc.array(change, { maxLength: 4 }),
  faulty: fc.option(fc.constantFrom(...places), { freq: 3 }),
});

function put(sheet: Sheet, changes: readonly (readonly [string, Row | undefined])[]): void {
  for (const [key, value] of changes) sheet.rows.set(key, value);
}

it("hold what those made from scratch hold", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const sheet = new Sheet();
      const rows = new Map<string, Row | undefined>();
      for (const { changes, faulty } of steps) {
        put(sheet, changes);
        for (const [key, value] of changes) rows.set(key, value);
        if (faulty !== null) {
          sheet.faulty.add(faulty);
          expect(() => {
            sheet.update();
            throw new Error("whole");
          }).toThrow(new RegExp(`^(?:whole|${faulty})$`));
          sheet.faulty.clear();
          if (steps.length % 2 === 0) continue;
        }
        sheet.update();
        const fresh = new Sheet();
        put(fresh, [...rows].reverse());
        fresh.update();
        expect(contentsOf(sheet)).toEqual(contentsOf(fresh));
        sheet.computed = 0;
        sheet.update();
        expect(sheet.computed).toBe(0);
      }
    }),
    runs(500),
  );
});

it("compute what differs", () => {
  const sheet = new Sheet();
  const base: Row = { names: [], number: 1, reads: "x" };
  put(sheet, [
    ["a", { ...base, names: ["x"], reads: "y" }],
    ["b", base],
    ["c", { ...base, reads: "y" }],
  ]);
  sheet.update();
  expect(contents(sheet.lists)).toEqual(new Map([["1", ["b 1"]]]));

  const computedFor = (...changes: readonly (readonly [string, Row | undefined])[]): number => {
    sheet.computed = 0;
    put(sheet, changes);
    sheet.update();
    return sheet.computed;
  };
  // The row, and the reader of x.
  expect(computedFor(["a", { ...base, names: ["x", "x"], reads: "y" }])).toBe(2);
  // A sum that is the same wakes nobody.
  expect(computedFor(["a", { names: ["x"], number: 2, reads: "y" }])).toBe(1);
  // Those that found nothing follow, too.
  expect(computedFor(["d", { ...base, names: ["y"], reads: "w" }])).toBe(3);
  // Who has been removed follows nothing.
  expect(computedFor(["c", undefined])).toBe(0);
  expect(computedFor(["d", { ...base, names: ["y", "y"], reads: "w" }])).toBe(2);
});

it("facts that are asked for are kept up to date as long as a row reads them", () => {
  const [rows, askers] = [new Input<number>(), new Input<string>()];
  let computed = 0;
  const facts = new Asked(({ of }: { readonly of: string }, read) => {
    computed += 1;
    return (read(rows, of) ?? 0) > 1;
  });
  const answers = new Derived(askers, (of, read) => [facts.ask(read, of, { of })]);
  const changed = new Changes(answers);
  const update = (...now: readonly (readonly [string, string | undefined])[]) => {
    for (const [key, of] of now) askers.set(key, of);
    facts.update();
    answers.update();
    return changed.take().map(({ key, now }) => [key, now]);
  };
  expect(update(["x", "a"], ["y", "a"])).toEqual([
    ["x", [false]],
    ["y", [false]],
  ]);
  expect(computed).toBe(1);
  rows.set("a", 1);
  expect(update()).toEqual([]);
  rows.set("a", 2);
  expect(update(["x", "b"])).toEqual([
    ["x", [false]],
    ["y", [true]],
  ]);
  expect([computed, rows.isRead("a"), facts.isRead("a")]).toEqual([4, true, true]);

  update(["y", undefined]);
  update();
  expect([computed, rows.isRead("a"), facts.isRead("a")]).toEqual([4, false, false]);
  expect(update(["y", "a"])).toEqual([["y", [true]]]);
});

it("changes of what is kept elsewhere, and of rows that are replaced together, reach who has read them", () => {
  const [rows, outside, texts] = [new Input<true>(() => false), new Outside(), new Input<string>()];
  const read = new Derived(rows, (_, read, key) => {
    read(outside, key);
    return [read(texts, "text")];
  });
  const changed = new Changes(read);
  const keys = () => {
    read.update();
    return changed.take().map(({ key }) => key);
  };
  rows.set("a", true);
  rows.set("b", true);
  const all = new Map([["text", "1"]]);
  expect([texts.replaceAll(all), keys()]).toEqual([["text"], ["a", "b"]]);
  outside.change(["b", "c"]);
  expect([texts.replaceAll(all), texts.replaceAll(new Map(all)), keys()]).toEqual([[], [], ["b"]]);
  expect([texts.replaceAll(new Map([["other", "2"]])), keys()]).toEqual([
    ["text", "other"],
    ["a", "b"],
  ]);
  // A row that is set again counts as changed.
  rows.set("a", true);
  expect([keys(), read.readsOf("a"), outside.readersOf("b")]).toEqual([
    ["a"],
    ["a", "text"],
    ["b"],
  ]);
});
