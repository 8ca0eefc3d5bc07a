/** Objects, each with its place → Resources. Of two with one name the first stays. */
import type { Diagnostic, ResourceRef, SourceLocation } from "../diagnostics/diagnostic.js";
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { FieldPath } from "../diagnostics/field-path.js";
import type { DecodedObject } from "./decode.js";
import { indexObjects, refKey } from "./object-store.js";
import type { Resources } from "./resources.js";

export interface PlacedObject {
  readonly ref: ResourceRef;
  readonly decoded: DecodedObject;
  readonly locate: (field: FieldPath) => SourceLocation | undefined;
}

export interface Snapshot {
  readonly resources: Resources;
  /** Objects that are not served because an earlier one has their name. */
  readonly diagnostics: readonly Diagnostic[];
}

/** `objects` in the order of the input; `refused` are those that an API server would not take. */
export function takeSnapshot(
  objects: readonly PlacedObject[],
  refused: readonly ResourceRef[] = [],
): Snapshot {
  const byKey = new Map<string, PlacedObject>();
  const diagnostics: Diagnostic[] = [];
  for (const object of objects) {
    const key = refKey(object.ref);
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, object);
    else diagnostics.push(duplicate(first, object));
  }
  const resources = indexObjects(
    [...byKey.values()].map((object) => object.decoded),
    (ref, field) => byKey.get(refKey(ref))?.locate(field),
    refused,
  );
  return { resources, diagnostics };
}

function duplicate(first: PlacedObject, second: PlacedObject): Diagnostic {
  const { kind, namespace, name } = second.ref;
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  const firstPlace = first.locate(["metadata", "name"]);
  const place = second.locate(["metadata", "name"]);
  return {
    code: "OBJECT_DUPLICATE",
    severity: DIAGNOSTIC_CATALOG.OBJECT_DUPLICATE.severity,
    message: `there is already a ${kind} ${shown}; this one is not served`,
    resource: second.ref,
    field: ["metadata", "name"],
    hint: DIAGNOSTIC_CATALOG.OBJECT_DUPLICATE.hint,
    ...(place === undefined ? {} : { location: place }),
    ...(firstPlace === undefined
      ? {}
      : { related: [{ message: "the one that is served", location: firstPlace }] }),
  };
}
