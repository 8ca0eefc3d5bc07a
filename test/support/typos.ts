/** Objects that are written wrong. */
import { fc } from "./fast-check.js";
import type { Json } from "./hostile-input.js";

type Path = readonly string[];
type Fields = Readonly<Record<string, Json>>;
type Entry = readonly [key: string, value: Json];

const WRONG: readonly Json[] = [5, true, "text", null, [], {}, [5], { value: 5 }];
const LETTERS = ["a", "S", "_", "/", ":", ""];

/** The value with one mistake, alone or as the one item of a List. Some mistakes make another valid object, or the same one. */
export function writtenWrong(value: Json): fc.Arbitrary<Json> {
  const list = { apiVersion: "v1", kind: "List", items: [value] };
  return fc.oneof(
    { arbitrary: withMistake(value), weight: 4 },
    { arbitrary: withMistake(list), weight: 1 },
  );
}

/** A field or text is misspelt, a value is another, or missing. */
function withMistake(value: Json): fc.Arbitrary<Json> {
  const misspelt = fc
    .tuple(fc.nat(), fc.constantFrom(...LETTERS))
    .map(([n, letter]) => (text: string) => {
      const i = n % Math.max(1, text.length);
      return text.slice(0, i) + letter + text.slice(i + (n % 2));
    });
  const mistake = fc.oneof(
    misspelt.map((change) => ([key, inner]: Entry): readonly Entry[] => [[change(key), inner]]),
    misspelt.map((change) => ([key, inner]: Entry): readonly Entry[] => [
      [key, typeof inner === "string" ? change(inner) : inner],
    ]),
    fc.constantFrom(...WRONG).map((wrong) => ([key]: Entry): readonly Entry[] => [[key, wrong]]),
    fc.constant((): readonly Entry[] => []),
  );
  return fc
    .tuple(fc.constantFrom(...pathsOf(value)), mistake)
    .map(([path, change]) => changed(value, path, change));
}

/** Of every field and list entry. */
function pathsOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Fields).flatMap(([key, inner]) => {
    const here = [...path, key];
    return [here, ...pathsOf(inner, here)];
  });
}

/** A copy in which `change` has replaced the entry at `path`. */
function changed(value: Json, path: Path, change: (entry: Entry) => readonly Entry[]): Json {
  const [step, ...rest] = path;
  const entries = Object.entries(value as Fields).flatMap(([key, inner]): readonly Entry[] => {
    if (key !== step) return [[key, inner]];
    return rest.length === 0 ? change([key, inner]) : [[key, changed(inner, rest, change)]];
  });
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
