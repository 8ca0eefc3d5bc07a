/** JSON with the keys of every object in byte order, so equal values are equal text; undefined fields are left out. */
import { compareStrings } from "../../support/compare.js";

/** On one line. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${sortedEntries(value)
      .map(([key, entry]) => `${text(key)}:${canonicalJson(entry)}`)
      .join(",")}}`;
  }
  return typeof value === "string" ? text(value) : JSON.stringify(value);
}

/** Entries with a value, in byte order of the keys. */
export function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => compareStrings(a, b));
}

/** Half a surrogate pair is no character, and Lua's decoder refuses its escape: it becomes U+FFFD. */
function text(value: string): string {
  return JSON.stringify(value.replace(/\p{Surrogate}/gu, "\ufffd"));
}
