/** Chooses what is served for each value (its own content, its last good content, or nothing) and for each name. */
import { isDeepStrictEqual } from "node:util";
import type { KindName } from "../api/kinds.js";
import { groupBy } from "../support/collections.js";
import { withArticle } from "../support/text.js";
import { closedForm } from "./salvage.js";
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

/** An object that an API server would refuse and of which nothing is served. Others may count on it for authentication. */
interface RefusedObject {
  readonly path: string;
  readonly ref: ResourceRef;
}

/** What a reading chose, for the next one. */
export interface Choice {
  readonly objects: readonly PlacedObject[];
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
  #keys: ReturnType<typeof keysOf> | undefined;

  constructor(previous: Choice, readings: readonly SourceReading[]) {
    this.#previous = previous;
    this.#readings = readings;
    for (const reading of readings) this.#take(reading);
    this.#keepGone();
  }

  get refused(): readonly RefusedObject[] {
    return [...this.#refused.values()];
  }

  #take({ path, broken, values }: SourceReading): void {
    if (broken) this.#keepFile(path);
    for (const value of values) {
      if (value.decoded.result === "object") this.#serve(value);
      else this.#takeRefused(value);
    }
  }

  #serve(value: PlacedValue): void {
    const object = placedObject(value);
    if (object !== undefined) this.objects.push(object);
  }

  /** Keeps all objects of a file; the path of a folder stands for the files in it. */
  #keepFile(path: string): void {
    for (const [file, objects] of this.#byPath()) {
      if (!isWithin(file, path)) continue;
      this.#keep(objects);
      const message = `what ${file} last held stays as it was: ${counted(objects.length)}`;
      this.#report(message, { file, line: 1, column: 1 });
    }
    for (const object of this.#previous.refused) {
      if (isWithin(object.path, path)) this.#keepRefusal(object);
    }
  }

  #takeRefused(value: PlacedValue): void {
    const { ref, served } = value.decoded;
    if (ref === undefined) return;
    const previous = this.#byKey().get(served?.key ?? refKey(ref));
    if (previous !== undefined && !this.#isTaken(previous)) {
      this.#keep([previous]);
      const message = "the object stays as it was when it was last valid";
      this.#report(message, value.locate(["metadata", "name"]), previous.ref);
    } else if (served === undefined) this.#refuse({ path: value.path, ref });
    else this.#serve(value);
  }

  /** Whether another object of that name is what was last valid: it is valid now, or kept already. */
  #isTaken(previous: PlacedObject): boolean {
    return this.#current().valid.has(previous.key) || this.stale.has(previous);
  }

  /** While it is unknown which objects a file or document contains, missing objects are not removed: they may have moved there. */
  #keepGone(): void {
    const doubtful = this.#readings.find((reading) => reading.doubtful);
    if (doubtful === undefined) return;
    const { valid, refused } = this.#current();
    for (const [path, objects] of this.#byPath()) {
      const gone = objects.filter(
        (object) => !valid.has(object.key) && !refused.has(object.key) && !this.stale.has(object),
      );
      this.#keep(gone);
      if (gone.length === 0) continue;
      const message = `what is gone from ${path} stays until all of ${doubtful.path} can be read, where it may stand now: ${counted(gone.length)}`;
      this.#report(message, { file: doubtful.path, line: 1, column: 1 });
    }
    for (const object of this.#previous.refused) this.#keepRefusal(object);
  }

  #keepRefusal(object: RefusedObject): void {
    if (!this.#current().valid.has(refKey(object.ref))) this.#refuse(object);
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

  #report(message: string, location: SourceLocation | undefined, resource?: ResourceRef): void {
    const report = { code: "LAST_GOOD_KEPT", message, ...(resource && { resource }) } as const;
    this.diagnostics.push(diagnosticOf(report, location));
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

  #current(): ReturnType<typeof keysOf> {
    this.#keys ??= keysOf(this.#readings);
    return this.#keys;
  }
}

/** Undefined: nothing of the value is served. */
export function placedObject(value: PlacedValue): PlacedObject | undefined {
  const { ref, served } = value.decoded;
  return ref && served && { ref, key: served.key, entry: served.entry, value };
}

