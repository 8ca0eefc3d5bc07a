/**
 * A value read from text or from an API server → a typed object, or what keeps it from being one. Checks what an API
 * server would check; what the object means is decided later.
 */
import type { KindMap, KindName } from "../api/kinds.js";
import { objectSchema } from "../api/schemas/schema.js";
import type { KubernetesObject } from "../api/wire.js";
import {
  type FieldPath,
  type ResourceRef,
  formatFieldPath,
  refKey,
} from "../diagnostics/diagnostic.js";
import { errorText } from "../support/text.js";
import { conform, readStatus, unknownFieldReports } from "./conform.js";
import type { Report } from "../diagnostics/sink.js";
import {
  apiVersions,
  headerProblem,
  isListKind,
  lookUpKind,
  lookUpKindName,
  malformed,
  misspeltHeader,
  misspeltList,
  otherVersion,
} from "./kind-lookup.js";
import type { KindDefinition, KindTable } from "./kind-table.js";
import {
  type AuthShape,
  closingFields,
  closingReport,
  isLostNull,
  isSelective,
  mayProtect,
  maySelect,
  mended,
  strayNames,
  isMisspeltTarget,
} from "./fail-closed.js";
import { type JsonObject, fieldsOf, isObject, present } from "../support/json-object.js";
import { checkMetadata } from "./rules/names.js";
import { closedForm, isClosable } from "./salvage.js";
import { schemaReports, validator } from "./schema-validation.js";

export interface DecodedObject<K extends KindName = KindName> {
  readonly kind: K;
  readonly object: KindMap[K];
}

/** A value of a kind that is read, or one whose kind is unclear. */
export interface DecodedValue {
  readonly result: "object" | "refused";
  /** Absent if it is unclear which object the value is. */
  readonly ref?: ResourceRef;
  readonly reports: readonly Report[];
  /** The object; of a refused one its closed form, if what it is for can be read. `key`: of its kind, namespace and name. */
  readonly served?: { readonly key: string; readonly entry: DecodedObject };
}

/** A value of a kind that is not read; such objects are counted, not checked. */
export interface UnknownKind {
  readonly result: "unknown";
  readonly apiVersion: string;
  readonly kind: string;
}

export type Decoded = DecodedValue | UnknownKind;

const DEFAULT_NAMESPACE = "default";

/** Metadata can be checked even where the rest of the object is wrong. */
const validateBase = validator<KubernetesObject>(objectSchema({}));

/** `list`: the kind of the document that contains the value, if it has items but is no List. */
export function decode(value: unknown, table: KindTable, list?: string): Decoded {
  try {
    return decodeValue(value, table, list);
  } catch (error: unknown) {
    const message = `reading it failed: ${errorText(error)}`;
    const finding: Report = { code: "INTERNAL_ERROR", field: [], message };
    return isObject(value) ? refusedByFault(value, finding, table) : refusal([finding]);
  }
}

/** A bug in reading an object refuses that object only; it is closed unless closing it fails too. */
function refusedByFault(value: JsonObject, finding: Report, table: KindTable): Decoded {
  const kind = lookUpKindName(table, textOf(value["kind"]));
  if (kind === undefined) return refusal([finding], refOf(value));
  const ref = refOf(withNamespace(value, table[kind].namespaced));
  try {
    return refusal([finding], ref, closedAs(kind, closedForm(kind, value)));
  } catch {
    return refusal([finding], ref);
  }
}

