/** Finds the kind of an object by its apiVersion and kind. */
import type { KindName } from "../api/kinds.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import { didYouMean } from "../support/did-you-mean.js";
import { type JsonObject, own } from "../support/json-object.js";
import type { KindTable } from "./kind-table.js";
import { report, shown } from "./rules/names.js";

/** What an apiVersion and a kind mean. */
type KindLookup =
  | { readonly found: "kind"; readonly kind: KindName }
  /** A kind of ours in another version, or nearly the names of a kind of ours. */
  | { readonly found: "other"; readonly kind: KindName; readonly report: Report }
  | { readonly found: "nothing" };

export function lookUpKind(table: KindTable, apiVersion: string, kind: string): KindLookup {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if (!isKindName(table, kind)) return misspeltKind(table, group, apiVersion, kind);
  const row = table[kind];
  if (group === row.group && row.versions.includes(version)) return { found: "kind", kind };
  if (group === row.group || row.formerGroups?.includes(group) === true)
    return { found: "other", kind, report: otherVersion(kind, apiVersion, table) };
  const [best = ""] = apiVersions(table, kind);
  // A kind of that name in another product's group is another kind.
  return didYouMean(group, [row.group], 1) === undefined
    ? { found: "nothing" }
    : misspelt(kind, "apiVersion", `${shown(apiVersion)} has no kind ${kind}`, best);
}

function misspeltKind(
  table: KindTable,
  group: string,
  apiVersion: string,
  kind: string,
): KindLookup {
  const ofGroup = kindNames(table).filter((name) => table[name].group === group);
  // One edit at most: BackendLBPolicy is another kind of Gateway API, not a misspelt BackendTLSPolicy.
  const meant = didYouMean(kind, ofGroup, kind.length < 5 ? 0 : 1);
  if (meant === undefined || !isKindName(table, meant)) return { found: "nothing" };
  return misspelt(meant, "kind", `${apiVersion} has no kind ${shown(kind)}`, meant);
}

function misspelt(kind: KindName, field: string, message: string, meant: string): KindLookup {
  const hint = `did you mean ${meant}?`;
  return { found: "other", kind, report: report("KIND_MISSPELT", [field], message, hint) };
}

function otherVersion(kind: KindName, given: string, table: KindTable): Report {
  const [best = "", ...others] = apiVersions(table, kind);
  const read = [best, ...others].join(" and ");
  const verb = others.length === 0 ? "is" : "are";
  const message = `${kind} of ${given} is not read; ${read} ${verb}`;
  return report("OBJECT_VERSION", ["apiVersion"], message, `convert the object to ${best}`);
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
function apiVersions(table: KindTable, kind: KindName): readonly string[] {
  const { group, versions } = table[kind];
  return versions.map((version) => (group === "" ? version : `${group}/${version}`));
}

/** Whether a document of that kind is a list of objects, so that its items are lost if they are missing. */
export function isListKind(table: KindTable, kind: string): boolean {
  const ofItems = kind.slice(0, -"List".length);
  return kind.endsWith("List") && (ofItems === "" || isKindName(table, ofItems));
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
