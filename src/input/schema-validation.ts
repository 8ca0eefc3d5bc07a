/** Validates values by their schemas and reports each error of ajv in plain English. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type JsonSchema, KUBERNETES_KEYWORDS } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../support/did-you-mean.js";
import { isObject, own } from "../support/json-object.js";
import type { Report } from "../diagnostics/sink.js";
import { hostHint, hostProblem, invalid, missing, shown } from "./rules/names.js";

/** For one object: a hostile object could have millions of errors. */
const MAX_REPORTS = 50;

/** Whether a message may show the value of a field; false for what may be secret. */
type MayShow = (field: FieldPath) => boolean;

export function schemaReports(
  errors: readonly ErrorObject[],
  root: unknown,
  mayShow: MayShow,
): readonly Report[] {
  const reports: Report[] = [];
  for (const error of errors) {
    // The branches of an anyOf report their errors too, but the anyOf itself says what is wanted.
    if (error.schemaPath.includes("/anyOf/")) continue;
    if (reports.length === MAX_REPORTS) break;
    reports.push(reportOf(error, root, mayShow));
  }
  return reports;
}

/** A value that breaks a keyword of its schema. */
interface Failure {
  readonly field: FieldPath;
  /** The subject of the message. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly mayShow: boolean;
  /** `, but is …`; empty where the value may not be shown. */
  readonly but: string;
}

function reportOf(error: ErrorObject, root: unknown, mayShow: MayShow): Report {
  const field = fieldOf(error.instancePath, root);
  const name = nameOf(field);
  if (error.keyword === "required") {
    const property = missingProperty(error);
    return missing([...field, property], `${name} needs the field ${property}`);
  }
  const schema: unknown = error.parentSchema;
  const value: unknown = error.data;
  const visible = mayShow(field);
  const failure = {
    ...{ field, name, value, mayShow: visible },
    schema: isSchema(schema) ? schema : {},
    but: visible ? `, but is ${shown(value)}` : "",
  };
  return (
    own(KEYWORDS, error.keyword)?.(failure) ??
    invalid(field, `${name} ${error.message ?? "is invalid"}`)
  );
}

const KEYWORDS: Readonly<Record<string, (failure: Failure) => Report>> = {
  type: wrongType,
  anyOf: wrongType,
  enum: notInEnum,
  minimum: outOfRange,
  maximum: outOfRange,
  minLength: wrongLength,
  maxLength: wrongLength,
  minItems: wrongCount,
  maxItems: wrongCount,
  maxProperties: ({ field, name, schema }) =>
    invalid(field, `${name} must have ${range(undefined, schema.maxProperties)} entries`),
  pattern: wrongText,
};

