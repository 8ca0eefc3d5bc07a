import { fc } from "../support/fast-check.js";
import type { DslxTerm } from "../../src/api/alb.js";
import { compareStrings } from "../../src/support/collections.js";
import { epochSeconds } from "../../src/support/units.js";
import { type Rank, orderKey, specificity } from "../../src/translate/precedence.js";

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,6}[a-z0-9])?$/);
const timestamp = fc
  .date({ min: new Date("1970-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}Z`);

const term: fc.Arbitrary<DslxTerm> = fc.oneof(
  fc.record({
    type: fc.constant("HOST"),
    values: fc.constantFrom([["EQ", "a.example"]], [["ENDS_WITH", "*.example"]]),
  }),
  fc.record({
    type: fc.constant("URL"),
    values: fc.array(
      fc.tuple(fc.constantFrom("EQ", "STARTS_WITH", "REGEX"), fc.webPath()).map((row) => [...row]),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({ type: fc.constant("METHOD"), values: fc.constant([["EQ", "GET"]]) }),
);

const rank: fc.Arbitrary<Rank> = fc.record({
  class: fc.constantFrom("first" as const, "rule" as const, "default" as const),
  priority: fc.integer({ min: -5, max: 20 }),
  specificity: fc.array(term, { maxLength: 3 }).map(specificity),
  metadata: fc
    .tuple(name, name, fc.option(timestamp, { nil: undefined }))
    .map(([own, namespace, creationTimestamp]) => ({
      name: own,
      namespace,
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    })),
  position: fc.tuple(fc.nat(99), fc.nat(99)),
});

const CLASSES = ["first", "rule", "default"];

/** The order as the documentation says it, part by part. */
function compareRanks(a: Rank, b: Rank): number {
  const parts: readonly (readonly [number | string, number | string])[] = [
    [CLASSES.indexOf(a.class), CLASSES.indexOf(b.class)],
    [a.priority, b.priority],
    [-a.specificity.complexity, -b.specificity.complexity],
    [-a.specificity.length, -b.specificity.length],
    [age(a), age(b)],
    [a.metadata.namespace, b.metadata.namespace],
    [a.metadata.name, b.metadata.name],
    ...a.position.map((position, i) => [position, b.position[i] ?? 0] as const),
  ];
  const different = parts.find(([x, y]) => x !== y);
  return different === undefined ? 0 : different[0] < different[1] ? -1 : 1;
}

function age({ metadata }: Rank): number {
  const text = metadata.creationTimestamp;
  return text === undefined ? Number.POSITIVE_INFINITY : Date.parse(text);
}

describe("order keys", () => {
  it("compare in byte order as the ranks do", () => {
    fc.assert(
      fc.property(rank, rank, (a, b) => {
        expect(Math.sign(compareStrings(orderKey(a), orderKey(b)))).toBe(compareRanks(a, b));
      }),
      { numRuns: 500 },
    );
  });

  it("sort any list into one order, whatever order it had", () => {
    fc.assert(
      fc.property(
        fc.array(rank, { maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (ranks, stream) => {
          const keys = ranks.map(orderKey);
          const shuffled = keys
            .map((text) => [stream.next().value, text] as const)
            .sort(([a], [b]) => a - b)
            .map(([, text]) => text);
          expect(shuffled.sort(compareStrings)).toEqual([...keys].sort(compareStrings));
        },
      ),
    );
  });
});

describe("epochSeconds", () => {
  it("agrees with the runtime about every date", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (date, offset) => {
          const text = date.toISOString().replace(/Z$/, offsetText(offset));
          expect(epochSeconds(text)).toBe(Math.floor(date.getTime() / 1000) - offset * 60);
        },
      ),
    );
  });

  it.each(["", "yesterday", "2024-01-01", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00"])(
    "takes no %j",
    (text) => {
      expect(epochSeconds(text)).toBeUndefined();
    },
  );
});

function offsetText(minutes: number): string {
  const absolute = Math.abs(minutes);
  const [hours, rest] = [Math.floor(absolute / 60), absolute % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}
