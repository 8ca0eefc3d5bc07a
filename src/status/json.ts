import type { KindName } from "../api/kinds.js";
import { isObject, own } from "../support/json-object.js";

/** A field of a status that should be a list: other clients may have written anything. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Equal except for the order of keys; undefined values count as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSameJson(own(a, key), own(b, key)));
}

/**
 * Fields of statuses that compilation reads: addresses of a Service or Gateway, and the entries of other controllers in a policy's
 * status. All other fields change whenever the controller writes statuses, which after a start is once for every object.
 */
const FIELDS_READ: Readonly<Partial<Record<KindName, string>>> = {
  Service: "loadBalancer",
  Gateway: "addresses",
  BackendTLSPolicy: "ancestors",
  AuthPolicy: "ancestors",
};

/** Whether two versions of an object of the kind compile to the same result. */
export function differInUnreadOnly(
  kind: KindName,
  a: { readonly metadata: object; readonly status?: unknown },
  b: typeof a,
): boolean {
  if (!differInStatusOnly(a, b)) return false;
  const field = FIELDS_READ[kind];
  return field === undefined || isSameJson(statusField(a, field), statusField(b, field));
}

function statusField({ status }: { readonly status?: unknown }, field: string): unknown {
  return isObject(status) ? own(status, field) : undefined;
}

const STATUS: readonly string[] = ["status", "metadata"];
const VERSION: readonly string[] = ["resourceVersion"];

/** Whether two versions of an object differ only in the status and in resourceVersion. */
export function differInStatusOnly(
  a: { readonly metadata: object },
  b: { readonly metadata: object },
): boolean {
  return isSameBut(STATUS, a, b) && isSameBut(VERSION, a.metadata, b.metadata);
}

/** Makes no copies: after a start, thousands of objects are compared at once because their statuses were written. */
function isSameBut(fields: readonly string[], a: object, b: object): boolean {
  const others = new Map(Object.entries(b));
  for (const [key, value] of Object.entries(a)) {
    if (!fields.includes(key) && !isSameJson(value, others.get(key))) return false;
    others.delete(key);
  }
  for (const [key, value] of others) if (!fields.includes(key) && value !== undefined) return false;
  return true;
}
