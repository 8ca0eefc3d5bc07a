import type { JsonObject } from "../support/json-object.js";
import { isSameJson } from "./json.js";

/** An object with `metadata`, whose version changes with every write. */
interface Versioned {
  readonly metadata: object;
}

/** Whether two states of an object differ in nothing but the status and what changes with it. */
export function differInStatusOnly(a: Versioned, b: Versioned): boolean {
  return isSameJson(withoutStatus(a), withoutStatus(b));
}

function withoutStatus({ metadata, ...fields }: Versioned): JsonObject {
  return { ...fields, status: undefined, metadata: { ...metadata, resourceVersion: undefined } };
}