const TYPE_NAMES: Readonly<Record<NonNullable<JsonSchema["type"]>, string>> = {
  object: "a mapping",
  array: "a list",
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

function wrongType({ field, name, schema, value, mayShow, but }: Failure): Report {
  const types = schema.anyOf?.map((branch) => branch.type) ?? [schema.type];
  const wanted = types.map((type) => (type === undefined ? "another type" : TYPE_NAMES[type]));
  return invalid(
    field,
    `${name} must be ${orList(wanted)}${but}`,
    typeHint(schema, value, mayShow),
  );
}

function notInEnum({ field, name, schema, value, but }: Failure): Report {
  const values = schema.enum ?? [];
  const near = typeof value === "string" ? didYouMean(value, values) : undefined;
  return invalid(
    field,
    `${name} must be ${orList(values.map(shown))}${but}`,
    near === undefined ? undefined : `did you mean ${shown(near)}?`,
  );
}

/** What texts of a pattern are, and advice for a value that is none; `*` in a pattern of names allows a wildcard. */
const PATTERNS: readonly {
  readonly pattern: RegExp;
  readonly noun: string;
  readonly hint: (value: string) => string | undefined;
}[] = [
  {
    pattern: /^\^\(\[0-9\]\{1,5\}\(h\|m\|s\|ms\)\)/,
    noun: "a duration such as 10s or 500ms",
    hint: (value) => (/^\d{1,5}$/.test(value) ? `add the unit, such as ${value}s` : undefined),
  },
  {
    pattern: /^\^\(\\\*\\\.\)\?\[a-z0-9\]/,
    noun: "a DNS name such as a.example or *.a.example",
    hint: (value) => hostHint(value, hostProblem),
  },
];

function wrongText({
  field,
  name,
  schema: { pattern = "" },
  value,
  mayShow,
  but,
}: Failure): Report {
  const known = PATTERNS.find((each) => each.pattern.test(pattern));
  if (known === undefined) return invalid(field, `${name} must match ${pattern}${but}`);
  const hint = mayShow && typeof value === "string" ? known.hint(value) : undefined;
  return invalid(field, `${name} must be ${known.noun}${but}`, hint);
}

function outOfRange({ field, name, schema, but }: Failure): Report {
  return invalid(field, `${name} must be ${range(schema.minimum, schema.maximum)}${but}`);
}

function wrongLength({ field, name, schema }: Failure): Report {
  return invalid(
    field,
    `${name} must have ${range(schema.minLength, schema.maxLength)} characters`,
  );
}

function wrongCount({ field, name, schema }: Failure): Report {
  return invalid(field, `${name} must have ${range(schema.minItems, schema.maxItems)} items`);
}

function range(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `from ${low} to ${high}`;
  return low === undefined ? `at most ${high ?? 0}` : `at least ${low}`;
}

function orList(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

/** ajv returns the schemas that it was given. */
function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

function missingProperty(error: ErrorObject): string {
  const params: unknown = error.params;
  const property = isObject(params) ? params["missingProperty"] : undefined;
  return typeof property === "string" ? property : "";
}

function nameOf(field: FieldPath): string {
  const last = field.at(-1);
  if (last === undefined) return "the object";
  if (typeof last === "string") return last;
  const list = field.findLast((step) => typeof step === "string");
  return list === undefined ? "an item" : `an item of ${list}`;
}

/** A JSON pointer (RFC 6901) as a path. The value at `root` shows whether a number is a position in a list or the name of a property. */
function fieldOf(pointer: string, root: unknown): FieldPath {
  let value = root;
  return pointer
    .split("/")
    .slice(1)
    .map((token) => {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(value)) {
        const index = Number(name);
        value = value[index];
        return index;
      }
      value = isObject(value) && own(value, name);
      return name;
    });
}

const REMOVE_QUOTES = "remove the quotes";

/** Advice for common YAML mistakes that give a value the wrong type. */
function typeHint(
  { type, pattern }: JsonSchema,
  value: unknown,
  mayShow: boolean,
): string | undefined {
  if (value === null) return "give it a value, or remove it";
  if (type === "string") return textHint(pattern, value, mayShow);
  if (type === "array") return "write it as a list, each item after '- '";
  if (typeof value !== "string") return undefined;
  if (type === "integer") return /^-?\d+$/.test(value) ? REMOVE_QUOTES : undefined;
  if (type === "boolean") return /^(true|false)$/i.test(value) ? REMOVE_QUOTES : undefined;
  return undefined;
}

function textHint(
  pattern: string | undefined,
  value: unknown,
  mayShow: boolean,
): string | undefined {
  if (typeof value === "number") {
    const known = PATTERNS.find((each) => pattern !== undefined && each.pattern.test(pattern));
    const hint = mayShow ? known?.hint(String(value)) : undefined;
    if (hint !== undefined) return hint;
    return mayShow ? `put the value in quotes: "${value}"` : "put the value in quotes";
  }
  return typeof value === "boolean"
    ? "put the value in quotes; YAML reads on, off, yes, no, y and n as true and false"
    : undefined;
}

/** Checks whether a value is a T. */
export type Validate<T> = (
  value: unknown,
) =>
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly errors: readonly ErrorObject[] };

const OPTIONS = {
  allErrors: true,
  verbose: true,
  keywords: [...KUBERNETES_KEYWORDS],
  // A unit test checks the schemas themselves; doing it at each start would take longer than compiling one.
  meta: false,
  validateSchema: false,
  // Optimizing the generated code takes as long as generating it, and what it saves for ten thousand objects is not measurable.
  code: { optimize: false },
};
let ajv: Ajv | undefined;

/** Compiles the schema when it is first used, so that a kind without objects costs nothing. */
export function validator<T>(schema: JsonSchema): Validate<T> {
  let compiled: ValidateFunction<T> | undefined;
  return (value) => {
    ajv ??= new Ajv(OPTIONS);
    compiled ??= ajv.compile<T>(schema);
    return compiled(value)
      ? { valid: true, value }
      : { valid: false, errors: compiled.errors ?? [] };
  };
}
