/** Of several objects with one name the first is served. The others are closed if they differ. */
import { isDeepStrictEqual } from "node:util";
import type { KindName } from "../api/kinds.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { withArticle } from "../support/text.js";
import { closedForm } from "./salvage.js";
import type { DecodedObject } from "./decode.js";
import type { PlacedObject } from "./last-good.js";
import { refKey } from "../diagnostics/diagnostic.js";
import { diagnosticOf } from "../diagnostics/sink.js";

/** `byKey`: one object of each name, in the order of `objects`; the closed ones under names that no object has. */
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
      diagnostics.push(duplicate(first, object));
      if (!isDeepStrictEqual(first.entry.object, object.entry.object)) others.push(object);
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
  let { ref } = second;
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
