/** ajv's errors → one finding each, in plain English. */
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import type { JsonSchema } from "../api/schemas/schema.js";
import { KUBERNETES_KEYWORDS } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../support/did-you-mean.js";
import { isObject, own } from "../support/json-object.js";
import type { Report } from "../diagnostics/sink.js";
import { invalid, missing, shown } from "./rules/names.js";

/** More of one object help nobody, and a hostile one could have millions. */
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
    // Each branch of an anyOf reports its own failure; the anyOf itself says what was wanted.
    if (error.schemaPath.includes("/anyOf/")) continue;
    if (reports.length === MAX_REPORTS) break;
    reports.push(finding(error, root, mayShow));
  }
  return reports;
}

/** One value that breaks one keyword of its schema. */
interface Failure {
  readonly field: FieldPath;
  /** How a sentence calls the value. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly mayShow: boolean;
  /** `, but is …`; empty where the value may not be shown. */
  readonly but: string;
}

function finding(error: ErrorObject, root: unknown, mayShow: MayShow): Report {
  const field = fieldOf(error.instancePath, root);
  const name = nameOf(field);
  if (error.keyword === "required") {
    const property = missingProperty(error);
    return missing([...field, property], `${name} needs the field ${property}`);
  }
  const schema: unknown = error.parentSchema;
  const value: unknown = error.data;
  const visible = mayShow(field);
  const explain = own(KEYWORDS, error.keyword);
  const failure = {
    field,
    name,
    schema: isSchema(schema) ? schema : {},
    value,
    mayShow: visible,
    but: visible ? `, but is ${shown(value)}` : "",
  };
  return explain?.(failure) ?? invalid(field, `${name} ${error.message ?? "is invalid"}`);
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
  pattern: ({ field, name, schema, but }) =>
    invalid(field, `${name} must match ${schema.pattern ?? "its pattern"}${but}`),
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

/** ajv hands back the schemas that it was given, and those are ours. */
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

/** A JSON pointer as a path; only the value tells a list's position from a property that looks like one. */
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

/** The commonest slips of YAML writers, where a value is of another type than it should be. */

const REMOVE_QUOTES = "remove the quotes";

/** Advice, if the slip is plain; `mayShow` says whether it may repeat the value. */
function typeHint({ type }: JsonSchema, value: unknown, mayShow: boolean): string | undefined {
  if (value === null) return "give it a value, or remove it";
  if (type === "string") return textHint(value, mayShow);
  if (type === "array") return "write it as a list, each item after '- '";
  if (typeof value !== "string") return undefined;
  if (type === "integer") return /^-?\d+$/.test(value) ? REMOVE_QUOTES : undefined;
  if (type === "boolean") return /^(true|false)$/i.test(value) ? REMOVE_QUOTES : undefined;
  return undefined;
}

function textHint(value: unknown, mayShow: boolean): string | undefined {
  if (typeof value === "number") {
    return mayShow ? `put the value in quotes: "${value}"` : "put the value in quotes";
  }
  return typeof value === "boolean"
    ? "put the value in quotes; YAML reads on, off, yes, no, y and n as true and false"
    : undefined;
}

/** Says whether a value has the shape of T, and if not, why. */
export type Validate<T> = (
  value: unknown,
) =>
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly errors: readonly ErrorObject[] };

const OPTIONS = {
  allErrors: true,
  verbose: true,
  keywords: [...KUBERNETES_KEYWORDS],
  // test/unit/api/schemas/schema.test.ts checks the schemas themselves; at each start that would cost more than compiling one.
  meta: false,
  validateSchema: false,
};
let ajv: Ajv | undefined;

/** Compiled when first used: a run over Ingresses alone does not pay for the other kinds. */
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
