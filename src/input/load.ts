/**
 * Manifests → Resources, once or again after each change. A file or object that becomes unreadable keeps its last good content, and
 * unchanged text is not parsed again. Pure: state in, state out.
 */
import { type Diagnostic, type ResourceRef, refKey } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import { compareBy, compareStrings, groupBy, sameElements } from "../support/collections.js";
import { SharedMap } from "../support/shared-map.js";
import type { PromisedSecret } from "./assumed.js";
import type { UnknownKind } from "./decode.js";
import type { Chunk } from "./chunks.js";
import { type Source, type SourceReading, canEdit, isSameSource, readSource } from "./documents.js";
import {
  DEFAULT_INPUT_OPTIONS,
  type InputOptions,
  type KindTable,
  kindTable,
} from "./kind-table.js";
import { closedDiagnostic, isWithin } from "./last-good.js";
import { type ObjectChange, ObjectStore } from "./object-store.js";
import {
  type Readings,
  type ServedObjects,
  changedReadings,
  chosenFromAll,
  chosenLocally,
  chunksOf,
  valueNow,
} from "./served-objects.js";
import type { Resources } from "./resources.js";

export type LoadResult = Pick<
  Advance,
  "resources" | "diagnostics" | "unknownKinds" | "objects" | "promised"
>;

/** Reads the sources in their order; of two objects with one name the first stays. */
export function loadResources(
  sources: readonly Source[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  const { resources, diagnostics, unknownKinds, objects, promised } = advance(
    initialInput(options),
    sources,
  );
  return { resources, diagnostics, unknownKinds, objects, promised };
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
export interface InputState extends ServedObjects {
  readonly table: KindTable;
  readonly readings: Readings;
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
  /** Secrets that objects of kinds that are not read make, such as SealedSecrets. */
  readonly promised: readonly PromisedSecret[];
  /** The number of objects of kinds that are read, including refused ones. */
  readonly objects: number;
  /** From the previous reading to this one. */
  readonly changes: readonly ObjectChange[];
  /** For the next reading. */
  readonly state: InputState;
  /** Objects that are served with their last good content. */
  readonly stale: readonly ResourceRef[];
  /** Paths whose content was never known: they can't be read or parsed, or contain an object that can't be identified. */
  readonly unreadable: readonly string[];
  /** Those paths, and the ones of which the last known content is served. */
  readonly broken: readonly string[];
}

export function initialInput(options: InputOptions): InputState {
  return {
    table: kindTable(options.albGroup),
    readings: { list: [], byPath: SharedMap.of() },
    ...{ choice: { objects: [], refused: [] }, closed: [] },
    byKey: SharedMap.of(),
    refusedKeys: undefined,
    store: ObjectStore.EMPTY,
    diagnostics: { all: [], sorted: [] },
    known: new Set(),
  };
}

/** `sources`: all that there are now, in the order that decides between two objects with one name. */
export function advance(previous: InputState, sources: readonly Source[]): Advance {
  const list = readAll(previous, sources);
  const changed = changedReadings(previous.readings.list, list);
  const byPath = previous.readings.byPath.with([
    ...changed.before.map(({ path }) => [path, undefined] as const),
    ...changed.now.map((reading) => [reading.path, reading] as const),
  ]);
  const chosen = chosenLocally(previous, changed, byPath) ?? chosenFromAll(previous, list);
  const { choice, closed, byKey, changes, refusedKeys } = chosen;
  const store = previous.store.with(changes);
  const all = [
    ...list.flatMap(({ diagnostics }) => diagnostics),
    ...closed.flatMap((each) => {
      const location = valueNow(each, byPath).locate(["metadata", "name"]);
      return closedDiagnostic(each.entry, each.ref, location) ?? [];
    }),
    ...chosen.diagnostics,
  ];
  const isSame = sameElements(all, previous.diagnostics.all);
  const diagnostics = isSame ? previous.diagnostics : { all, sorted: sortDiagnostics(all) };
  const { known, unreadable, broken } = sortPaths(list, previous.known);
  const unknown = list.flatMap((reading) => reading.unknown);
  return {
    resources: store.resources(
      choice.refused.map(({ ref }) => ref),
      (ref, field, at) => {
        const object = byKey.get(refKey(ref));
        return object && valueNow(object, byPath).locate(field, at);
      },
    ),
    diagnostics: diagnostics.sorted,
    unknownKinds: countUnknownKinds(unknown),
    promised: unknown.flatMap(({ promised = [] }) => promised),
    objects: list.reduce((sum, reading) => sum + reading.size, 0),
    stale: chosen.stale,
    ...{ unreadable, broken, changes },
    state: {
      ...{ table: previous.table, readings: { list, byPath }, choice, closed },
      ...{ byKey, refusedKeys, store, diagnostics, known },
    },
  };
}

/** Whether an edit of this source can be read next (see Source). */
export function mayBeEdited({ readings }: InputState, source: Source): boolean {
  const known = readings.byPath.get(source.path);
  return known?.source === source && canEdit(known);
}

/** Reuses the readings of unchanged texts. In a changed text only the changed documents are parsed again. */
function readAll(
  { readings: { list, byPath }, table }: InputState,
  sources: readonly Source[],
): readonly SourceReading[] {
  let moved: ReadonlyMap<string, Chunk> | undefined;
  return sources.map((source) => {
    const known = byPath.get(source.path);
    if (known !== undefined && isSameSource(known.source, source)) return known;
    return readSource(source, table, known, (parts) => {
      // A file that is new here may have been renamed.
      moved ??= byText(goneReadings(list, sources).flatMap(chunksOf));
      const chunks = known === undefined ? moved : byText(known.chunks);
      return parts.map((part) => chunks.get(part));
    });
  });
}

/** The readings of sources that are gone. */
function goneReadings(
  list: readonly SourceReading[],
  sources: readonly Source[],
): readonly SourceReading[] {
  const paths = new Set(sources.map(({ path }) => path));
  return list.filter(({ path }) => !paths.has(path));
}

function byText(chunks: readonly Chunk[]): ReadonlyMap<string, Chunk> {
  return new Map(chunks.map((chunk) => [chunk.text, chunk]));
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
): Pick<Advance, "unreadable" | "broken"> & Pick<InputState, "known"> {
  const [good, broken] = [new Set<string>(), new Set<string>()];
  for (const { path, unidentified } of readings) (unidentified ? broken : good).add(path);
  if (broken.size === 0) return { known: good, unreadable: [], broken: [] };
  const places = [...broken];
  const kept = [...known].filter((path) => places.some((place) => isWithin(path, place)));
  return {
    known: new Set([...good, ...kept]),
    unreadable: places.filter((place) => !kept.some((path) => isWithin(path, place))),
    broken: places,
  };
}
