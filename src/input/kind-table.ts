/** The kinds that are read: their group and versions, and whether they live in a namespace. One row for each kind. */
import type { KindName } from "../api/kinds.js";

export interface KindRow {
  /** Empty for the core group. */
  readonly group: string;
  readonly versions: readonly string[];
  /** Groups that served the kind once; their manifests get told where it is now. */
  readonly formerGroups?: readonly string[];
  readonly namespaced: boolean;
}

export type KindTable = { readonly [K in KindName]: KindRow };

/** `albGroup` is the group of ALB2, Frontend and Rule. */
export function kindTable(albGroup: string): KindTable {
  const own = { group: albGroup, namespaced: true };
  const core = { group: "", versions: ["v1"] };
  const networking = { group: "networking.k8s.io", versions: ["v1"], formerGroups: ["extensions"] };
  return {
    ALB2: { ...own, versions: ["v2", "v2beta1"] },
    Frontend: { ...own, versions: ["v1"] },
    Rule: { ...own, versions: ["v1"] },
    Ingress: { ...networking, namespaced: true },
    IngressClass: { ...networking, namespaced: false },
    Service: { ...core, namespaced: true },
    EndpointSlice: { group: "discovery.k8s.io", versions: ["v1"], namespaced: true },
    Secret: { ...core, namespaced: true },
    ConfigMap: { ...core, namespaced: true },
    Namespace: { ...core, namespaced: false },
    ReferenceGrant: {
      group: "gateway.networking.k8s.io",
      versions: ["v1", "v1beta1"],
      namespaced: true,
    },
  };
}

/** What an apiVersion and a kind name among the kinds that are read. */
export type KindLookup =
  | { readonly found: "kind"; readonly kind: KindName; readonly row: KindRow }
  | { readonly found: "other-version"; readonly kind: KindName; readonly row: KindRow }
  | { readonly found: "nothing" };

export function lookUpKind(table: KindTable, apiVersion: string, kind: string): KindLookup {
  if (!isKindName(table, kind)) return { found: "nothing" };
  const row = table[kind];
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if (group === row.group && row.versions.includes(version)) return { found: "kind", kind, row };
  if (group === row.group || row.formerGroups?.includes(group) === true) {
    return { found: "other-version", kind, row };
  }
  return { found: "nothing" };
}

function isKindName(table: KindTable, kind: string): kind is KindName {
  return Object.hasOwn(table, kind);
}

/** The apiVersions that a row is read in, best first. */
export function apiVersions(row: KindRow): readonly string[] {
  return row.versions.map((version) => (row.group === "" ? version : `${row.group}/${version}`));
}
