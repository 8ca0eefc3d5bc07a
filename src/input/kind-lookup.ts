import type { KindName } from "../api/kinds.js";
import { didYouMean, isNear } from "../support/did-you-mean.js";
import type { KindTable } from "./kind-table.js";
import { isClosable } from "./salvage.js";

/** What an apiVersion and a kind name among the kinds that are read. */
export type KindLookup =
  | { readonly found: "kind" | "other-version"; readonly kind: KindName }
  /** Nearly the kind's name in a group that is read, or its name in nearly its group. */
  | { readonly found: "misspelt"; readonly kind: KindName; readonly field: "apiVersion" | "kind" }
  | { readonly found: "nothing" };

export function lookUpKind(table: KindTable, apiVersion: string, kind: string): KindLookup {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if (!isKindName(table, kind)) {
    const meant = meantKind(table, group, kind);
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

/** First of the kinds that may protect: two edits lead from HTTPRoute to TPRoute, which is nearer to TCPRoute. */
function meantKind(table: KindTable, group: string, kind: string): KindName | undefined {
  const ofGroup = kindNames(table).filter((name) => isGroupOf(table, name, group));
  const closable = ofGroup.find((name) => isClosable(name) && isNear(kind, name));
  // Of the others one edit: BackendLBPolicy of Gateway API is no BackendTLSPolicy.
  const meant = closable ?? didYouMean(kind, ofGroup, kind.length < 5 ? 0 : 1);
  return meant === undefined ? undefined : lookUpKindName(table, meant);
}

/** The group of another kind, one or two letters away from the right one, or the right one with another top-level domain. */
function isMeantGroup(table: KindTable, kind: KindName, group: string): boolean {
  if (kindNames(table).some((name) => table[name].group === group)) return true;
  const known = table[kind].group;
  const labels = known.slice(0, Math.max(0, known.lastIndexOf(".")));
  if (labels === "") return known !== "" && isNear(group, known);
  const dot = group.lastIndexOf(".");
  return isNear(group, known) || group === labels || group.slice(0, Math.max(0, dot)) === labels;
}

function kindNames(table: KindTable): readonly KindName[] {
  return Object.keys(table).filter((name) => isKindName(table, name));
}

/** The kind of that name, whatever its group. */
export function lookUpKindName(table: KindTable, kind: string): KindName | undefined {
  return isKindName(table, kind) ? kind : undefined;
}

function isKindName(table: KindTable, kind: string): kind is KindName {
  return Object.hasOwn(table, kind);
}

/** The apiVersions that a kind is read in, best first. */
export function apiVersions(table: KindTable, kind: KindName): readonly string[] {
  const { group, versions } = table[kind];
  return versions.map((version) => (group === "" ? version : `${group}/${version}`));
}
