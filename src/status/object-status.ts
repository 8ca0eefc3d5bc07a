import type { KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import { memoized } from "../support/collections.js";
import { isObject, own } from "../support/json-object.js";
import type { KindName } from "../api/kinds.js";

/** A condition of a status (metav1.Condition), without lastTransitionTime, which `mergeStatus` adds. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** CamelCase, never empty. */
  readonly reason: string;
  /** What is wrong, where, and what to do. */
  readonly message: string;
  /** metadata.generation of the compiled object; absent for objects without one. */
  readonly observedGeneration?: number;
}

/** The computed status of an object. */
export interface ObjectStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<KubernetesObject["metadata"], "name" | "namespace">;
  readonly status: Readonly<Record<string, unknown>>;
}

export function statusOf(
  { apiVersion, kind, metadata: { name, namespace } }: KubernetesObject,
  status: ObjectStatus["status"],
): ObjectStatus {
  return { apiVersion, kind, metadata: { name, namespace }, status };
}

/** The desired state of an object that the controller creates for a user's object and deletes with it (server-side apply). */
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** The user's object. */
  readonly owner: ResourceRef;
  /** All other fields, such as `spec`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The part of `fields` that creating the object requires. */
  readonly skeleton: Readonly<Record<string, unknown>>;
  /** Another object of the same owner, earlier in the list: if that belongs to another controller, this one is not created. */
  readonly requires?: { readonly kind: string; readonly name: string };
}

/**
 * An API server refuses a status with a message above 32,768 characters (metav1.Condition) and objects above 1.5 MB. Diagnostics have the
 * whole text.
 */
export const MOST_CHARACTERS = 4096;

/** Cuts longer messages of a status; the same object if there is none. */
export const withShortMessages = memoized((status: ObjectStatus): ObjectStatus => {
  const fields = Object.entries(status.status);
  const short = fields.map(([name, value]) => [name, shortened(value)] as const);
  return short.every(([, value], index) => value === fields[index]?.[1])
    ? status
    : { ...status, status: Object.fromEntries(short) };
});

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const short = items.map(shortened);
    return short.every((item, index) => item === items[index]) ? value : short;
  }
  if (!isObject(value)) return value;
  const { message, conditions } = value;
  const short = {
    ...(message !== undefined && { message: cut(message) }),
    ...(conditions !== undefined && { conditions: shortened(conditions) }),
  };
  const isSame = short.message === message && short.conditions === conditions;
  return isSame ? value : { ...value, ...short };
}

/** Does not cut within a surrogate pair. */
function cut(text: unknown): unknown {
  if (typeof text !== "string" || text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

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
