/** JSON with the keys of every object in byte order, so equal values are equal text; undefined fields are left out. */

/** On one line. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? list(value) : object(value);
}

/** Entries with a value, in byte order of the keys. */
export function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

// Written for speed: of a large compilation this is most of the rendering.
function list(values: readonly unknown[]): string {
  let json = "";
  for (const value of values) json += (json === "" ? "" : ",") + canonicalJson(value);
  return `[${json}]`;
}

function object(value: object): string {
  let json = "";
  for (const [key, entry] of sortedEntries(value)) {
    json += `${json === "" ? "" : ","}${text(key)}:${canonicalJson(entry)}`;
  }
  return `{${json}}`;
}

function text(value: string): string {
  return JSON.stringify(wellFormed(value));
}

/** Half a surrogate pair is no character, and Lua's decoder refuses its escape: it becomes U+FFFD. */
export function wellFormed(value: string): string {
  return /[\ud800-\udfff]/.test(value) ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;
}
