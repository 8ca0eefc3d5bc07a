/**
 * Reading again and again while manifests change: a file or object that can't be read any more keeps what it last held,
 * an object that was removed is gone, and texts that did not change are not parsed again. Pure: state in, state out.
 */
import type { Diagnostic, ResourceRef } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import type { ChunkCache } from "./chunk-contents.js";
import type { PlacedValue } from "./file-contents.js";
import { findingDiagnostics, keptFile, keptObject } from "./input-diagnostics.js";
import { kindTable } from "./kind-table.js";
import type { KindTable } from "./kind-table.js";
import { refKey } from "./object-store.js";
import type { Resources } from "./resources.js";
import { readSource } from "./read-source.js";
import type { SourceReading } from "./read-source.js";
import { takeSnapshot } from "./snapshot.js";
import type { PlacedObject } from "./snapshot.js";
import type { InputOptions, Source, UnknownKind } from "./source.js";
import { countUnknownKinds } from "./unknown-kinds.js";

/** What one reading hands to the next. */
export interface InputState {
  readonly table: KindTable;
  readonly cache: ChunkCache;
  /** What is served, by the path of its file. */
  readonly served: ReadonlyMap<string, readonly PlacedObject[]>;
}

export interface Advance {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
  /** Sorted by apiVersion and kind. */
  readonly unknownKinds: readonly UnknownKind[];
  /** For the next reading. */
  readonly state: InputState;
  /** Objects that are served with their last good content. */
  readonly stale: readonly ResourceRef[];
}

/** Nothing read yet. */
export function initialInput(options: InputOptions): InputState {
  return { table: kindTable(options.albGroup), cache: new Map(), served: new Map() };
}

/** `sources` is everything there is now, in the order that decides between two objects with one name. */
export function advance(previous: InputState, sources: readonly Source[]): Advance {
  const readings = sources.map((source) => readSource(source, previous));
  const choice = new ObjectChoice(previous, readings);
  for (const reading of readings) choice.take(reading);
  const snapshot = takeSnapshot(choice.objects, choice.refused);
  const values = readings.flatMap((reading) => reading.values);
  return {
    resources: snapshot.resources,
    diagnostics: sortDiagnostics([
      ...readings.flatMap((reading) => reading.errors),
      ...values.flatMap(findingDiagnostics),
      ...choice.kept,
      ...snapshot.diagnostics,
    ]),
    unknownKinds: countUnknownKinds(values.map((value) => value.decoded)),
    stale: snapshot.served.filter((object) => choice.isStale(object)).map((object) => object.ref),
    state: {
      table: previous.table,
      cache: new Map(
        readings.flatMap(({ chunks }) => chunks.map((chunk) => [chunk.text, chunk] as const)),
      ),
      served: byPath(snapshot.served),
    },
  };
}

function byPath(objects: readonly PlacedObject[]): ReadonlyMap<string, readonly PlacedObject[]> {
  const groups = new Map<string, PlacedObject[]>();
  for (const object of objects) {
    const group = groups.get(object.path);
    if (group === undefined) groups.set(object.path, [object]);
    else group.push(object);
  }
  return groups;
}

/** Picks what stands for each value: itself, its last good content, or nothing. */
class ObjectChoice {
  readonly objects: PlacedObject[] = [];
  readonly refused: ResourceRef[] = [];
  readonly kept: Diagnostic[] = [];
  readonly #previous: InputState;
  readonly #previousByKey = new Map<string, PlacedObject>();
  /** Objects that the input names now, whether they can be served or not. */
  readonly #named = new Set<string>();
  readonly #valid = new Set<string>();
  readonly #stale = new Set<PlacedObject>();

  constructor(previous: InputState, readings: readonly SourceReading[]) {
    this.#previous = previous;
    for (const objects of previous.served.values()) {
      for (const object of objects) this.#previousByKey.set(refKey(object.ref), object);
    }
    for (const { decoded } of readings.flatMap((reading) => reading.values)) {
      if (decoded.result === "unknown" || decoded.ref === undefined) continue;
      this.#named.add(refKey(decoded.ref));
      if (decoded.result === "object") this.#valid.add(refKey(decoded.ref));
    }
  }

  isStale(object: PlacedObject): boolean {
    return this.#stale.has(object);
  }

  take(reading: SourceReading): void {
    if (reading.broken) this.#keepFile(reading.path);
    for (const value of reading.values) {
      const { decoded } = value;
      if (decoded.result === "object") {
        const { ref, entry } = decoded;
        this.objects.push({ path: reading.path, ref, entry, locate: value.locate });
      } else if (decoded.result === "refused") {
        this.#keepRefused(reading.path, value, decoded.ref);
      }
    }
  }

  /** All that a file held; the path of a folder stands for the files below it. */
  #keepFile(path: string): void {
    for (const [served, objects] of this.#previous.served) {
      if (served !== path && !served.startsWith(`${path}/`)) continue;
      this.#keep(objects);
      this.kept.push(keptFile(served, objects.length));
    }
  }

  #keepRefused(path: string, value: PlacedValue, ref: ResourceRef | undefined): void {
    const key = ref === undefined ? "" : refKey(ref);
    const before = this.#previousByKey.get(key);
    if (before !== undefined) {
      if (this.#valid.has(key)) return;
      this.#keep([before]);
      this.kept.push(keptObject(before.ref, value.locate(["metadata", "name"])));
      return;
    }
    if (ref !== undefined && ref.name !== "") this.refused.push(ref);
    if (isNamed(value)) return;
    // Nobody can tell which object this was, so none that has gone from the file is taken for removed.
    const gone = (this.#previous.served.get(path) ?? []).filter(
      (object) => !this.#named.has(refKey(object.ref)) && !this.#stale.has(object),
    );
    this.#keep(gone);
    for (const object of gone) this.kept.push(keptObject(object.ref, value.locate([])));
  }

  #keep(objects: readonly PlacedObject[]): void {
    for (const object of objects) {
      this.#stale.add(object);
      this.objects.push(object);
    }
  }
}

/** Whether kind, namespace and name of a refused value can be believed. */
function isNamed({ decoded }: PlacedValue): boolean {
  if (decoded.result !== "refused" || decoded.ref === undefined) return false;
  return !decoded.findings.some(
    ({ field }) =>
      field[0] === "metadata" && [undefined, "name", "namespace"].includes(String(field[1])),
  );
}
