/** Finds the kind of an object by its apiVersion and kind, and reports those that are wrong or misspelt. */
import type { KindName } from "../api/kinds.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import { didYouMean, isNear } from "../support/did-you-mean.js";
import { type JsonObject, isObject, own } from "../support/json-object.js";
import { conform } from "./conform.js";
import type { KindTable } from "./kind-table.js";
import { report, shown } from "./rules/names.js";
import { isClosable } from "./salvage.js";

/** What an apiVersion and a kind mean. */
type KindLookup =
  | { readonly found: "kind" | "other-version"; readonly kind: KindName }
  /** The kind, its group or both are nearly right; `field` is the wrong one. */
  | { readonly found: "misspelt"; readonly kind: KindName; readonly field: "apiVersion" | "kind" }
  | { readonly found: "nothing" };

/** If apiVersion and kind are unclear, the fields of `value` decide: the kind `ulb` is near to Rule and to ALB2. */
export function lookUpKind(
  table: KindTable,
  apiVersion: string,
  kind: string,
  value: JsonObject,
): KindLookup {
  const named = lookUpHeader(table, apiVersion, kind);
  const isClear = named.found !== "nothing" && (named.found !== "misspelt" || named.kind === kind);
  const meant = isClear ? undefined : kindOfShape(table, kind, value);
  if (meant === undefined || FOREIGN.some((group) => apiVersion.startsWith(`${group}/`)))
    return named;
  return { found: "misspelt", kind: meant, field: meant === kind ? "apiVersion" : "kind" };
}

/** Kinds of other products have other fields, so three known fields inside those of the spec, and no unknown one, are no coincidence. */
function kindOfShape(table: KindTable, kind: string, value: JsonObject): KindName | undefined {
  const { spec } = value;
  if (!isObject(spec) || countFields(spec) - Object.keys(spec).length < 3) return undefined;
  if (isKindName(table, kind) && !isClosable(kind)) return undefined;
  const kinds = kindNames(table).filter((name) => hasShape(table[name], value, spec));
  const near = kinds.find((name) => isClosable(name) && isNear(kind, name));
  return near ?? (kinds.every(isClosable) ? kinds[0] : undefined);
}

function hasShape(
  { schema, validate }: Pick<KindTable[KindName], "schema" | "validate">,
  value: JsonObject,
  spec: JsonObject,
): boolean {
  const known = schema.properties?.["spec"];
  const isKnown = Object.keys(spec).every((field) => own(known?.properties ?? {}, field));
  if (known === undefined || !isKnown || conform(known, spec).unknown.length > 0) return false;
  return validate(conform(schema, value, () => true).value).valid;
}

