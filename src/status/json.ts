import type { KindName } from "../api/kinds.js";
import { isObject, own } from "../support/json-object.js";

/** Statuses as an API server holds them: anybody may have written anything. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Equal apart from the order of keys; a key without a value is none. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSameJson(own(a, key), own(b, key)));
}

/** An object with `metadata`, whose version changes with every write. */
interface Versioned {
  readonly metadata: object;
  readonly status?: unknown;
}

/**
 * Fields of statuses by which something is decided: where a Service is reached, which addresses a Gateway has already, and the room
 * that others leave in a policy's. All else of statuses changes whenever ours are written: once for every object after a start.
 */
const FIELDS_READ: Readonly<Partial<Record<KindName, string>>> = {
  Service: "loadBalancer",
  Gateway: "addresses",
  BackendTLSPolicy: "ancestors",
  AuthPolicy: "ancestors",
};

/** Whether two states of an object of that kind compile to the same. */
export function differInUnreadOnly(kind: KindName, a: Versioned, b: Versioned): boolean {
  if (!differInStatusOnly(a, b)) return false;
  const field = FIELDS_READ[kind];
  return field === undefined || isSameJson(statusField(a, field), statusField(b, field));
}

function statusField({ status }: Versioned, field: string): unknown {
  return isObject(status) ? own(status, field) : undefined;
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
