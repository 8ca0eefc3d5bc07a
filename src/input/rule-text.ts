/** The old texts of a Rule that say what it is for, such as `dsl: (AND (EQ HOST a.example) (STARTS_WITH URL /admin))`: only dslx is read. */
import type { JsonObject } from "../support/json-object.js";
import { DSLX_TYPES } from "../api/alb.js";
import type { DslxTerm, Rule } from "../api/alb.js";
import type { Reports } from "./rules/names.js";
import { holdsTerms } from "./misspelt-fields.js";
import { fieldsOf, textsOf } from "./reading.js";

/** Without dslx the origin skips a Rule; one with such a text may be meant to protect something. */
export function* checkRule({ spec }: Rule): Reports {
  const field = textOf(spec);
  if (field === undefined) return;
  const message = `spec.${field} is not read and there is no dslx; what the Rule is for answers 503, since it may protect it`;
  yield { code: "RULE_WITHOUT_MATCH", message, field: ["spec", field], at: "key" };
}

/** The dslx that such a text means, null where that can't be told; nothing where dslx counts. */
export function termsOfTexts(spec: JsonObject): { readonly dslx?: readonly DslxTerm[] | null } {
  const { dsl, domain, url } = spec;
  if (textOf(spec) === undefined) return {};
  if (isWritten(dsl)) return { dslx: termsOf(dsl) ?? null };
  const dslx = [
    ...(isWritten(domain) ? [{ type: "HOST", values: [["EQ", domain]] }] : []),
    ...(isWritten(url) ? [{ type: "URL", values: [["STARTS_WITH", url]] }] : []),
  ];
  return { dslx };
}

/** The first text, where no term has a row. */
function textOf({ dslx = [], ...texts }: JsonObject): "dsl" | "domain" | "url" | undefined {
  const isEmpty =
    Array.isArray(dslx) && dslx.every((term) => textsOf(fieldsOf(term)["values"]).length === 0);
  if (!isEmpty || Object.values(texts).some(holdsTerms)) return undefined;
  return (["dsl", "domain", "url"] as const).find((name) => isWritten(texts[name]));
}

function isWritten(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** Terms in AND, of which each is a row or rows in OR. */
function termsOf(text: string): readonly DslxTerm[] | undefined {
  const [expression, ...more] = groupsOf(text) ?? [];
  if (expression === undefined || more.length > 0) return undefined;
  const terms = operandsOf("AND", expression).map(termOf);
  const read = terms.filter((term) => term !== undefined);
  return read.length < terms.length ? undefined : read;
}

/** Undefined: its rows do not look at one and the same thing. */
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

/** What the operator joins; the expression itself if it is of another. */
function operandsOf(operator: string, expression: string): readonly string[] {
  const text = expression.trimStart();
  const isOf = text.startsWith(operator) && /^[\s(]/.test(text.slice(operator.length));
  return (isOf ? groupsOf(text.slice(operator.length)) : undefined) ?? [expression];
}

/** What stands in parentheses, one beside the other; undefined: something else does, too. */
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
