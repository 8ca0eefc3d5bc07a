/** JSON with sorted keys, so equal values give equal text; undefined fields are omitted. */
import { memoized } from "../../support/collections.js";
import { type JsonObject, isObject, own } from "../../support/json-object.js";

/** On one line. */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  write(value, parts);
  // V8 keeps text that grows by `+=` as a tree of its pieces, which needs many times the memory.
  return parts.join("");
}

// Written for speed: in a large compilation most of the rendering time is here.
function write(value: unknown, parts: string[]): void {
  if (typeof value === "string") parts.push(text(value));
  else if (typeof value !== "object" || value === null) parts.push(JSON.stringify(value));
  else if (Array.isArray(value)) writeList(value, parts);
  else if (isObject(value)) writeObject(value, parts);
}

/** Thousands of routes may share a long list of addresses or headers: its text is made once. */
const LONG = 32;
const longText = memoized((values: readonly unknown[]) => {
  const parts: string[] = [];
  writeItems(values, parts);
  return parts.join("");
});

function writeList(values: readonly unknown[], parts: string[]): void {
  if (values.length < LONG) writeItems(values, parts);
  else parts.push(longText(values));
}

function writeItems(values: readonly unknown[], parts: string[]): void {
  let before = "[";
  for (const value of values) {
    parts.push(before);
    write(value, parts);
    before = ",";
  }
  parts.push(before === "[" ? "[]" : "]");
}

function writeObject(value: JsonObject, parts: string[]): void {
  let before = "{";
  for (const key of Object.keys(value).sort()) {
    const entry = own(value, key);
    if (entry === undefined) continue;
    parts.push(before, text(key), ":");
    write(entry, parts);
    before = ",";
  }
  parts.push(before === "{" ? "{}" : "}");
}

function text(value: string): string {
  return JSON.stringify(wellFormed(value));
}

/** Replaces half surrogate pairs by U+FFFD, because Lua's JSON decoder refuses their escapes. */
export function wellFormed(value: string): string {
  return /[\ud800-\udfff]/.test(value) ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;
}
