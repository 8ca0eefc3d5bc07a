/** Objects with a typo. */
import { decode } from "../../src/input/decode.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../src/input/kind-table.js";
import { listItems } from "../../src/input/chunks.js";
import { fc } from "./fast-check.js";
import type { Json } from "./hostile-input.js";

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, Json>>;

const LETTERS = "abcdefghijklmnopqrstuvwxyz".split("");
/** Values of other types; what was written is lost, or stands in another shape. */
const WRONG: readonly ((value: Json) => Json)[] = [
  ...[5, true, "text", [], {}, null].map((wrong) => () => wrong),
  (value) => [value],
  (value) => ({ value }),
];
/** What users write who think of another field or of another API. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  annotations: ["labels"],
  labels: ["annotations"],
  auth: ["authentication", "authPolicy"],
  config: ["settings"],
  dslx: ["match", "matches"],
  filters: ["policies", "plugins"],
  hostnames: ["hosts", "host"],
  matches: ["match", "paths"],
  parentRefs: ["gateways", "parents"],
  rules: ["routes", "http"],
  targetRefs: ["targets", "target", "targetReferences", "parentRefs"],
};
const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

/** The value with one typo, alone or as the one item of a List. */
export function writtenWrong(value: Json): fc.Arbitrary<Json> {
  const list = { apiVersion: "v1", kind: "List", items: [value] };
  const isSame = (wrong: Json): boolean =>
    [value, list].some((right) => JSON.stringify(right) === JSON.stringify(wrong));
  return fc
    .oneof({ arbitrary: typo(value), weight: 4 }, { arbitrary: typo(list), weight: 1 })
    .filter((wrong) => !isSame(wrong));
}

/** The value with one typo, or as it is where that typo can't be made. */
function typo(value: Json): fc.Arbitrary<Json> {
  const keys = pathsOf(value).filter((path) => typeof path.at(-1) === "string");
  const entries = pathsOf(value).filter((path) => typeof path.at(-1) === "number");
  const at = fc.constantFrom(...keys);
  const misspelt = fc
    .tuple(at, fc.array(edit, { minLength: 1, maxLength: 2 }))
    .map(([path, edits]) =>
      renamed(
        value,
        path,
        edits.reduce((text, change) => change(text), String(path.at(-1))),
      ),
    );
  const inText = fc.oneof(
    fc
      .array(edit, { minLength: 1, maxLength: 2 })
      .map((edits) => (text: string) => edits.reduce((before, change) => change(before), text)),
    fc.constantFrom(upper, lower, otherTopLevel(".com")),
  );
  const header = fc
    .tuple(fc.subarray(["apiVersion", "kind"], { minLength: 1 }), inText, inText)
    .map(([fields, ...changes]) =>
      fields.reduce((before, field, i) => withText(before, [field], changes[i]), value),
    );
  const labels = pathsOf(value).filter((path) => path.at(-2) === "labels");
  const label = fc.tuple(fc.constantFrom(undefined, ...labels), edit).map(([path, change]) => {
    const written = path === undefined ? undefined : valueAt(value, path);
    return path !== undefined &&
      typeof written === "string" &&
      digitsOf(change(written)) === digitsOf(written)
      ? withText(value, path, change)
      : value;
  });
  const otherCase = fc
    .tuple(at, fc.constantFrom(...OTHER_FORMS))
    .map(([path, change]) => renamed(value, path, change(String(path.at(-1)))));
  const wrongType = fc
    .tuple(at, fc.constantFrom(...WRONG))
    .map(([path, wrong]) => otherType(value, path, wrong(valueAt(value, path) ?? null)));
  const brokenEntry = fc
    .tuple(fc.constantFrom(undefined, ...entries), fc.constantFrom<Json>(5, null, true, {}, []))
    .map(([path, wrong]) => (path === undefined ? value : otherType(value, path, wrong)));
  const up = at.map((path) => movedUp(value, path));
  const down = fc.tuple(at, fc.nat()).map(([path, n]) => movedDown(value, path, n));
  const worded = keys.filter((path) => Object.hasOwn(OTHER_WORDS, String(path.at(-1))));
  const otherWord = fc.tuple(fc.constantFrom(undefined, ...worded), fc.nat()).map(([path, n]) => {
    const words = OTHER_WORDS[String(path?.at(-1))] ?? [];
    return path === undefined ? value : renamed(value, path, words[n % words.length] ?? "");
  });
  const missing = at.map((path) => {
    const without = withoutField(value, path);
    // Without a label nothing says what it belongs to.
    if (path.includes("labels")) return without;
    // An object that may do without it says something else, and is none with a typo.
    return listItems(without).some((item) => decode(item.value, TABLE, []).result === "refused")
      ? without
      : value;
  });
  return fc.oneof(
    misspelt,
    header,
    label,
    otherCase,
    wrongType,
    brokenEntry,
    up,
    down,
    otherWord,
    missing,
  );
}