/** The keys of the objects that the sources contain now. */
function keysOf(readings: readonly SourceReading[]): {
  readonly valid: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
} {
  const [valid, refused] = [new Set<string>(), new Set<string>()];
  for (const { values } of readings) {
    for (const { decoded } of values) {
      if (decoded.ref === undefined) continue;
      const key = decoded.served?.key ?? refKey(decoded.ref);
      (decoded.result === "object" ? valid : refused).add(key);
    }
  }
  return { valid, refused };
}

/** Whether a file is the one at `place` or in the folder there. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function counted(objects: number): string {
  return objects === 1 ? "1 object" : `${String(objects)} objects`;
}

/**
 * Of several objects with one name the first is served. The others are closed if they differ. `byKey`: one object of each name, in the
 * order of `objects`, and the closed ones under unused names.
 */
export function withUniqueNames(objects: readonly PlacedObject[]): {
  readonly byKey: ReadonlyMap<string, PlacedObject>;
  readonly diagnostics: readonly Diagnostic[];
} {
  const byKey = new Map<string, PlacedObject>();
  const others: PlacedObject[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const object of objects) {
    const first = byKey.get(object.key);
    if (first === undefined) byKey.set(object.key, object);
    else {
      const differs = !isDeepStrictEqual(first.entry.object, object.entry.object);
      diagnostics.push(duplicate(first, object, differs));
      if (differs) others.push(object);
    }
  }
  for (const object of others) closeDuplicate(object, byKey);
  return { byKey, diagnostics };
}

/** Other objects attach to these by name. It is unknown which of two they mean, so both are closed. */
const ATTACHED_TO: ReadonlySet<KindName> = new Set(["ALB2", "Frontend", "Gateway", "ListenerSet"]);

/** Serves it closed, under a new name that sorts before the first object's, so that it wins paths that both have. */
function closeDuplicate(second: PlacedObject, byKey: Map<string, PlacedObject>): void {
  const { kind } = second.entry;
  const first = byKey.get(second.key);
  if (first !== undefined && ATTACHED_TO.has(kind)) {
    byKey.set(first.key, {
      ...first,
      entry: { kind, object: closed(first) ?? first.entry.object },
    });
  }
  const object = closed(second);
  if (object === undefined) return;
  // The namespace that it is served in: that of the reference is empty if it can't be read.
  let ref: ResourceRef = { ...second.ref, namespace: object.metadata.namespace };
  while (byKey.has(refKey(ref))) ref = { ...ref, name: `0.${ref.name}` };
  const { creationTimestamp, ...metadata } = object.metadata;
  const created = first?.entry.object.metadata.creationTimestamp;
  const age = created === undefined ? {} : { creationTimestamp: created };
  const entry = { kind, object: { ...object, metadata: { ...metadata, ...age, name: ref.name } } };
  byKey.set(refKey(ref), { ...second, key: refKey(ref), ref, entry });
}

/** Undefined: its kind serves no requests, so there is nothing to close. */
function closed({ entry: { kind, object } }: PlacedObject): DecodedObject["object"] | undefined {
  return object.closed === undefined ? closedForm(kind, object, "metadata.name") : object;
}

const NOT_SERVED = "this one is not served";

function effectOf(second: PlacedObject): string {
  if (closed(second) === undefined) return NOT_SERVED;
  return ATTACHED_TO.has(second.entry.kind)
    ? "they differ, so both are closed"
    : "this one differs, so its paths answer 503";
}

function duplicate(first: PlacedObject, second: PlacedObject, differs: boolean): Diagnostic {
  const { ref, value } = second;
  const { kind, namespace, name } = ref;
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  const field = ["metadata", "name"];
  const place = first.value.locate(field);
  const message = `there is already ${withArticle(kind)} ${shown}; ${differs ? effectOf(second) : NOT_SERVED}`;
  const related = place && [{ message: "the one that is served", location: place }];
  return diagnosticOf(
    { code: "OBJECT_DUPLICATE", message, resource: ref, field, ...(related && { related }) },
    value.locate(field),
  );
}