function decodeValue(value: unknown, table: KindTable, list?: string): Decoded {
  if (!isObject(value)) {
    // Not shown: text that has lost its structure may be a secret's.
    const found = Array.isArray(value) ? "a list" : value === null ? "empty" : "plain text";
    return refusal([malformed([], `a Kubernetes object was expected, but this is ${found}`)]);
  }
  const problem = headerProblem(value, table);
  if (problem !== undefined) return refusal([problem]);
  const [apiVersion, kind] = [textOf(value["apiVersion"]), textOf(value["kind"])];
  const lookup = lookUpKind(table, apiVersion, kind, value);
  if (list !== undefined && lookup.found !== "nothing")
    return refusedAs(lookup.kind, value, misspeltList(lookup.kind, list), table);
  switch (lookup.found) {
    case "nothing":
      return notRead(apiVersion, kind, table);
    case "misspelt":
      return refusedAs(lookup.kind, value, misspeltHeader(lookup, value, table), table);
    case "other-version":
      return refusedAs(lookup.kind, value, otherVersion(lookup.kind, apiVersion, table), table);
    case "kind":
      return decodeKind(lookup.kind, table, value);
  }
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- in the body K ties the kind to its definition and to the object
function decodeKind<K extends KindName>(kind: K, table: KindTable, given: JsonObject): Decoded {
  const definition: KindDefinition<KindMap[K]> = table[kind];
  const shape = shapeOf(kind, definition, given);
  const ref = refOf(shape.value);
  const refuse = (reports: readonly Report[], first: readonly Report[]): Decoded =>
    refusal(reports, ref, closedEntry(kind, definition, given, whatOf(first)));
  if (shape.refusals.length > 0)
    return refuse([...shape.refusals, ...shape.reports], shape.refusals);
  const checked = definition.validate(shape.value);
  if (!checked.valid) {
    const errors = schemaReports(checked.errors, shape.value, (field) => mayShow(kind, field));
    const base = validateBase(shape.value);
    const names = base.valid ? checkMetadata(base.value, definition.name) : [];
    return refuse([...shape.reports, ...errors, ...names], errors);
  }
  const problems = [
    ...checkMetadata(checked.value, definition.name),
    ...(definition.check?.(checked.value) ?? []),
  ];
  const reports = problems.length === 0 ? shape.reports : [...shape.reports, ...problems];
  if (problems.length > 0) return refuse(reports, problems);
  const object = definition.fill?.(checked.value) ?? checked.value;
  return { result: "object", ref, reports, served: { key: refKey(ref), entry: { kind, object } } };
}

function closedEntry(
  kind: KindName,
  { schema }: Pick<KindDefinition<never>, "schema">,
  given: JsonObject,
  what: string,
): DecodedValue["served"] {
  const value = mended(schema, given);
  if (!isObject(value)) return undefined;
  const { unknown } = conform(schema, value);
  const isGuarded = mayProtect(kind, given);
  const isWhole = !unknown.some(
    (field) => isSelective(field) || isMisspeltTarget(field) || (isGuarded && maySelect(field)),
  );
  return closedAs(kind, closedForm(kind, value, what, isWhole));
}

function closedAs(
  kind: KindName,
  object: DecodedObject["object"] | undefined,
): DecodedValue["served"] {
  return object && { key: refKey({ kind, ...object.metadata }), entry: { kind, object } };
}

const SAFE_FIELD = /^[\w.[\]-]{1,200}$/;

/** The wrong field, as responses name it in a header. Names of fields are written by users, so only simple ones are allowed. */
function whatOf([first]: readonly Report[]): string {
  const text = formatFieldPath(first?.field ?? []);
  return SAFE_FIELD.test(text) ? text : "the object";
}

/** Without `ref` it is unclear which object it is. */
function refusal(
  reports: readonly Report[],
  ref?: ResourceRef,
  served?: DecodedValue["served"],
): DecodedValue {
  return { result: "refused", reports, ...present("ref", ref), ...present("served", served) };
}

/** Thousands of objects share one empty list. */
const NONE: readonly never[] = [];

interface Shape {
  readonly value: JsonObject;
  readonly reports: readonly Report[];
  /** Reports that keep the object from being served. */
  readonly refusals: readonly Report[];
}

/** Drops nulls and unknown fields, and fills in defaults. The namespace comes first because it is part of the identity. */
function shapeOf(
  kind: KindName,
  definition: Pick<KindDefinition<never>, "schema" | "close" | "namespaced" | "status">,
  given: JsonObject,
): Shape {
  const { schema, namespaced, status } = definition;
  const isLost = isClosable(kind) ? isLostNull : undefined;
  const conformed = conform(schema, readStatus(status, given), isLost);
  const value = isObject(conformed.value) ? conformed.value : given;
  const all = { value, reports: NONE, unknown: conformed.unknown };
  const closed: AuthShape = definition.close?.(given, value, conformed.unknown) ?? all;
  const strays = isClosable(kind) ? [...closed.unknown, ...strayNames(value)] : [];
  const closing = closingFields(strays, strays.length > 0 && mayProtect(kind, given));
  const unknown = closed.unknown.filter((field) => !closing.includes(field));
  return {
    value: withNamespace(closed.value, namespaced),
    reports:
      unknown.length === 0 ? closed.reports : [...closed.reports, ...unknownFieldReports(unknown)],
    refusals: [...(closed.refusals ?? []), ...closing.map(closingReport)],
  };
}

function withNamespace(value: JsonObject, namespaced: boolean): JsonObject {
  const { metadata } = value;
  if (!isObject(metadata)) return value;
  const given = metadata["namespace"];
  const missing = given === undefined || given === "";
  const namespace = !namespaced ? "" : missing ? DEFAULT_NAMESPACE : given;
  if (given === namespace) return value;
  return { ...value, metadata: { ...metadata, namespace } };
}

/** Parts that the value lacks are empty. */
function refOf(value: JsonObject): ResourceRef {
  const metadata = fieldsOf(value["metadata"]);
  return {
    apiVersion: textOf(value["apiVersion"]),
    kind: textOf(value["kind"]),
    namespace: textOf(metadata["namespace"]),
    name: textOf(metadata["name"]),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether messages may show the field. The annotations of a Secret may contain a copy of all of it. */
function mayShow(kind: KindName, field: FieldPath): boolean {
  if (kind !== "Secret") return true;
  const [first = "", second = ""] = field;
  if (first === "metadata") return second !== "annotations";
  return first === "type" || first === "immutable";
}

/** Closes the object as one of the kind that it probably is. */
function refusedAs(kind: KindName, value: JsonObject, finding: Report, table: KindTable): Decoded {
  const { namespaced, schema } = table[kind];
  const [apiVersion = ""] = apiVersions(table, kind);
  const ref = refOf(withNamespace({ ...value, kind }, namespaced));
  const meant = { ...value, apiVersion, kind };
  return refusal([finding], ref, closedEntry(kind, { schema }, meant, whatOf([finding])));
}

function notRead(apiVersion: string, kind: string, table: KindTable): Decoded {
  if (!isListKind(table, kind)) return { result: "unknown", apiVersion, kind };
  return refusal([malformed(["items"], `${kind} needs items`, "write items: [] for none")]);
}
