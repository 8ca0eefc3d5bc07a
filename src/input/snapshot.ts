/** Objects, each with its place → Resources. Of two with one name the first stays, and the other is closed. */
import { isDeepStrictEqual } from "node:util";
import type { KindName } from "../api/kinds.js";
import type {
  Diagnostic,
  FieldPath,
  ResourceRef,
  SourceLocation,
} from "../diagnostics/diagnostic.js";
import { withArticle } from "../support/text.js";
import { closedForm } from "./closed-form.js";
import type { DecodedObject } from "./decode.js";
import { diagnose } from "./input-diagnostics.js";
import { refKey } from "./source.js";
import { indexObjects } from "./object-store.js";
import type { Resources } from "./resources.js";

/** An object and where it stands; `path` is its file, empty if there is none. */
export interface PlacedObject {
  readonly path: string;
  /** Kind, namespace and name. */
  readonly key: string;
  readonly ref: ResourceRef;
  readonly entry: DecodedObject;
  readonly locate: (field: FieldPath) => SourceLocation | undefined;
}

export interface Snapshot {
  readonly resources: Resources;
  readonly served: readonly PlacedObject[];
  /** Objects that are closed because an earlier one has their name. */
  readonly diagnostics: readonly Diagnostic[];
}

/** `objects` in the order of the input; `refused` are those that an API server would not take. */
export function takeSnapshot(
  objects: readonly PlacedObject[],
  refused: readonly ResourceRef[] = [],
): Snapshot {
  const byKey = new Map<string, PlacedObject>();
  const others: PlacedObject[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const object of objects) {
    const first = byKey.get(object.key);
    if (first === undefined) byKey.set(object.key, object);
    else {
      diagnostics.push(duplicate(first, object));
      if (!isDeepStrictEqual(first.entry.object, object.entry.object)) others.push(object);
    }
  }
  const served = [...byKey.values()];
  for (const object of others) closeDuplicate(object, byKey);
  const resources = indexObjects(
    [...byKey.values()].map((object) => object.entry),
    (ref, field) => byKey.get(refKey(ref))?.locate(field),
    refused,
  );
  return { resources, served, diagnostics };
}

/** Others attach to them by name: it is lost which of two they mean, so both are closed. */
const ATTACHED_TO: ReadonlySet<KindName> = new Set(["ALB2", "Frontend", "Gateway", "ListenerSet"]);

/** It stays closed, under a name that no object has and that comes before the first one's where both have the same paths. */
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
  let { ref } = second;
  while (byKey.has(refKey(ref))) ref = { ...ref, name: `0.${ref.name}` };
  const { creationTimestamp, ...metadata } = object.metadata;
  const created = first?.entry.object.metadata.creationTimestamp;
  const age = created === undefined ? {} : { creationTimestamp: created };
  const entry = { kind, object: { ...object, metadata: { ...metadata, ...age, name: ref.name } } };
  byKey.set(refKey(ref), { ...second, key: refKey(ref), ref, entry });
}

/** Undefined: its kind has nothing that could be closed. */
function closed({ entry: { kind, object } }: PlacedObject): DecodedObject["object"] | undefined {
  return object.closed === undefined ? closedForm(kind, object, "metadata.name") : object;
}

function duplicate(first: PlacedObject, second: PlacedObject): Diagnostic {
  const { kind, namespace, name } = second.ref;
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  const place = first.locate(["metadata", "name"]);
  return diagnose(
    "OBJECT_DUPLICATE",
    `there is already ${withArticle(kind)} ${shown}; this one is not served`,
    {
      resource: second.ref,
      field: ["metadata", "name"],
      location: second.locate(["metadata", "name"]),
      related:
        place === undefined ? undefined : [{ message: "the one that is served", location: place }],
    },
  );
}
