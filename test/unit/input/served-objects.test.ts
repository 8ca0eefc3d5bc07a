import { refKey } from "../../../src/diagnostics/diagnostic.js";
import { type SourceReading, canEdit, readSource } from "../../../src/input/documents.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../../src/input/kind-table.js";
import {
  type ServedObjects,
  changedReadings,
  chosenFromAll,
  chosenLocally,
  valueNow,
} from "../../../src/input/served-objects.js";
import type { TextEdit } from "../../../src/input/text-locator.js";
import { commonEnds } from "../../../src/support/collections.js";
import { SharedMap } from "../../../src/support/shared-map.js";

const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);
const NOTHING: ServedObjects = {
  choice: { objects: [], refused: [] },
  byKey: SharedMap.of(),
  closed: [],
  refusedKeys: undefined,
};

type Files = Readonly<Record<string, string>>;

/** A ConfigMap as `name=value`; the value `refused` is one that an API server refuses. */
function configMap(text: string): string {
  const [name = "", value = ""] = text.split("=");
  const data = value === "refused" ? "[]" : `{v: "${value}"}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: ${data}\n`;
}

/** The readings of files with ConfigMaps, of which unchanged documents are not parsed again. */
function readAll(files: Files, before: readonly SourceReading[] = []): readonly SourceReading[] {
  return Object.entries(files).map(([path, maps]) => {
    const text = maps.includes("[") ? maps : maps.split(" ").map(configMap).join("---\n");
    const known = before.find((reading) => reading.path === path);
    if (known === undefined || !canEdit(known)) return readSource({ path, text }, TABLE);
    const old = known.chunks.map((chunk) => chunk.text).join("");
    return old === text ? known : readSource({ path, edit: editBetween(old, text) }, TABLE, known);
  });
}

function editBetween(before: string, now: string): TextEdit {
  const { start, end } = commonEnds(Array.from(before), Array.from(now));
  return { start, end: before.length - end, text: now.slice(start, now.length - end) };
}

const pathsOf = (list: readonly SourceReading[]) =>
  SharedMap.of(list.map((reading) => [reading.path, reading] as const));

/** The objects of a choice as `name=value`. */
function servedBy({ byKey }: ServedObjects): readonly string[] {
  return [...byKey.values()]
    .map(({ entry: { object } }) => {
      const { v = "" } = "data" in object ? object.data : {};
      return `${object.metadata.name}=${v}`;
    })
    .sort();
}

/** What is chosen after `before`, from the changed documents alone and from all. */
function both(before: Files, now: Files) {
  const list = readAll(before);
  const previous = chosenFromAll(NOTHING, list);
  const next = readAll(now, list);
  const all = chosenFromAll(previous, next);
  const local = chosenLocally(previous, changedReadings(list, next), pathsOf(next));
  return { previous, all, local };
}

type Chosen = ReturnType<typeof chosenFromAll>;
const changesOf = ({ changes }: Chosen): readonly string[] =>
  changes.map(({ name, now }) => (now === undefined ? `-${name}` : `+${name}`)).sort();

describe("a change that concerns single objects", () => {
  it.each<[string, Files, Files, readonly string[]]>([
    ["none", { f: "a=1" }, { f: "a=1" }, []],
    ["an edit", { f: "a=1 b=1" }, { f: "a=1 b=2" }, ["+b"]],
    ["a new one", { f: "a=1" }, { f: "a=1 b=1" }, ["+b"]],
    ["one less", { f: "a=1 b=1" }, { f: "a=1" }, ["-b"]],
    ["a new file", { f: "a=1" }, { f: "a=1", g: "b=1" }, ["+b"]],
    ["a file less", { f: "a=1", g: "b=1" }, { f: "a=1" }, ["-b"]],
    ["another order", { f: "a=1 b=1 c=1" }, { f: "a=1 c=1 b=1" }, []],
    ["a move", { f: "a=1 b=1", g: "c=1" }, { f: "a=1", g: "c=1 b=1" }, ["+b"]],
    ["another name", { f: "a=1" }, { f: "b=1" }, ["+b", "-a"]],
  ])("such as %s is chosen from its documents, as if from all", (_what, before, now, changes) => {
    const { all, local } = both(before, now);
    expect(local).toBeDefined();
    if (local === undefined) return;
    expect(changesOf(local)).toEqual(changes);
    expect(servedBy(local)).toEqual(servedBy(all));
    expect(local.choice.objects).toHaveLength(all.choice.objects.length);
    expect([local.diagnostics, local.stale]).toEqual([[], []]);
  });
});

