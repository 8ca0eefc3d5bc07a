import { isObject } from "../support/json-object.js";
import { memoized } from "../support/collections.js";
import type { ObjectStatus } from "./object-status.js";

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
