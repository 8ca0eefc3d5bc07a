/** Objects, each with its place → Resources. Of two with one name the first stays. */
import type { Diagnostic, ResourceRef, SourceLocation } from "../diagnostics/diagnostic.js";
import type { FieldPath } from "../diagnostics/field-path.js";
import { withArticle } from "../support/article.js";
import type { DecodedObject } from "./decode.js";
import { diagnose } from "./input-diagnostics.js";
import { refKey } from "./object-key.js";
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
    const first = byKey.get(object.key);
    if (first === undefined) byKey.set(object.key, object);
    else diagnostics.push(duplicate(first, object));
  }
  const served = [...byKey.values()];
  const resources = indexObjects(
    served.map((object) => object.entry),
    (ref, field) => byKey.get(refKey(ref))?.locate(field),
    refused,
  );
  return { resources, served, diagnostics };
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