describe("where others may matter", () => {
  it.each<[string, Files, Files]>([
    ["a second object of a name", { f: "a=1", g: "b=1" }, { f: "a=1", g: "b=1 a=2" }],
    ["two new ones of a name", { f: "b=1" }, { f: "b=1 a=1 a=1" }],
    ["an object that becomes invalid", { f: "a=1" }, { f: "a=refused" }],
    ["a broken file", { f: "a=1" }, { f: "[" }],
    ["a broken file that is mended", { f: "[" }, { f: "a=1" }],
    ["a second object that is removed", { f: "a=1 a=2" }, { f: "a=1" }],
    [
      "an object of a refused one's name",
      { f: "a=refused", g: "b=1" },
      { f: "a=refused", g: "a=1" },
    ],
    ["a refused one that is mended", { f: "a=refused b=1" }, { f: "a=1 b=1" }],
  ])("as with %s, all are looked at", (_what, before, now) => {
    expect(both(before, now).local).toBeUndefined();
  });

  it("as with objects that come from no file, all are looked at", () => {
    const objects = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }];
    const list = [readSource({ path: "", objects }, TABLE)];
    const next = readAll({ f: "b=1" });
    const previous = chosenFromAll(NOTHING, list);
    expect(previous.refusedKeys).toEqual(new Set());
    const changed = changedReadings(list, next);
    expect(chosenLocally(previous, changed, pathsOf(next))).toBeUndefined();
    expect(changesOf(chosenFromAll(previous, next))).toEqual(["+b", "-a"]);
  });

  it("other objects can still be chosen alone while one is refused from the start", () => {
    const { local } = both({ f: "a=refused", g: "b=1" }, { f: "a=refused", g: "b=2" });
    expect(local && servedBy(local)).toEqual(["b=2"]);
    expect(local && [...(local.refusedKeys ?? [])]).toEqual([
      refKey({ kind: "ConfigMap", namespace: "default", name: "a" }),
    ]);
  });
});

describe("a choice from all", () => {
  it("serves the first of two objects and reports the other one", () => {
    const { all } = both({}, { f: "a=1", g: "a=2" });
    expect(servedBy(all)).toEqual(["a=1"]);
    expect(all.diagnostics.map(({ code, location }) => [code, location?.file])).toEqual([
      ["OBJECT_DUPLICATE", "g"],
    ]);
  });

  it("keeps the last good content, which it names and which is no change", () => {
    const { all } = both({ f: "a=1 b=1" }, { f: "a=refused b=2" });
    expect(servedBy(all)).toEqual(["a=1", "b=2"]);
    expect(all.stale.map(({ name }) => name)).toEqual(["a"]);
    expect(changesOf(all)).toEqual(["+b"]);
  });

  it("forgets what is gone", () => {
    expect(changesOf(both({ f: "a=1", g: "b=1" }, { f: "a=1" }).all)).toEqual(["-b"]);
  });
});

test("the changed readings are those that only one of the lists has, wherever they stand", () => {
  const [a, b, c, d] = ["a=1", "b=1", "c=1", "d=1"].map((maps) => readAll({ f: maps })[0]);
  if (!a || !b || !c || !d) throw new Error("no readings");
  expect(changedReadings([a, b, c], [a, d, c])).toEqual({ before: [b], now: [d] });
  expect(changedReadings([a, b, c], [c, b, a])).toEqual({ before: [], now: [] });
  expect(changedReadings([a, b, c], [d, c, a])).toEqual({ before: [b], now: [d] });
});

test("an object is found at the lines where its file has it now", () => {
  const before = readAll({ f: "a=1 b=1" });
  const [, b] = chosenFromAll(NOTHING, before).choice.objects;
  if (b === undefined) throw new Error("no object");
  const lineIn = (list: readonly SourceReading[]) =>
    valueNow(b, pathsOf(list)).locate(["metadata", "name"])?.line;
  expect(lineIn(before)).toBe(8);
  expect(lineIn(readAll({ f: "x=1 a=1 b=1" }, before))).toBe(13);
  // Its own text is used where the file no longer has it.
  expect([lineIn(readAll({ f: "a=1" }, before)), lineIn([])]).toEqual([8, 8]);
  // Of equal documents the first one is served.
  expect(lineIn(readAll({ f: "a=1 x=1 b=1 b=1" }, readAll({ f: "a=1 b=1 c=1" }, before)))).toBe(13);
});
