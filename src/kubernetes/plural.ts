import type { KindName } from "../api/kinds.js";

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
