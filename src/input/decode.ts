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
import { type PromisedSecret, promisedBy } from "./assumed.js";
import { KUSTOMIZE_HINT } from "../diagnostics/unrendered.js";
import { errorText } from "../support/text.js";
import { conform, readStatus, unknownFieldReports } from "./conform.js";
import type { Report } from "../diagnostics/sink.js";
import { closedForm } from "./closed-form.js";
import { headerProblem, isListKind, lookUpKind, malformed } from "./kind-lookup.js";
import type { KindDefinition, KindTable } from "./kind-table.js";
import {
  type JsonObject,
  fieldsOf,
  isObject,
  itemsOf,
  own,
  present,
} from "../support/json-object.js";
import { checkMetadata } from "./rules/names.js";
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
  /** The Secret that its controller makes. */
  readonly promised?: PromisedSecret;
}

export type Decoded = DecodedValue | UnknownKind;

const DEFAULT_NAMESPACE = "default";

/** Metadata can be checked even where the rest of the object is wrong. */
const validateBase = validator<KubernetesObject>(objectSchema({}));

/**
 * `written`: of a value that is read strictly, so that unknown fields refuse it, too: what is wrong with its text. An API server has removed
 * fields that it does not know; its CRDs may be newer.
 */
export function decode(value: unknown, table: KindTable, written?: readonly Report[]): Decoded {
  try {
    return decodeValue(value, table, written);
  } catch (error: unknown) {
    const message = `reading it failed: ${errorText(error)}`;
    const finding: Report = { code: "INTERNAL_ERROR", field: [], message };
    return isObject(value) ? refusedByFault(value, finding, table) : refusal([finding]);
  }
}

/** A bug in reading an object refuses that object only; it is closed unless closing it fails too. */
function refusedByFault(value: JsonObject, finding: Report, table: KindTable): Decoded {
  const lookup = lookUpKind(table, textOf(value["apiVersion"]), textOf(value["kind"]));
  if (lookup.found !== "kind") return refusal([finding], refOf(value));
  try {
    return refused(lookup.kind, table[lookup.kind], value, [finding]);
  } catch {
    return refusal([finding], refAs(lookup.kind, value, table));
  }
}

function decodeValue(
  value: unknown,
  table: KindTable,
  written: readonly Report[] | undefined,
): Decoded {
  if (!isObject(value)) {
    // Not shown: text that has lost its structure may be a secret's.
    const found = Array.isArray(value) ? "a list" : value === null ? "empty" : "plain text";
    const hint = isPatch(value) ? `this is a JSON patch: ${KUSTOMIZE_HINT}` : undefined;
    return refusal([malformed([], `a Kubernetes object was expected, but this is ${found}`, hint)]);
  }
  const problem = headerProblem(value, table);
  if (problem !== undefined) return refusal([...(written ?? NONE), problem]);
  const [apiVersion, kind] = [textOf(value["apiVersion"]), textOf(value["kind"])];
  const lookup = lookUpKind(table, apiVersion, kind);
  switch (lookup.found) {
    case "nothing":
      return notRead(apiVersion, kind, value, table);
    case "other":
      return refusal([lookup.report], refAs(lookup.kind, value, table));
    case "kind":
      return decodeKind(lookup.kind, table, value, written);
  }
}

/** RFC 6902. */
function isPatch(value: unknown): boolean {
  return itemsOf(value).length > 0 && itemsOf(value).every((item) => "op" in fieldsOf(item));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- in the body K ties the kind to its definition and to the object
function decodeKind<K extends KindName>(
  kind: K,
  table: KindTable,
  given: JsonObject,
  written: readonly Report[] | undefined,
): Decoded {
  const definition: KindDefinition<KindMap[K]> = table[kind];
  if (isObject(own(given, "sops"))) return refused(kind, definition, given, [ENCRYPTED]);
  const conformed = conform(definition.schema, readStatus(definition.status, given));
  const value = isObject(conformed.value) ? conformed.value : given;
  const placed = withNamespace(value, definition.namespaced);
  const unknown = written ? [...written, ...unknownFieldReports(conformed.unknown)] : NONE;
  const checked = definition.validate(placed);
  if (!checked.valid) {
    const errors = schemaReports(checked.errors, placed, (field) => mayShow(kind, field));
    const base = validateBase(placed);
    const names = base.valid ? checkMetadata(base.value, definition.name) : NONE;
    return refused(kind, definition, given, [...unknown, ...errors, ...names]);
  }
  const problems = [
    ...unknown,
    ...checkMetadata(checked.value, definition.name),
    ...(definition.check?.(checked.value) ?? NONE),
  ];
  if (problems.length > 0) return refused(kind, definition, given, problems);
  const ref = refOf(placed);
  const object = definition.fill?.(checked.value) ?? checked.value;
  return {
    result: "object",
    ref,
    reports: NONE,
    served: { key: refKey(ref), entry: { kind, object } },
  };
}

const ENCRYPTED: Report = {
  ...malformed(
    ["sops"],
    "the object is encrypted by SOPS",
    "give albc the output of `sops decrypt`",
  ),
  at: "key",
};

const SAFE_FIELD = /^[\w.[\]-]{1,200}$/;

/** The object's hosts and paths are closed where they can be read. */
function refused(
  kind: KindName,
  { namespaced }: Pick<KindDefinition<never>, "namespaced">,
  given: JsonObject,
  reports: readonly Report[],
): DecodedValue {
  const value = withNamespace(given, namespaced);
  const [first] = reports;
  const field = formatFieldPath(first?.field ?? []);
  // Responses name the field in a header. Users write names of fields, so only simple ones are allowed.
  const what = SAFE_FIELD.test(field) ? field : "the object";
  const message = [...(field === "" ? [] : [field]), first?.message ?? ""].join(": ");
  const object = closedForm(kind, value, { what, message });
  const served = object && { key: refKey({ kind, ...object.metadata }), entry: { kind, object } };
  return refusal(reports, refOf(value), served);
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

/** The namespace is part of the object's identity. */
function withNamespace(value: JsonObject, namespaced: boolean): JsonObject {
  const { metadata } = value;
  if (!isObject(metadata)) return value;
  const given = own(metadata, "namespace") ?? "";
  const namespace = !namespaced ? "" : given === "" ? DEFAULT_NAMESPACE : given;
  if (metadata["namespace"] === namespace) return value;
  return { ...value, metadata: { ...metadata, namespace } };
}

function refAs(kind: KindName, value: JsonObject, table: KindTable): ResourceRef {
  return refOf(withNamespace({ ...value, kind }, table[kind].namespaced));
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

function notRead(apiVersion: string, kind: string, value: JsonObject, table: KindTable): Decoded {
  if (!isListKind(table, kind)) {
    const promised = promisedBy(value, DEFAULT_NAMESPACE);
    return { result: "unknown", apiVersion, kind, ...present("promised", promised) };
  }
  return refusal([malformed(["items"], `${kind} needs items`, "write items: [] for none")]);
}
