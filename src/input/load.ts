/**
 * Manifests → Resources, once or again after each change. A file or object that becomes unreadable keeps its last good content, and
 * unchanged text is not parsed again. Pure: state in, state out.
 */
import { type Diagnostic, type ResourceRef, refKey } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import { compareBy, compareStrings, groupBy, sameElements } from "../support/collections.js";
import type { UnknownKind } from "./decode.js";
import { type Chunk, type Source, type SourceReading, readSource } from "./documents.js";
import {
  DEFAULT_INPUT_OPTIONS,
  type InputOptions,
  type KindTable,
  kindTable,
} from "./kind-table.js";
import {
  type Choice,
  ObjectChoice,
  type PlacedObject,
  isWithin,
  withUniqueNames,
} from "./last-good.js";
import { type ObjectChange, ObjectStore } from "./object-store.js";
import type { Resources } from "./resources.js";

export type LoadResult = Pick<Advance, "resources" | "diagnostics" | "unknownKinds" | "objects">;

/** Reads the sources in their order; of two objects with one name the first stays. */
export function loadResources(
  sources: readonly Source[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  const { resources, diagnostics, unknownKinds, objects } = advance(initialInput(options), sources);
  return { resources, diagnostics, unknownKinds, objects };
}

/** Reads a text with manifests, as a file would contain it. */
export function resourcesFromYaml(
  text: string,
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  return loadResources([{ path: "<text>", text }], options);
}

/** Reads objects as an API server returns them. */
export function resourcesFromObjects(
  objects: readonly unknown[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  return loadResources([{ path: "", objects }], options);
}

/** What one reading passes to the next. */
export interface InputState {
  readonly table: KindTable;
  /** By path. */
  readonly readings: ReadonlyMap<string, SourceReading>;
  readonly choice: Choice;
  /** The objects in the store. */
  readonly byKey: ReadonlyMap<string, PlacedObject>;
  readonly store: ObjectStore;
  readonly diagnostics: { readonly all: readonly Diagnostic[]; sorted: readonly Diagnostic[] };
  /** Paths of the files whose content was once known, including those without objects. */
  readonly known: ReadonlySet<string>;
}

export interface Advance {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
  /** How many objects there are of each kind that is not read; sorted by apiVersion and kind. */
  readonly unknownKinds: readonly { apiVersion: string; kind: string; count: number }[];
  /** The number of objects of kinds that are read, including refused ones. */
  readonly objects: number;
  /** For the next reading. */
  readonly state: InputState;
  /** Objects that are served with their last good content. */
  readonly stale: readonly ResourceRef[];
  /** Paths whose content was never known: they can't be read or parsed, or contain an object that can't be identified. */
  readonly unreadable: readonly string[];
}

export function initialInput(options: InputOptions): InputState {
  return {
    table: kindTable(options.albGroup),
    readings: new Map(),
    choice: { objects: [], refused: [] },
    byKey: new Map(),
    store: ObjectStore.EMPTY,
    diagnostics: { all: [], sorted: [] },
    known: new Set(),
  };
}

/** `sources`: all that there are now, in the order that decides between two objects with one name. */
export function advance(previous: InputState, sources: readonly Source[]): Advance {
  const readings = readAll(previous, sources);
  const choice = new ObjectChoice(previous.choice, readings);
  const { objects, refused, stale } = choice;
  const { byKey, diagnostics: duplicates } = withUniqueNames(objects);
  const store = previous.store.with(changesOf(previous.byKey, byKey));
  const all = [
    ...readings.flatMap((reading) => reading.diagnostics),
    ...choice.diagnostics,
    ...duplicates,
  ];
  const isSame = sameElements(all, previous.diagnostics.all);
  const diagnostics = isSame ? previous.diagnostics : { all, sorted: sortDiagnostics(all) };
  const { known, unreadable } = sortPaths(readings, previous.known);
  return {
    resources: store.resources(
      refused.map(({ ref }) => ref),
      (ref, field) => byKey.get(refKey(ref))?.value.locate(field),
    ),
    diagnostics: diagnostics.sorted,
    unknownKinds: countUnknownKinds(readings.flatMap((reading) => reading.unknown)),
    objects: readings.reduce((sum, reading) => sum + reading.values.length, 0),
    stale: [...stale]
      .filter(({ key, value }) => byKey.get(key)?.value === value)
      .map(({ ref }) => ref),
    unreadable,
    state: {
      table: previous.table,
      readings: new Map(readings.map((reading) => [reading.path, reading])),
      choice: { objects, refused },
      ...{ byKey, store, diagnostics, known },
    },
  };
}

/** Reuses the readings of unchanged texts. In a changed text only the changed documents are parsed again. */
function readAll(
  { readings, table }: InputState,
  sources: readonly Source[],
): readonly SourceReading[] {
  let moved: ReadonlyMap<string, Chunk> | undefined;
  return sources.map((source) => {
    const known = readings.get(source.path);
    if (known !== undefined && "text" in source && known.text === source.text) return known;
    return readSource(source, table, (parts) => {
      if (known !== undefined) return unchangedChunks(parts, known.chunks);
      // A file that is new here may have been renamed.
      moved ??= byText([...readings.values()].flatMap(({ chunks }) => chunks));
      const chunks = moved;
      return parts.map((part) => chunks.get(part));
    });
  });
}

/** Compares the parts at both ends, and looks up the rest: hashing the text of a large file takes longer than parsing one document. */
function unchangedChunks(
  parts: readonly string[],
  before: readonly Chunk[],
): readonly (Chunk | undefined)[] {
  const shorter = Math.min(parts.length, before.length);
  let start = 0;
  while (start < shorter && parts[start] === before[start]?.text) start += 1;
  let end = 0;
  while (end < shorter - start && parts.at(-1 - end) === before.at(-1 - end)?.text) end += 1;
  const changed = byText(before.slice(start, before.length - end));
  const middle = parts.slice(start, parts.length - end).map((part) => changed.get(part));
  return [...before.slice(0, start), ...middle, ...before.slice(before.length - end)];
}

function byText(chunks: readonly Chunk[]): ReadonlyMap<string, Chunk> {
  return new Map(chunks.map((chunk) => [chunk.text, chunk]));
}

function changesOf(
  before: ReadonlyMap<string, PlacedObject>,
  now: ReadonlyMap<string, PlacedObject>,
): readonly ObjectChange[] {
  const changes: ObjectChange[] = [];
  for (const [key, { entry }] of now) {
    if (before.get(key)?.entry.object === entry.object) continue;
    const { namespace, name } = entry.object.metadata;
    changes.push({ kind: entry.kind, namespace, name, now: entry });
  }
  for (const [key, { entry }] of before) {
    if (now.has(key)) continue;
    const { namespace, name } = entry.object.metadata;
    changes.push({ kind: entry.kind, namespace, name });
  }
  return changes;
}

function countUnknownKinds(values: readonly UnknownKind[]): Advance["unknownKinds"] {
  const groups = groupBy(values, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const counts = [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ apiVersion: first.apiVersion, kind: first.kind, count: others.length + 1 }],
  );
  return counts.sort(
    compareBy(
      (a, b) => compareStrings(a.apiVersion, b.apiVersion),
      (a, b) => compareStrings(a.kind, b.kind),
    ),
  );
}

/** A file whose content was once known stays known while it is broken: its last good content is served. */
function sortPaths(
  readings: readonly SourceReading[],
  known: ReadonlySet<string>,
): Pick<Advance, "unreadable"> & Pick<InputState, "known"> {
  const [good, broken] = [new Set<string>(), new Set<string>()];
  for (const { path, unidentified } of readings) (unidentified ? broken : good).add(path);
  if (broken.size === 0) return { known: good, unreadable: [] };
  const places = [...broken];
  const kept = [...known].filter((path) => places.some((place) => isWithin(path, place)));
  return {
    known: new Set([...good, ...kept]),
    unreadable: places.filter((place) => !kept.some((path) => isWithin(path, place))),
  };
}
