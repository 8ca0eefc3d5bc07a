/**
 * Unknown fields that may be misspelt ones which protect requests or select them. Ignoring such a field could leave its requests without
 * auth. An API server refuses or drops it; here it closes the object.
 */
import { AUTH_METHOD_NAMES } from "../api/auth.js";
import type { KindName } from "../api/kinds.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import { formatFieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean, isNear } from "../support/did-you-mean.js";
import type { JsonObject } from "../support/json-object.js";
import { isObject, own } from "../support/json-object.js";
import type { UnknownField } from "./conform.js";
import type { Report } from "../diagnostics/sink.js";

/** Fields that protect requests or select them. */
const DECISIVE: readonly string[] = [
  ...["auth", ...AUTH_METHOD_NAMES, "metadata", "namespace", "labels", "annotations", "spec"],
  ...["config", "filters"],
  ...["rules", "host", "http", "paths", "path", "pathType", "defaultBackend"],
  ...["hostnames", "parentRefs", "targetRefs", "sectionName", "matches", "value", "extensionRef"],
  ...["dslx", "type", "key", "values", "priority", "listeners", "hostname", "name"],
  ...["port", "protocol", "method", "service", "headers", "queryParams"],
];

const PROTECTS = /auth|restrict|(?:allow|deny|white|black)-?list|source-range/i;
const AUTH_FILTERS: readonly unknown[] = ["AuthPolicy", "ExternalAuth", "ExtensionRef"];

/** Charts print empty `annotations` and `labels`; the others may be empty in a backend. */
const OFTEN_EMPTY: readonly string[] = ["annotations", "labels", "name", "port", "protocol"];

/** A null `host:` or `paths:` would widen an object and a null `filters:` open it, so such a null counts as a lost value. */
export function isLostNull(name: string): boolean {
  return DECISIVE.includes(name) && !OFTEN_EMPTY.includes(name);
}

/** Fields that select requests and that other APIs call by similar names (`hosts`, `match`). */
const SELECTING: readonly string[] = [
  ...["dslx", "host", "hostnames", "http", "matches", "parentRefs", "path", "paths", "rules"],
];

/** Whether an unknown field may be a misspelt selecting one that its place lacks. */
export function maySelect({ value, absent, preserved }: UnknownField): boolean {
  const isText = typeof value === "object" || typeof value === "string";
  return !preserved && isText && absent.some((name) => SELECTING.includes(name));
}

/** Whether the object has auth settings or is a Rule with terms, because a wider Rule may lack the auth that this one inherits. */
export function mayProtect(kind: KindName, object: JsonObject): boolean {
  return (
    protects(object) ||
    (kind === "Rule" && Object.values(own(object, "spec") ?? {}).some(holdsTerms))
  );
}

/** Whether the value of a Rule's field looks like dslx. */
export function holdsTerms(value: unknown): boolean {
  return (
    Array.isArray(value) && value.some((term) => isObject(term) && Object.hasOwn(term, "values"))
  );
}

/** The unknown fields that close the object. */
export function closingFields(
  unknown: readonly UnknownField[],
  isGuarded: boolean,
): readonly UnknownField[] {
  return unknown.filter((each) => {
    const { field, value, absent, preserved } = each;
    const name = String(field.at(-1));
    if (isGuarded && maySelect(each)) return true;
    if (PROTECTS.test(name) || protects(value)) return true;
    if (meantField(name, absent, DECISIVE) !== undefined) return true;
    // A key of labels or annotations that is indented too little.
    if (field[0] === "metadata" && name.includes("/")) return true;
    return !preserved && isDecisive({ field });
  });
}

/** Whether the field has the name of one that protects or selects in another place. */
export function isDecisive({ field }: Pick<UnknownField, "field">): boolean {
  const name = String(field.at(-1)).toLowerCase();
  return DECISIVE.some((known) => known.toLowerCase() === name);
}

/** A `namespace` among the labels or annotations is probably indented too much. */
export function strayNames(value: JsonObject): readonly UnknownField[] {
  const metadata = own(value, "metadata");
  if (!isObject(metadata) || hasValue(metadata, "namespace")) return [];
  return ["labels", "annotations"].flatMap((map): readonly UnknownField[] => {
    const texts = own(metadata, map);
    if (!isObject(texts) || !hasValue(texts, "namespace")) return [];
    const field = ["metadata", map, "namespace"];
    return [{ field, value: "", known: [], absent: ["namespace"], preserved: false }];
  });
}

const OF_METADATA: readonly string[] = ["metadata", "namespace", "labels", "annotations", "name"];

/** Whether the field may select requests; fields of metadata only identify the object. */
export function isSelective(unknown: Pick<UnknownField, "field">): boolean {
  return isDecisive(unknown) && !OF_METADATA.includes(String(unknown.field.at(-1)).toLowerCase());
}

export function closingReport({ field, absent }: UnknownField): Report {
  const name = String(field.at(-1));
  const parent = formatFieldPath(field.slice(0, -1));
  const message = `${parent === "" ? "the object" : parent} has no field ${name}; what the object is for answers 503, since it may protect it`;
  const meant = meantField(name, absent, DECISIVE) ?? didYouMean(name, absent);
  const hint = meant === undefined ? {} : { hint: `did you mean ${meant}?` };
  return { code: "FIELD_MISPLACED", message, field, at: "key", ...hint };
}

/** Whether the value contains an auth setting at any depth. */
export function protects(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(protects);
  if (!isObject(value)) return AUTH_FILTERS.includes(value);
  return Object.entries(value).some(([name, inner]) => PROTECTS.test(name) || protects(inner));
}

/** The absent field that the name probably means. */
function meantField(
  name: string,
  absent: readonly string[],
  decisive: readonly string[],
): string | undefined {
  return absent.find((known) => decisive.includes(known) && isNear(name, known));
}

/** Renames misspelt fields to the absent fields that they probably mean. */
export function mended(schema: JsonSchema, value: unknown): unknown {
  const { items, properties, additionalProperties } = schema;
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item) => mended(items, item));
  }
  if (!isObject(value)) return value;
  const known = properties ?? {};
  const absent = Object.keys(known).filter((name) => !hasValue(value, name));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const meant = Object.hasOwn(known, name) ? name : (meantField(name, absent, absent) ?? name);
      const inside = own(known, meant) ?? additionalProperties;
      return [meant, inside === undefined ? inner : mended(inside, inner)];
    }),
  );
}

function hasValue(value: JsonObject, name: string): boolean {
  return own(value, name) !== undefined && own(value, name) !== null;
}

/** The values of all fields with such a name, at any depth. */
export function valuesOf(value: unknown, isName: (name: string) => boolean): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, isName));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    isName(name) ? [inner] : valuesOf(inner, isName),
  );
}