const edit: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.nat(),
    fc.constantFrom(...LETTERS),
    fc.constantFrom("delete", "insert", "replace", "swap"),
  )
  .map(([n, letter, kind]) => (text) => {
    const i = n % Math.max(1, text.length);
    const [head, tail] = [text.slice(0, i), text.slice(i)];
    if (kind === "delete" && text.length > 1) return head + tail.slice(1);
    if (kind === "insert") return head + letter + tail;
    if (kind === "swap" && tail.length > 1)
      return head + (tail[1] ?? "") + (tail[0] ?? "") + tail.slice(2);
    return head + letter + tail.slice(1);
  });

/** A label with another number names another port. */
const digitsOf = (text: string): string => text.replace(/\D/g, "");
const upper = (text: string): string => text.toUpperCase();
const lower = (text: string): string => text.toLowerCase();
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const otherTopLevel =
  (level: string) =>
  (text: string): string =>
    text.replace(/\.io\//, `${level}/`);
/** `auth-url` as `url` or `auth`. */
const firstWord = (text: string): string => text.replace(/(\/[^-]+)-.*/, "$1");
const lastWord = (text: string): string => text.replace(/\/.*-/, "/");
const snake = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const OTHER_FORMS: readonly ((text: string) => string)[] = [
  ...[upper, lower, capital, snake, firstWord, lastWord],
  ...[".com", ".dev", ".cloud", ""].map(otherTopLevel),
];

function typeOf(value: Json | undefined): string {
  return Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
}

/** Of every field and list entry. */
export function pathsOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Fields).flatMap(([key, inner]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...pathsOf(inner, here)];
  });
}

function valueAt(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (inner, step) => (inner as Fields | undefined)?.[step],
    value,
  );
}

/** A copy whose mapping or list at `path` was given to `change`. */
function changed(value: Json, path: Path, change: (inner: Json) => Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((item: Json, i) => (i === step ? changed(item, rest, change) : item));
  }
  const entries = Object.entries(value as Fields);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === step ? changed(inner, rest, change) : inner]),
  );
}

/** Charts print `annotations:` and `labels:` with nothing below where there are none; so an object without them is written. */
function isWrittenForNone(path: Path, wrong: Json): boolean {
  return wrong === null && ["annotations", "labels"].includes(String(path.at(-1)));
}

function withText(value: Json, path: Path, change: ((text: string) => string) | undefined): Json {
  const text = valueAt(value, path);
  return typeof text === "string" && change !== undefined
    ? withValue(value, path, change(text))
    : value;
}

function otherType(value: Json, path: Path, wrong: Json): Json {
  if (isWrittenForNone(path, wrong)) return value;
  return typeOf(valueAt(value, path)) === typeOf(wrong) ? value : withValue(value, path, wrong);
}

function withValue(value: Json, path: Path, other: Json): Json {
  return changed(value, path, () => other);
}

function withoutField(value: Json, path: Path): Json {
  return changed(value, path.slice(0, -1), (inner) =>
    Object.fromEntries(Object.entries(inner as Fields).filter(([key]) => key !== path.at(-1))),
  );
}

function renamed(value: Json, path: Path, name: string): Json {
  return changed(value, path.slice(0, -1), (inner) =>
    Object.fromEntries(
      Object.entries(inner as Fields).map(([key, item]) => [
        key === path.at(-1) ? name : key,
        item,
      ]),
    ),
  );
}

/** To the mapping around its own; what a list stands in counts as around. */
function movedUp(value: Json, path: Path): Json {
  const holders = path.slice(0, -1);
  const parent = holders.slice(
    0,
    Math.max(
      0,
      holders.findLastIndex((step) => typeof step === "string"),
    ),
  );
  const field = String(path.at(-1));
  if (holders.length === 0) return value;
  return added(withoutField(value, path), parent, field, valueAt(value, path) ?? null);
}

/** Into one of the mappings beside it. */
function movedDown(value: Json, path: Path, n: number): Json {
  const around = path.slice(0, -1);
  const siblings = pathsOf(valueAt(value, around) ?? null)
    .filter((below) => below[0] !== path.at(-1) && below.length <= 2)
    .map((below) => [...around, ...below])
    .filter((below) => typeOf(valueAt(value, below)) === "object");
  const target = siblings[n % Math.max(1, siblings.length)];
  if (target === undefined) return value;
  return added(
    withoutField(value, path),
    target,
    String(path.at(-1)),
    valueAt(value, path) ?? null,
  );
}

/** One that is there already stays, as a text with the key twice is no YAML. */
function added(value: Json, path: Path, field: string, item: Json): Json {
  const holder = valueAt(value, path);
  if (typeOf(holder) !== "object") return value;
  return changed(value, path, (inner) => ({ [field]: item, ...(inner as Fields) }));
}
