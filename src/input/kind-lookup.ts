import type { KindName } from "../api/kinds.js";
import { didYouMean } from "../support/did-you-mean.js";
import type { KindTable } from "./kind-table.js";

/** What an apiVersion and a kind name among the kinds that are read. */
export type KindLookup =
  | { readonly found: "kind" | "other-version"; readonly kind: KindName }
  /** The kind's name in other letters or with one mistake, in a group that is read. */
  | { readonly found: "misspelt"; readonly kind: KindName }
  | { readonly found: "nothing" };

export function lookUpKind(table: KindTable, apiVersion: string, kind: string): KindLookup {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if (!isKindName(table, kind)) return misspelt(table, group, kind);
  const row = table[kind];
  if (group === row.group && row.versions.includes(version)) return { found: "kind", kind };
  if (group === row.group || row.formerGroups?.includes(group) === true) {
    return { found: "other-version", kind };
  }
  return { found: "nothing" };
}

function misspelt(table: KindTable, group: string, kind: string): KindLookup {
  const ofGroup = kindNames(table).filter((name) => table[name].group === group);
  // Two edits lead from one kind of Gateway API to another: TCPRoute is no HTTPRoute.
  const meant = didYouMean(kind, ofGroup, kind.length < 5 ? 0 : 1);
  return meant !== undefined && isKindName(table, meant)
    ? { found: "misspelt", kind: meant }
    : { found: "nothing" };
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
