import type { FieldPath } from "../diagnostics/field-path.js";
import { isObject } from "../support/json-object.js";

/** A value of a document, or of a list in it. */
export interface ListItem {
  readonly value: unknown;
  readonly path: FieldPath;
}

/**
 * The objects of a document: itself, none if it is empty, or the items of a `List` (or `SecretList` and so on, whose
 * items may leave their kind out), lists in lists included.
 */
export function listItems(value: unknown, path: FieldPath = []): readonly ListItem[] {
  if (value === null || value === undefined) return [];
  if (!isObject(value)) return [{ value, path }];
  const { kind, apiVersion, items } = value;
  if (kind === "List" && (items === null || items === undefined)) return [];
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) {
    return [{ value, path }];
  }
  const itemKind = kind.slice(0, -"List".length);
  return items.flatMap((item: unknown, i) => {
    const typed =
      itemKind !== "" && isObject(item) && item["kind"] === undefined
        ? { apiVersion, kind: itemKind, ...item }
        : item;
    return listItems(typed, [...path, "items", i]);
  });
}
