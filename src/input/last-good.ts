/** Chooses what is served for each value (its own content, its last good content, or nothing) and for each name. */
import { groupBy } from "../support/collections.js";
import { withArticle } from "../support/text.js";
import { closedPlaces } from "./closed-places.js";
import type { DecodedObject } from "./decode.js";
import type { PlacedValue, SourceReading } from "./documents.js";
import {
  type Diagnostic,
  type ResourceRef,
  type SourceLocation,
  refKey,
} from "../diagnostics/diagnostic.js";
import { diagnosticOf } from "../diagnostics/sink.js";

/** An object and the value that it was read from. */
export interface PlacedObject {
  /** Of the kind, namespace and name that it is served under. */
  readonly key: string;
  readonly ref: ResourceRef;
  readonly entry: DecodedObject;
  readonly value: PlacedValue;
}

/** An object that an API server would refuse. */
interface RefusedObject {
  readonly path: string;
  readonly ref: ResourceRef;
}

/** What a reading chose, for the next one. */
export interface Choice {
  readonly objects: readonly PlacedObject[];
  /** Those of which nothing is served. */
  readonly refused: readonly RefusedObject[];
}

export class ObjectChoice implements Choice {
  /** In the order of the input, including several of one name. */
  readonly objects: PlacedObject[] = [];
  readonly diagnostics: Diagnostic[] = [];
  /** Those of `objects` that are last good content. */
  readonly stale = new Set<PlacedObject>();
  readonly #refused = new Map<string, RefusedObject>();
  readonly #previous: Choice;
  readonly #readings: readonly SourceReading[];
  // Most readings have no errors: they need none of these.
  #previousByPath: ReadonlyMap<string, readonly PlacedObject[]> | undefined;
  #previousByKey: ReadonlyMap<string, PlacedObject> | undefined;
  #valid: ReadonlySet<string> | undefined;

  constructor(previous: Choice, readings: readonly SourceReading[]) {
    this.#previous = previous;
    this.#readings = readings;
    for (const reading of readings) this.#take(reading);
  }

  get refused(): readonly RefusedObject[] {
    return [...this.#refused.values()];
  }

  #take({ path, unidentified, values }: SourceReading): void {
    for (const value of values) {
      if (value.decoded.result === "object") this.#serve(value);
      else this.#takeRefused(value);
    }
    // One that is missing in the file may be the one that can't be identified.
    if (!unidentified) return;
    this.#keepFile(path);
    for (const object of this.#previous.refused) {
      if (isWithin(object.path, path) && !this.#isValid(refKey(object.ref))) this.#refuse(object);
    }
  }

  #serve(value: PlacedValue): void {
    const object = placedObject(value);
    if (object !== undefined) this.objects.push(object);
  }