function countFields(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const below = Object.values(value).reduce((sum: number, inner) => sum + countFields(inner), 0);
  return below + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

function lookUpHeader(table: KindTable, apiVersion: string, kind: string): KindLookup {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if (!isKindName(table, kind)) {
    const meant = meantKind(table, group, kind) ?? meantHeader(table, apiVersion, group, kind);
    return meant === undefined
      ? { found: "nothing" }
      : { found: "misspelt", kind: meant, field: "kind" };
  }
  const row = table[kind];
  if (group === row.group && row.versions.includes(version)) return { found: "kind", kind };
  if (isGroupOf(table, kind, group)) return { found: "other-version", kind };
  return isMeantGroup(table, kind, group)
    ? { found: "misspelt", kind, field: "apiVersion" }
    : { found: "nothing" };
}

function isGroupOf(table: KindTable, kind: KindName, group: string): boolean {
  return group === table[kind].group || table[kind].formerGroups?.includes(group) === true;
}

/** Prefers kinds that can be closed: TPRoute may be HTTPRoute with two typos, although TCPRoute is nearer. */
function meantKind(table: KindTable, group: string, kind: string): KindName | undefined {
  const ofGroup = kindNames(table).filter((name) => isGroupOf(table, name, group));
  const closable = ofGroup.find((name) => isClosable(name) && isNear(kind, name));
  // For other kinds one edit at most: BackendLBPolicy is another kind of Gateway API, not a misspelt BackendTLSPolicy.
  const meant = closable ?? didYouMean(kind, ofGroup, kind.length < 5 ? 0 : 1);
  return meant === undefined ? undefined : lookUpKindName(table, meant);
}

/** Groups whose kinds look like those of Gateway API but are others. */
const FOREIGN: readonly string[] = ["gateway.networking.x-k8s.io", "policy.linkerd.io"];

/** A kind that can be closed and whose name and group are both nearly the given ones. */
function meantHeader(
  table: KindTable,
  apiVersion: string,
  group: string,
  kind: string,
): KindName | undefined {
  if (FOREIGN.includes(group)) return undefined;
  return kindNames(table).find(
    (name) =>
      isClosable(name) &&
      isNear(kind, name) &&
      (isNearGroup(table[name].group, group) ||
        apiVersions(table, name).some((known) => isNear(apiVersion, known))),
  );
}

/** Whether the group is that of another kind, or nearly the right one. */
function isMeantGroup(table: KindTable, kind: KindName, group: string): boolean {
  return (
    kindNames(table).some((name) => table[name].group === group) ||
    isNearGroup(table[kind].group, group)
  );
}

/** Whether the group differs in one or two letters, only in the top-level domain, or consists of the same words. */
function isNearGroup(known: string, group: string): boolean {
  if (known === "" || group === "") return false;
  const [words, given] = [known.split("."), group.split(".")];
  const labels = words.slice(0, -1).join(".");
  return (
    isNear(group, known) ||
    (labels !== "" && given.slice(0, -1).join(".") === labels) ||
    given.every((label) => words.some((word) => isNear(label, word)))
  );
}

function kindNames(table: KindTable): readonly KindName[] {
  return Object.keys(table).filter((name) => isKindName(table, name));
}

/** The kind of that name, in any group. */
export function lookUpKindName(table: KindTable, kind: string): KindName | undefined {
  return isKindName(table, kind) ? kind : undefined;
}

function isKindName(table: KindTable, kind: string): kind is KindName {
  return Object.hasOwn(table, kind);
}

/** The apiVersions in which a kind is read, best first. */
export function apiVersions(table: KindTable, kind: KindName): readonly string[] {
  const { group, versions } = table[kind];
  return versions.map((version) => (group === "" ? version : `${group}/${version}`));
}

/** Whether a document of that kind is a list of objects, so that its items are lost if they are missing. */
export function isListKind(table: KindTable, kind: string): boolean {
  const ofItems = kind.slice(0, -"List".length);
  return kind.endsWith("List") && (ofItems === "" || isKindName(table, ofItems));
}

export function otherVersion(kind: KindName, given: string, table: KindTable): Report {
  const [best = "", ...others] = apiVersions(table, kind);
  const read = [best, ...others].join(" and ");
  return {
    code: "OBJECT_VERSION",
    field: ["apiVersion"],
    message: `${kind} of ${given} is not read; ${read} ${others.length === 0 ? "is" : "are"}`,
    hint: `convert the object to ${best}`,
  };
}

export function misspeltHeader(
  { kind, field }: Extract<KindLookup, { found: "misspelt" }>,
  value: JsonObject,
  table: KindTable,
): Report {
  const given = shown(value[field]);
  if (field === "kind") return misspelt(kind, field, `there is no kind ${given}`, kind);
  const [best = ""] = apiVersions(table, kind);
  return misspelt(kind, field, `${given} has no kind ${kind}`, best);
}

/** For an object in the `items` of a document that is not a List. */
export function misspeltList(kind: KindName, given: string): Report {
  return misspelt(
    kind,
    "kind",
    `its list is of the kind ${shown(given)}, which does not exist`,
    "List",
  );
}

function misspelt(kind: KindName, field: string, problem: string, meant: string): Report {
  const closes = "; what the object is for answers 503, since it may protect it";
  const message = isClosable(kind) ? problem + closes : problem;
  return { code: "KIND_MISSPELT", field: [field], message, hint: `did you mean ${meant}?` };
}

export function headerProblem(value: JsonObject, table: KindTable): Report | undefined {
  const field = ["apiVersion", "kind"].find((name) => {
    const text = own(value, name);
    return typeof text !== "string" || text === "";
  });
  if (field === undefined) return undefined;
  const given = own(value, field);
  if (given !== undefined && given !== null && given !== "") {
    return malformed([field], `${field} must be a string, but is ${shown(given)}`);
  }
  const near = didYouMean(
    field,
    Object.keys(value).filter((key) => key !== field),
  );
  if (near !== undefined) {
    return malformed([near], `a Kubernetes object needs ${field}`, `rename ${near} to ${field}`);
  }
  const { kind } = value;
  const known = typeof kind === "string" ? lookUpKindName(table, kind) : undefined;
  const hint = known && `add apiVersion: ${apiVersions(table, known)[0] ?? ""}`;
  return malformed([], `a Kubernetes object needs ${field}`, hint);
}

export function malformed(field: FieldPath, message: string, hint?: string): Report {
  return report("OBJECT_MALFORMED", field, message, hint);
}
