/**
 * Compiling costs what the input is long: twice of anything takes twice the time, and a byte of it not many times what a byte of plain
 * paths takes. A long run (ALBC_PROPERTY_SECONDS) tries larger pairs, too.
 */
import type { KindName } from "../../src/api/kinds.js";
import type { KubernetesObject } from "../../src/api/wire.js";
import { Compiler, compile } from "../../src/compile.js";
import { formatText } from "../../src/diagnostics/format.js";
import { MOST_OF_OBJECT } from "../../src/diagnostics/sink.js";
import { type LoadResult, loadResources, resourcesFromObjects } from "../../src/input/load.js";
import { LiveObjects } from "../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import {
  COMPAT,
  COSTLY_INGRESSES,
  COSTLY_RULES,
  type Costly,
  type Manifest,
  plainPaths,
} from "../support/costly-objects.js";
import { COSTLY_HEADERS } from "../support/costly-headers.js";
import { COSTLY_PAIRS } from "../support/costly-pairs.js";
import { COSTLY_ROUTES } from "../support/costly-routes.js";
import { COSTLY_TEXTS } from "../support/costly-texts.js";
import { fc, runs, SECONDS, timeoutOf } from "../support/fast-check.js";

/** Factor of the smaller of two inputs. */
const FACTOR = 500;
/**
 * Times plain paths, for a byte. A second for a megabyte is 4; half as much again is for noise, since both times are of small inputs and
 * vary by a fifth each on a loaded machine.
 */
const DEAREST = 6;
/** Of the cost of a byte, when the input is doubled; 2 is quadratic. What is below so many milliseconds is noise. */
const STEEPEST = 1.6;
const NOISE = 40;

interface Work {
  readonly bytes: number;
  readonly run: () => void;
}

function compiled({ resources, diagnostics }: LoadResult): void {
  const found = compile(resources, DEFAULT_OPTIONS).diagnostics;
  formatText([...diagnostics, ...found], { colours: false });
}

function ofObjects(objects: readonly unknown[]): Work {
  const bytes = JSON.stringify(objects).length;
  return {
    bytes,
    run: () => {
      compiled(resourcesFromObjects(objects));
    },
  };
}

function ofText(text: string): Work {
  return {
    bytes: text.length,
    run: () => {
      compiled(loadResources([{ path: "x.yaml", text }]));
    },
  };
}

/** An annotation of the last object comes and goes. Only that object counts as input. */
function ofEdits(objects: readonly Manifest[]): Work {
  const live = new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
  const compiler = new Compiler();
  const last = objects.at(-1);
  let count = 0;
  const put = (object: unknown): void => {
    const { kind, metadata } = object as Pick<KubernetesObject, "kind" | "metadata">;
    live.put(kind as KindName, metadata.namespace, metadata.name, object);
  };
  const run = (): void => {
    const annotations = { [`${COMPAT}/proxy-body-size`]: `${(count += 1) % 2}m` };
    put({ ...last, metadata: { ...(last?.["metadata"] as object), annotations } });
    compiler.compile(live.snapshot().resources, DEFAULT_OPTIONS);
  };
  objects.forEach(put);
  run();
  return { bytes: JSON.stringify(last).length, run };
}

const OBJECTS: Costly = {
  ...COSTLY_INGRESSES,
  ...COSTLY_ROUTES,
  ...COSTLY_RULES,
  ...COSTLY_PAIRS,
  ...COSTLY_HEADERS,
};
const CASES = new Map<string, (n: number) => Work>([
  ...Object.entries(OBJECTS).map(
    ([name, make]) => [name, (n: number) => ofObjects(make(n))] as const,
  ),
  ...Object.entries(OBJECTS)
    .filter(([name]) => / that several .* have$/.test(name))
    .map(([name, make]) => [`one annotation of ${name}`, (n: number) => ofEdits(make(n))] as const),
  ...Object.entries(COSTLY_TEXTS).map(
    ([name, make]) => [`a text of ${name}`, (n: number) => ofText(make(n))] as const,
  ),
]);

/** Milliseconds of CPU. */
function cpu(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

interface Costs {
  /** Milliseconds for the larger input. */
  readonly took: number;
  readonly growth: number;
  /** A byte of it, in bytes of plain paths. */
  readonly dearness: number;
}

/** The best of some rounds, since other processes only add; the first that is good enough is the last. */
function measured(make: (n: number) => Work, factor: number): Costs {
  const [plain, small, large] = [ofObjects(plainPaths(2 * factor)), make(factor), make(2 * factor)];
  let best: readonly [number, number, number] = [Infinity, Infinity, Infinity];
  let costs: Costs = { took: Infinity, growth: Infinity, dearness: Infinity };
  for (let round = 0; round < 12 && !isFine(costs); round++) {
    const [a, b, c] = best;
    best = [Math.min(a, cpu(plain.run)), Math.min(b, cpu(small.run)), Math.min(c, cpu(large.run))];
    const [ofPlain, ofSmall, ofLarge] = [
      best[0] / plain.bytes,
      best[1] / small.bytes,
      best[2] / large.bytes,
    ];
    costs = { took: best[2], growth: ofLarge / ofSmall, dearness: ofLarge / ofPlain };
  }
  return costs;
}

function isFine({ took, growth, dearness }: Costs): boolean {
  return took < NOISE || (growth < STEEPEST && dearness < DEAREST);
}

test.each([...CASES.keys()])("%s", (name) => {
  const make = CASES.get(name);
  if (make === undefined) throw new Error(name);
  const costs = measured(make, FACTOR);
  expect(isFine(costs) ? "fine" : costs).toBe("fine");
});

test("10,000 problems of one object are a few in the text", () => {
  const text = COSTLY_TEXTS["fields that are unknown"]?.(2500) ?? "";
  const { diagnostics } = loadResources([{ path: "x.yaml", text }]);

  expect(diagnostics).toHaveLength(MOST_OF_OBJECT + 1);
  expect(diagnostics.find(({ code }) => code === "PROBLEMS_NOT_LISTED")?.message).toBe(
    "9951 more problems of this object are not listed",
  );
});

test(
  "two together, of any size",
  () => {
    const part = fc.constantFrom(...Object.keys(OBJECTS));
    fc.assert(
      fc.property(
        part,
        part,
        fc.integer({ min: 200, max: SECONDS > 0 ? 3000 : 400 }),
        (one, other, factor) => {
          const make = (n: number): Work =>
            ofObjects([...(OBJECTS[one]?.(n) ?? []), ...(OBJECTS[other]?.(n) ?? [])]);
          const costs = measured(make, factor);
          expect(isFine(costs) ? "fine" : costs).toBe("fine");
        },
      ),
      { ...runs(3), endOnFailure: true },
    );
  },
  timeoutOf(60_000),
);
