import type { KindName } from "../api/kinds.js";

/** Which objects of the cluster are looked at. */
export interface WatchScope {
  /** Of namespaced kinds; empty: all. */
  readonly namespaces: readonly string[];
  /** Namespaces whose Secrets are read, `*` for all. */
  readonly secretNamespaces: readonly string[];
  /** Label selector for routes, Ingresses, Gateways and the load balancer's own kinds; empty: all. */
  readonly labelSelector: string;
}

/** One watch of a kind: where, and of which objects. */
export interface WatchPlan {
  /** Empty: everywhere. */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Kinds that users label to choose who serves them. */
const SELECTED: ReadonlySet<KindName> = new Set([
  "ALB2",
  "Frontend",
  "Rule",
  "Ingress",
  "Gateway",
  "ListenerSet",
  "HTTPRoute",
  "GRPCRoute",
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
]);

/** Helm keeps its releases in Secrets, which are large and never referred to. */
const USEFUL_SECRETS = "type!=helm.sh/release.v1";
const EVERYWHERE = "*";

/** The watches that a kind needs. */
export function plansFor(
  kind: KindName,
  namespaced: boolean,
  scope: WatchScope,
): readonly WatchPlan[] {
  const selectors = {
    ...(SELECTED.has(kind) && scope.labelSelector !== "" && { labelSelector: scope.labelSelector }),
    ...(kind === "Secret" && { fieldSelector: USEFUL_SECRETS }),
  };
  if (!namespaced) return [{ namespace: "", ...selectors }];
  const wanted = kind === "Secret" ? secretNamespaces(scope) : scope.namespaces;
  if (kind !== "Secret" && wanted.length === 0) return [{ namespace: "", ...selectors }];
  if (wanted.includes(EVERYWHERE)) return [{ namespace: "", ...selectors }];
  return [...new Set(wanted)].sort().map((namespace) => ({ namespace, ...selectors }));
}

/** Never more than the namespaces that are looked at. */
function secretNamespaces({ namespaces, secretNamespaces: wanted }: WatchScope): readonly string[] {
  if (namespaces.length === 0) return wanted;
  if (wanted.includes(EVERYWHERE)) return namespaces;
  return wanted.filter((namespace) => namespaces.includes(namespace));
}
