/**
 * Reading again and again while manifests change: a file or object that can't be read any more keeps what it last held,
 * an object that was removed is gone once every file can be read, and texts that did not change are not parsed again. Pure: state in, state out.
 */
import type { Diagnostic, ResourceRef } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import { groupBy } from "../support/collections.js";
import type { ChunkCache } from "./chunk-contents.js";
import { countObjects, countUnknownKinds, findingDiagnostics } from "./input-diagnostics.js";
import { kindTable } from "./kind-table.js";
import type { KindTable } from "./kind-table.js";
import { isWithin, ObjectChoice } from "./object-choice.js";
import type { RefusedObject } from "./object-choice.js";
import type { Resources } from "./resources.js";
import { readSource } from "./read-source.js";
import type { SourceReading } from "./read-source.js";
import { takeSnapshot } from "./snapshot.js";
import type { PlacedObject } from "./snapshot.js";
import type { InputOptions, Source, UnknownKind } from "./source.js";
import type { Decoded } from "./decode.js";
import { lookUpKindName } from "./kind-lookup.js";

/** What one reading hands to the next. */
export interface InputState {
  readonly table: KindTable;
  readonly cache: ChunkCache;
  /** What was taken, also of two objects with one name, by the path of its file. */
  readonly served: ReadonlyMap<string, readonly PlacedObject[]>;
  readonly refused: readonly RefusedObject[];
  /** Paths of the files whose content was known once, also of those that give no object. */
  readonly known: ReadonlySet<string>;
}

export interface Advance {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
  /** Sorted by apiVersion and kind. */
  readonly unknownKinds: readonly UnknownKind[];
  /** How many objects of kinds that are read were given, the refused ones included. */
  readonly objects: number;
  /** For the next reading. */
  readonly state: InputState;
  /** Objects that are served with their last good content. */
  readonly stale: readonly ResourceRef[];
  /** Paths whose content was never known: they can't be read or parsed, or a document does not say what it is. */
  readonly unreadable: readonly string[];
}

/** Nothing read yet. */
export function initialInput(options: InputOptions): InputState {
  return {
    table: kindTable(options.albGroup),
    cache: new Map(),
    served: new Map(),
    refused: [],
    known: new Set(),
  };
}

/** `sources` is everything there is now, in the order that decides between two objects with one name. */
export function advance(previous: InputState, sources: readonly Source[]): Advance {
  const readings = sources.map((source) => readSource(source, previous));
  const choice = new ObjectChoice(previous, readings);
  for (const reading of readings) choice.take(reading);
  choice.keepGone(readings);
  const { refused } = choice;
  const refs = refused.map(({ ref }) => ref);
  const snapshot = takeSnapshot(choice.objects, refs);
  const values = readings.flatMap((reading) => reading.values);
  const decoded = values.map((value) => value.decoded);
  const { known, unreadable } = sortPaths(readings, previous);
  return {
    resources: snapshot.resources,
    diagnostics: sortDiagnostics([
      ...readings.flatMap((reading) => reading.errors),
      ...values.flatMap(findingDiagnostics),
      ...choice.kept,
      ...snapshot.diagnostics,
    ]),
    unknownKinds: countUnknownKinds(decoded),
    objects: countObjects(decoded),
    stale: snapshot.served.filter((object) => choice.isStale(object)).map((object) => object.ref),
    unreadable,
    state: {
      table: previous.table,
      cache: new Map(
        readings.flatMap(({ chunks }) => chunks.map((chunk) => [chunk.text, chunk] as const)),
      ),
      served: groupBy(choice.objects, ({ path }) => path),
      refused,
      known,
    },
  };
}

/** A file that was good once stays known while it is broken: its last good content is served. */
function sortPaths(
  readings: readonly SourceReading[],
  { table, known }: InputState,
): Pick<Advance, "unreadable"> & Pick<InputState, "known"> {
  const good: string[] = [];
  const broken: string[] = [];
  for (const reading of readings) (isUnreadable(reading, table) ? broken : good).push(reading.path);
  const kept = [...known].filter((path) => broken.some((place) => isWithin(path, place)));
  return {
    known: new Set([...good, ...kept]),
    unreadable: broken.filter((place) => !kept.some((path) => isWithin(path, place))),
  };
}

function isUnreadable({ broken, values }: SourceReading, table: KindTable): boolean {
  return broken || values.some(({ decoded }) => isUnidentified(decoded, table));
}

function isUnidentified(decoded: Decoded, table: KindTable): boolean {
  if (decoded.result !== "refused") return false;
  const { ref } = decoded;
  if (ref === undefined || ref.name === "") return true;
  const kind = lookUpKindName(table, ref.kind);
  return ref.namespace === "" && kind !== undefined && table[kind].namespaced;
}
