import { isSameJson } from "./json.js";

/** An object with `metadata`, whose version changes with every write. */
interface Versioned {
  readonly metadata: object;
}

const STATUS: readonly string[] = ["status", "metadata"];
const VERSION: readonly string[] = ["resourceVersion"];

/** Whether two states of an object differ in nothing but the status and what changes with it. */
export function differInStatusOnly(a: Versioned, b: Versioned): boolean {
  return isSameBut(STATUS, a, b) && isSameBut(VERSION, a.metadata, b.metadata);
}

/** Without copies: after a start the statuses of thousands of objects are written, and then all are compared at once. */
function isSameBut(fields: readonly string[], a: object, b: object): boolean {
  const others = new Map(Object.entries(b));
  for (const [key, value] of Object.entries(a)) {
    if (!fields.includes(key) && !isSameJson(value, others.get(key))) return false;
    others.delete(key);
  }
  for (const [key, value] of others) if (!fields.includes(key) && value !== undefined) return false;
  return true;
}
