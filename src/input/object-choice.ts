import type { Diagnostic, ResourceRef } from "../diagnostics/diagnostic.js";
import type { Decoded } from "./decode.js";
import type { PlacedValue } from "./file-contents.js";
import type { Finding } from "./rules/finding.js";
import { keptFile, keptGone, keptObject } from "./input-diagnostics.js";
import type { SourceReading } from "./read-source.js";
import { refKey } from "./source.js";
import type { PlacedObject } from "./snapshot.js";

/** An object that an API server would refuse and of which nothing is served. It may be an auth that others count on. */
export interface RefusedObject {
  readonly path: string;
  readonly ref: ResourceRef;
}

interface Previous {
  /** What was served before, by the path of its file. */
  readonly served: ReadonlyMap<string, readonly PlacedObject[]>;
  readonly refused: readonly RefusedObject[];
}

type RefusedValue = Extract<Decoded, { result: "refused" }>;

/** Picks what stands for each value: itself, its last good content, or nothing. */
export class ObjectChoice {
  readonly objects: PlacedObject[] = [];
  readonly #refusedObjects = new Map<string, RefusedObject>();
  readonly kept: Diagnostic[] = [];
  readonly #previous: Previous;
  readonly #previousByKey = new Map<string, PlacedObject>();
  /** Objects that the input holds now: those that can be served, and the others. */
  readonly #valid = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #stale = new Set<PlacedObject>();

  constructor(previous: Previous, readings: readonly SourceReading[]) {
    this.#previous = previous;
    for (const objects of previous.served.values()) {
      for (const object of objects) {
        // What was closed is no good content.
        if (object.entry.object.closed !== undefined || this.#previousByKey.has(object.key))
          continue;
        this.#previousByKey.set(object.key, object);
      }
    }
    for (const { values } of readings) for (const { decoded } of values) this.#note(decoded);
  }

  #note(decoded: Decoded): void {
    if (decoded.result === "object") this.#valid.add(decoded.key);
    else if (decoded.result === "refused" && decoded.key !== undefined) {
      this.#refused.add(decoded.closed?.key ?? decoded.key);
    }
  }

  get refused(): readonly RefusedObject[] {
    return [...this.#refusedObjects.values()];
  }

  isStale(object: PlacedObject): boolean {
    return this.#stale.has(object);
  }

  take(reading: SourceReading): void {
    if (reading.broken) this.#keepFile(reading.path);
    for (const value of reading.values) {
      const { decoded } = value;
      if (decoded.result === "object") {
        const { key, ref, entry } = decoded;
        this.objects.push({ path: reading.path, key, ref, entry, locate: value.locate });
      } else if (decoded.result === "refused") {
        this.#keepRefused(reading.path, value, decoded);
      }
    }
  }

  /** All that a file held; the path of a folder stands for the files below it. */
  #keepFile(path: string): void {
    for (const [served, objects] of this.#previous.served) {
      if (!isWithin(served, path)) continue;
      this.#keep(objects);
      this.kept.push(keptFile(served, objects.length));
    }
    this.#keepRefusedOf(path);
  }

  #keepRefused(path: string, value: PlacedValue, decoded: RefusedValue): void {
    const { key, closed } = decoded;
    const name = closed?.key ?? key;
    const before = name === undefined ? undefined : this.#previousByKey.get(name);
    if (before !== undefined) {
      if (this.#valid.has(before.key) || this.#stale.has(before)) return;
      this.#keep([before]);
      this.kept.push(keptObject(before.ref, value.locate(["metadata", "name"])));
      return;
    }
    this.#takeClosed(path, value, decoded);
  }

  /**
   * While nobody can tell which objects some file or document holds, an object that is gone may stand there now: none is taken for
   * removed. After all readings are taken.
   */
  keepGone(readings: readonly SourceReading[]): void {
    const doubtful = readings.find(
      ({ broken, values }) =>
        broken ||
        values.some(({ decoded }) => decoded.result === "refused" && !isIdentified(decoded)),
    );
    if (doubtful === undefined) return;
    for (const [path, objects] of this.#previous.served) {
      const gone = objects.filter(
        (object) =>
          !this.#valid.has(object.key) &&
          !this.#refused.has(object.key) &&
          !this.#stale.has(object),
      );
      this.#keep(gone);
      if (gone.length > 0) this.kept.push(keptGone(path, gone.length, doubtful.path));
    }
    for (const object of this.#previous.refused) this.#keepRefusal(object);
  }

  #takeClosed(path: string, { locate }: PlacedValue, { ref, closed }: RefusedValue): void {
    if (ref === undefined) return;
    if (closed !== undefined) this.objects.push({ path, ref, ...closed, locate });
    // Also one whose name can't be read: it may be an auth that others count on.
    else this.#refuse({ path, ref });
  }

  #keepRefusedOf(place: string): void {
    for (const object of this.#previous.refused) {
      if (isWithin(object.path, place)) this.#keepRefusal(object);
    }
  }

  #keepRefusal(object: RefusedObject): void {
    if (!this.#valid.has(refKey(object.ref))) this.#refuse(object);
  }

  /** Once for each file and name, however often it is kept. */
  #refuse(object: RefusedObject): void {
    this.#refusedObjects.set(`${refKey(object.ref)} ${object.path}`, object);
  }

  #keep(objects: readonly PlacedObject[]): void {
    for (const object of objects) {
      this.#stale.add(object);
      this.objects.push(object);
    }
  }
}

/** Whether a file is the one at `place` or in the folder there. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function isIdentified({ ref, findings }: RefusedValue): boolean {
  return ref !== undefined && ref.name !== "" && !findings.some(concernsName);
}

/** Whether a finding makes an object's name or namespace doubtful. */
function concernsName({ field }: Finding): boolean {
  const [first, second] = field;
  return (
    first === "metadata" && (field.length === 1 || second === "name" || second === "namespace")
  );
}