  /** Keeps the objects of a file that are missing in it; the path of a folder stands for the files in it. */
  #keepFile(path: string): void {
    const here = new Set(
      this.objects.filter(({ value }) => value.path === path).map(({ key }) => key),
    );
    for (const [file, objects] of this.#byPath()) {
      if (!isWithin(file, path)) continue;
      const missing = objects.filter(({ key }) => !here.has(key));
      if (missing.length === 0) continue;
      this.#keep(missing);
      const message = `what ${file} last held stays as it was: ${counted(missing.length)}`;
      const location = { file, line: 1, column: 1 };
      this.diagnostics.push(diagnosticOf({ code: "LAST_GOOD_KEPT", message }, location));
    }
  }

  #takeRefused(value: PlacedValue): void {
    const { ref, served } = value.decoded;
    if (ref === undefined) return;
    const key = served?.key ?? refKey(ref);
    const previous = this.#byKey().get(key);
    if (previous !== undefined && !this.#isValid(key) && !this.stale.has(previous)) {
      this.#keep([previous]);
      this.diagnostics.push(keptDiagnostic(previous.ref, value.locate(["metadata", "name"])));
    } else if (served === undefined) this.#refuse({ path: value.path, ref });
    else this.#serve(value);
  }

  /** Adds an object once for each file and name, however often it is kept. */
  #refuse(object: RefusedObject): void {
    this.#refused.set(`${refKey(object.ref)} ${object.path}`, object);
  }

  #keep(objects: readonly PlacedObject[]): void {
    for (const object of objects) {
      this.stale.add(object);
      this.objects.push(object);
    }
  }

  #byPath(): ReadonlyMap<string, readonly PlacedObject[]> {
    this.#previousByPath ??= groupBy(this.#previous.objects, ({ value }) => value.path);
    return this.#previousByPath;
  }

  /** The first previous object of each name. A closed one is no good content. */
  #byKey(): ReadonlyMap<string, PlacedObject> {
    if (this.#previousByKey === undefined) {
      const previous = [...this.#byPath().values()].flat();
      const good = previous.filter(({ entry }) => entry.object.closed === undefined);
      this.#previousByKey = new Map(good.reverse().map((object) => [object.key, object]));
    }
    return this.#previousByKey;
  }

  /** Whether a source contains a valid object of that key now. */
  #isValid(key: string): boolean {
    this.#valid ??= new Set(
      this.#readings.flatMap(({ values }) =>
        values.flatMap(({ decoded: { result, served } }) =>
          result === "object" && served !== undefined ? [served.key] : [],
        ),
      ),
    );
    return this.#valid.has(key);
  }
}

/** Undefined: nothing of the value is served. */
export function placedObject(value: PlacedValue): PlacedObject | undefined {
  const { ref, served } = value.decoded;
  return ref && served && { ref, key: served.key, entry: served.entry, value };
}

/** Whether a file is the one at `place` or in the folder there. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function counted(objects: number): string {
  return objects === 1 ? "1 object" : `${String(objects)} objects`;
}

/** Of several objects with one name the first is served. `byKey`: one object of each name, in the order of `objects`. */
export function withUniqueNames(objects: readonly PlacedObject[]): {
  readonly byKey: ReadonlyMap<string, PlacedObject>;
  readonly diagnostics: readonly Diagnostic[];
} {
  const byKey = new Map<string, PlacedObject>();
  const diagnostics: Diagnostic[] = [];
  for (const object of objects) {
    const first = byKey.get(object.key);
    if (first === undefined) byKey.set(object.key, object);
    else diagnostics.push(duplicate(first, object));
  }
  return { byKey, diagnostics };
}

function duplicate(first: PlacedObject, { ref, value }: PlacedObject): Diagnostic {
  const { kind, namespace, name } = ref;
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  const field = ["metadata", "name"];
  const place = first.value.locate(field);
  const message = `there is already ${withArticle(kind)} ${shown}; this one is not served`;
  const related = place && [{ message: "the one that is served", location: place }];
  return diagnosticOf(
    { code: "OBJECT_DUPLICATE", message, resource: ref, field, ...(related && { related }) },
    value.locate(field),
  );
}

export function keptDiagnostic(resource: ResourceRef, location?: SourceLocation): Diagnostic {
  const message = "the object stays as it was when it was last valid";
  return diagnosticOf({ code: "LAST_GOOD_KEPT", message, resource }, location);
}

/** Says what answers 503 because of a refused object; undefined for an object that is served as written. */
export function closedDiagnostic(
  { kind, object }: DecodedObject,
  resource: ResourceRef,
  location?: SourceLocation,
): Diagnostic | undefined {
  const places = object.closed && closedPlaces(kind, object);
  if (places === undefined || places === "") return undefined;
  const outcome = kind === "TLSRoute" ? "these connections are closed" : "this answers 503";
  const message = `until the object is valid, ${outcome}: ${places}`;
  return diagnosticOf({ code: "OBJECT_CLOSED", message, resource, field: [] }, location);
}
