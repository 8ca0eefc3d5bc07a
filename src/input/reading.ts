/** Reads refused objects in any shape, and notes what is lost: what all readers share, and ALB2s, Frontends and Rules. */
import { DSLX_TYPES, type DslxTerm, type Rule } from "../api/alb.js";
import type { Closed } from "../api/wire.js";
import { isNear } from "../support/did-you-mean.js";
import { type JsonObject, fieldsOf, isObject, isTexts, own } from "../support/json-object.js";
import { holdsTerms, valuesOf } from "./fail-closed.js";
import { type Reports, hostProblem } from "./rules/names.js";

export class Reading {
  readonly #object: JsonObject;
  extent: Closed["extent"] = "paths";

  constructor(object: JsonObject) {
    this.#object = object;
  }

  losePath(): void {
    if (this.extent === "paths") this.extent = "hosts";
  }

  loseHost(): void {
    this.extent = "namespace";
  }

  /** The fields of a value that should be a mapping. */
  fields(value: unknown): JsonObject {
    if (!isObject(value)) this.losePath();
    return fieldsOf(value);
  }

  /** The items of a value that should be a list; another value counts as its only item. */
  items(value: unknown): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.losePath();
    return value === null ? [] : [value];
  }

  /** Host names in any shape; an empty list means all hosts. `given`: the value of their field; `names`: names of fields that may contain hosts. */
  hosts(given: unknown, names: readonly string[]): readonly string[] {
    const isGiven = given !== undefined;
    const values = isGiven ? [given] : this.#strayHosts(names);
    const texts = values.flatMap(wordsOf).map((text) => text.trim().toLowerCase());
    const hosts = texts.filter((text) => text !== "" && hostProblem(text) === undefined);
    // In a value of the wrong shape, a word without a dot is probably no host.
    const isShaped =
      given !== null && typeof given === (names.includes("hosts") ? "string" : "object");
    const isLost = !isShaped && (texts.length === 0 || hosts.some((host) => !host.includes(".")));
    const count = Array.isArray(given) ? given.length : 1;
    const isShort = isGiven && count > texts.length;
    if (hosts.length < texts.length || isShort || (isGiven && isLost)) this.loseHost();
    return hosts;
  }

  /** The values of misplaced host fields. */
  #strayHosts(names: readonly string[]): readonly unknown[] {
    if (this.extent === "paths") return [];
    const { spec, ...rest } = this.#object;
    return valuesOf([spec, rest], (name) => names.some((known) => isNear(name, known)));
  }
}

/** The field with a port of at least `least`; undefined for another value. */
export function portField(name: string, value: unknown, least: number): JsonObject | undefined {
  const port = typeof value === "string" && value !== "" ? Number(value) : value;
  const isPort =
    typeof port === "number" && Number.isInteger(port) && port >= least && port < 65536;
  return isPort ? { [name]: port } : undefined;
}

/** Those of the fields that are texts; all texts without `names`. */
export function textFields(value: unknown, names?: readonly string[]): JsonObject {
  const entries = Object.entries(fieldsOf(value)).filter(
    ([name, text]) => typeof text === "string" && names?.includes(name) !== false,
  );
  return Object.fromEntries(entries);
}

export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isObject(value)) return Object.values(value).flatMap(textsOf);
  return isScalar(value) ? [String(value)] : [];
}

/** Strings only: a number or boolean means that a string was lost. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  return isObject(value) ? Object.values(value).flatMap(wordsOf) : [];
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

export function readAlb(spec: JsonObject): JsonObject {
  const { enableIngress, ingressHTTPPort, ingressHTTPSPort } = fieldsOf(own(spec, "config"));
  const isOff = String(enableIngress).toLowerCase() === "false";
  return {
    type: "nginx",
    config: {
      ...(isOff && { enableIngress: false }),
      ...portField("ingressHTTPPort", ingressHTTPPort, 0),
      ...portField("ingressHTTPSPort", ingressHTTPSPort, 0),
    },
  };
}

export function readFrontend(spec: JsonObject): JsonObject | undefined {
  const port = portField("port", spec["port"], 1);
  return port && { ...port, ...textFields(spec, ["protocol", "certificate_name"]) };
}

/** Sorts before every other: a priority that can't be read may have been any. */
const FIRST = -(2 ** 31);

/** Types of terms that select less than a host. */
const TERMS: readonly unknown[] = ["URL", "METHOD", "HEADER", "COOKIE", "PARAM", "SRC_IP"];

