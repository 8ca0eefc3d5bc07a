/** The part of docs/scale.md that is written by hand: its arithmetic, from the code and from what the simulation of one shard measured. */
import { readFileSync } from "node:fs";
import { partByHand } from "../../e2e/bench/cluster/page.js";
import { KIND_NAMES } from "../../src/api/kinds.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../src/input/kind-table.js";

const PAGE = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const BY_HAND = partByHand(PAGE);
const TABLE = Object.values(kindTable(DEFAULT_INPUT_OPTIONS.albGroup));

const ROUTES = 1_000_000;
const GATEWAYS = 500;
const REPLICAS = 100;
const SHARDS = 50;
/** Seconds: kubernetes/kind-watch.ts and cluster-watch.ts. */
const [WATCH, DISCOVERY] = [15, 5];
const DAY = 24 * 3600;

/** The numbers of the cells of a row after the first cell, which starts with `name`. */
function row(text: string, name: string): readonly number[] {
  const line = text.split("\n").find((each) => each.startsWith(`| ${name}`));
  if (line === undefined) throw new Error(`no row: ${name}`);
  return line.split("|").slice(2, -1).map(numberIn);
}

/** The first number of a text. */
function numberIn(text: string): number {
  return Number(/[\d,.]*\d/.exec(text)?.[0].replaceAll(",", ""));
}

function inText(pattern: RegExp): number {
  const found = pattern.exec(BY_HAND.replaceAll("\n", " "))?.[1];
  if (found === undefined) throw new Error(`not in the text: ${String(pattern)}`);
  return numberIn(found);
}

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

test("its shards are those of the title", () => {
  expect(BY_HAND).toContain("### 1,000,000 routes, 500 Gateways, 100 replicas");
  expect(inText(/([\d,]+) shards of/)).toBe(SHARDS);
  expect(inText(/shards of ([\d,]+) HTTPRoutes/)).toBe(ROUTES / SHARDS);
  expect(inText(/HTTPRoutes and ([\d,]+) Gateways, each with two replicas/)).toBe(
    GATEWAYS / SHARDS,
  );
  expect(REPLICAS / SHARDS).toBe(2);
});

test("the API server sees a watch for each kind, and a read for each group and version", () => {
  const kinds = KIND_NAMES.length;
  const versions = TABLE.flatMap(({ group, versions }) => versions.map((one) => `${group}/${one}`));
  const reads = new Set(versions).size;
  expect(BY_HAND).toContain(`one for each of ${String(kinds)} kinds`);
  expect(BY_HAND).toContain(
    `at most ${String(reads)} groups and versions every ${String(DISCOVERY)} s`,
  );
  expect(BY_HAND).toContain(
    `each of the ${String(TABLE.filter(({ namespaced }) => namespaced).length)} kinds that have a namespace`,
  );
  expect(row(BY_HAND, "watches, one")).toEqual([kinds, kinds * REPLICAS]);
  const restarts = kinds / WATCH;
  expect(row(BY_HAND, "watches that restart")).toEqual([restarts, restarts * REPLICAS]);
  const each = reads / DISCOVERY;
  expect(row(BY_HAND, "reads of served kinds")).toEqual([each, Math.round(each * REPLICAS)]);
});

test("a replica receives its own objects at a start, and all of them without selectors", () => {
  const [own, backends] = [ROUTES / SHARDS, ROUTES];
  const gateways = GATEWAYS / SHARDS;
  const both = (objects: number) => [objects, objects * REPLICAS];
  expect(row(BY_HAND, "objects that it receives")).toEqual(both(3 * own + gateways));
  expect(row(BY_HAND, "the same without")).toEqual(both(own + gateways + 2 * backends));
  expect(row(BY_HAND, "the same with neither")).toEqual(both(3 * ROUTES + GATEWAYS));
});

test("changes of endpoints and the API server's work for statuses", () => {
  const changes = (10 * ROUTES) / DAY;
  const [one = NaN, all] = row(BY_HAND, "changes of EndpointSlices");
  expect(one).toBe(rounded(changes / SHARDS, 2));
  expect(all).toBe(Math.round(one * REPLICAS));
  const write =
    (inText(/costs the API server [\d.]+ to ([\d.]+) ms/) + inText(/etcd ([\d.]+) ms/)) / 1000;
  expect(inText(/cost ([\d]+) minutes of one processor/)).toBeCloseTo((ROUTES * write) / 60, -1);
});

test("one shard was simulated: its memory and its rate of changes are enough", () => {
  const sizes = row(PAGE, "HTTPRoutes |");
  expect(sizes.at(-1)).toBe(ROUTES / SHARDS);
  // Of the others' objects it watches none.
  expect(row(PAGE, "EndpointSlices that albc watches").at(-1)).toBe(ROUTES / SHARDS);
  const peak = Number(/\((\d+)\) \|$/m.exec(lineOf("memory after all changes"))?.[1]);
  expect((peak * REPLICAS) / 1024 / inText(/replicas need ([\d]+) GiB/)).toBeCloseTo(1, 0);
});

function lineOf(name: string): string {
  return PAGE.split("\n").find((line) => line.startsWith(`| ${name}`)) ?? "";
}
