import type { HeaderChanges } from "../../ir/filters.js";
import { isObject, parseObject } from "../../support/json-object.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { isHeaderName, isHeaderValue } from "./header-text.js";

/** The JSON of rewrite-request and rewrite-response: what is set, then removed, then added. */
interface HeaderRewrite {
  readonly set: readonly NamedValue[];
  readonly remove: readonly string[];
  readonly add: readonly NamedValue[];
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** Fields that take the value from a variable of the request. */
const UNSUPPORTED = ["headers_var", "headers_add_var"] as const;
const KNOWN: ReadonlySet<string> = new Set(["headers", "headers_remove", "headers_add"]);

/** Reads the JSON of a rewrite-request or rewrite-response annotation. */
export function parseHeaderRewrite(text: string): Result<HeaderChanges> {
  const json = parseObject(text);
  if (json === undefined) return problem("it is not a JSON object");
  const unsupported = UNSUPPORTED.find((field) => Object.hasOwn(json, field));
  if (unsupported !== undefined) return problem(`${unsupported} is not supported`);
  const unknown = Object.keys(json).find((field) => !KNOWN.has(field));
  if (unknown !== undefined) return problem(`it has an unknown field ${JSON.stringify(unknown)}`);
  const set = singleValues(json["headers"], "headers");
  if (!set.ok) return set;
  const add = valueLists(json["headers_add"], "headers_add");
  if (!add.ok) return add;
  const remove = stringList(json["headers_remove"] ?? []);
  if (remove === undefined) return problem("headers_remove is not a list of header names");
  const rewrite = { set: set.value, remove, add: add.value };
  const wrong = wrongHeader(rewrite);
  return wrong === undefined
    ? ok({ ...rewrite, remove: remove.map((name) => name.toLowerCase()) })
    : problem(wrong);
}

function wrongHeader({ set, remove, add }: HeaderRewrite): string | undefined {
  const named = [...set, ...add];
  const name = [...named.map((header) => header.name), ...remove].find(
    (candidate) => !isHeaderName(candidate),
  );
  if (name !== undefined) return `${JSON.stringify(name)} is not the name of a header`;
  const header = named.find(({ value }) => !isHeaderValue(value));
  return header && `the value of ${header.name} can't stand in a header`;
}

function singleValues(value: unknown, field: string): Result<NamedValue[]> {
  const headers: NamedValue[] = [];
  for (const [name, text] of entriesOf(value) ?? [["", undefined]]) {
    if (typeof text !== "string") return problem(`${field} is not an object of texts`);
    headers.push({ name, value: text });
  }
  return ok(headers);
}

function valueLists(value: unknown, field: string): Result<NamedValue[]> {
  const headers: NamedValue[] = [];
  for (const [name, list] of entriesOf(value) ?? [["", undefined]]) {
    const texts = stringList(list);
    if (texts === undefined) return problem(`${field} is not an object of lists of texts`);
    // Lines of one name are one list (RFC 9110, 5.3).
    if (texts.length > 0) headers.push({ name, value: texts.join(", ") });
  }
  return ok(headers);
}

/** Undefined for what is no object. */
function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (value === undefined) return [];
  return isObject(value) ? Object.entries(value) : undefined;
}

function stringList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === "string");
  return texts.length === value.length ? texts : undefined;
}