/** Terms and rows that can't be read stay, for the translation to refuse. */
export function readRule(spec: JsonObject, reading: Reading): JsonObject {
  const { dsl, priority } = spec;
  // `dsl` is a text; terms in it are a misplaced dslx.
  if (dsl !== undefined && typeof dsl !== "string") reading.losePath();
  const { dslx = Object.values(spec).find(holdsTerms) } = { ...spec, ...termsOfTexts(spec) };
  if (dslx === null) reading.loseHost();
  const terms = reading.items(dslx).map((term) => {
    const { type, key, values } = fieldsOf(term);
    const rows = reading.items(values).map((row) => (isTexts(row) ? row : []));
    if (rows.length === 0 || rows.some((row) => row.length === 0) || typeof type !== "string") {
      if (type === "HOST" || !TERMS.includes(type)) reading.loseHost();
      else reading.losePath();
    }
    return {
      type: typeof type === "string" ? type : "",
      ...(isScalar(key) && { key: String(key) }),
      values: rows.length === 0 ? [[]] : rows,
    };
  });
  if (terms.length === 0 && reading.extent !== "paths") reading.loseHost();
  const number = Number(priority);
  const read = priority !== null && Number.isSafeInteger(number) ? number : FIRST;
  return { dslx: terms, ...(priority !== undefined && { priority: read }) };
}

/** What an old text of a Rule selects, such as `dsl: (AND (EQ HOST a.example) (STARTS_WITH URL /admin))`. Served Rules are read by dslx alone. */

/** The origin skips a Rule without dslx, but one with such a text may be meant to protect something. */
export function* checkRule({ spec }: Rule): Reports {
  const field = selectingText(spec);
  if (field === undefined) return;
  const message = `spec.${field} is not read and there is no dslx; what the Rule is for answers 503, since it may protect it`;
  yield { code: "RULE_WITHOUT_MATCH", message, field: ["spec", field], at: "key" };
}

/** The dslx that such a text means; null if it is unclear, and nothing if the Rule has dslx of its own. */
export function termsOfTexts(spec: JsonObject): { readonly dslx?: readonly DslxTerm[] | null } {
  const { dsl, domain, url } = spec;
  if (selectingText(spec) === undefined) return {};
  if (isWritten(dsl)) return { dslx: termsOf(dsl) ?? null };
  const dslx = [
    ...(isWritten(domain) ? [{ type: "HOST", values: [["EQ", domain]] }] : []),
    ...(isWritten(url) ? [{ type: "URL", values: [["STARTS_WITH", url]] }] : []),
  ];
  return { dslx };
}

/** The field of the first such text of a Rule whose terms have no rows. */
function selectingText({ dslx = [], ...texts }: JsonObject): "dsl" | "domain" | "url" | undefined {
  const isEmpty =
    Array.isArray(dslx) && dslx.every((term) => textsOf(fieldsOf(term)["values"]).length === 0);
  if (!isEmpty || Object.values(texts).some(holdsTerms)) return undefined;
  return (["dsl", "domain", "url"] as const).find((name) => isWritten(texts[name]));
}

function isWritten(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** Reads terms joined by AND; each is a row, or rows joined by OR. Undefined: one of them can't be read. */
function termsOf(text: string): readonly DslxTerm[] | undefined {
  const [expression, ...more] = groupsOf(text) ?? [];
  if (expression === undefined || more.length > 0) return undefined;
  const terms = operandsOf("AND", expression).map(termOf);
  const read = terms.filter((term) => term !== undefined);
  return read.length < terms.length ? undefined : read;
}

/** Undefined: its rows do not all compare the same part of a request. */
function termOf(expression: string): DslxTerm | undefined {
  const rows = operandsOf("OR", expression).map(rowOf);
  const [first] = rows;
  const isOne = rows.every(({ type, key }) => type === first?.type && key === first.key);
  if (first === undefined || !isOne || !DSLX_TYPES.some((type) => type === first.type)) {
    return undefined;
  }
  const { type, key } = first;
  return { type, ...(key !== undefined && { key }), values: rows.map(({ row }) => row) };
}

const KEYED: readonly string[] = ["HEADER", "PARAM", "COOKIE"];

function rowOf(expression: string): { type: string; key?: string; row: readonly string[] } {
  const words = expression.match(/"[^"]*"|\S+/g) ?? [];
  const [operator = "", type = "", ...rest] = words.map((word) => word.replace(/^"(.*)"$/s, "$1"));
  if (!KEYED.includes(type)) return { type, row: [operator, ...rest] };
  const [key = "", ...args] = rest;
  return { type, key, row: [operator, ...args] };
}

/** The operands of the operator, or the expression itself if it has another operator. */
function operandsOf(operator: string, expression: string): readonly string[] {
  const text = expression.trimStart();
  const isOf = text.startsWith(operator) && /^[\s(]/.test(text.slice(operator.length));
  return (isOf ? groupsOf(text.slice(operator.length)) : undefined) ?? [expression];
}

/** The contents of consecutive parentheses; undefined if there is text outside of them. */
function groupsOf(text: string): readonly string[] | undefined {
  const groups: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "(" && depth++ === 0) start = i + 1;
    if (character === ")" && --depth === 0) groups.push(text.slice(start, i));
    if (depth < 0 || (depth === 0 && !/[\s)]/.test(character))) return undefined;
  }
  return depth === 0 ? groups : undefined;
}
