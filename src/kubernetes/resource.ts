import type { KindName } from "../api/kinds.js";

/** A kind as the API server serves it. */
export interface Resource {
  readonly kind: KindName;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
}

/** `v1`, `gateway.networking.k8s.io/v1`. */
export function apiVersionOf({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Path of the group's version, such as `/api/v1`. */
export function basePath({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Path of all objects, of one namespace when it is given. */
export function listPath(resource: Resource, namespace = ""): string {
  const inside =
    resource.namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${basePath(resource)}${inside}/${pluralOf(resource.kind)}`;
}

export function objectPath(resource: Resource, namespace: string, name: string): string {
  return `${listPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** Names of resources in paths that are not the kind's name with an English plural. */
const IRREGULAR: Readonly<Partial<Record<KindName, string>>> = {
  ALB2: "alaudaloadbalancer2",
};

/** The resource's name in the API's paths: `Ingress` → `ingresses`, `AuthPolicy` → `authpolicies`. */
export function pluralOf(kind: KindName): string {
  const name = kind.toLowerCase();
  const irregular = IRREGULAR[kind];
  if (irregular !== undefined) return irregular;
  if (name.endsWith("s")) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
