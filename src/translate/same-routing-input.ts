/** Which changes of objects routing can't see, besides those of EndpointSlices. */
import type { KubernetesObject } from "../api/wire.js";
import type { RoutingKind } from "../input/resources.js";
import { isSameJson } from "../status/json.js";

/** Nothing is decided by their statuses, which change whenever ours are written: once for every route after a start. */
const STATUS_UNREAD: ReadonlySet<RoutingKind> = new Set<RoutingKind>([
  "HTTPRoute",
  "GRPCRoute",
  "Ingress",
]);

/** Both lists sorted by namespace and name. */
export function isSameToRouting(
  kind: RoutingKind,
  now: readonly KubernetesObject[],
  before: readonly KubernetesObject[],
): boolean {
  if (now === before) return true;
  if (now.length !== before.length) return false;
  const mayDiffer = STATUS_UNREAD.has(kind);
  return now.every((object, i) => {
    const old = before[i];
    return object === old || (mayDiffer && old !== undefined && differsInStatusOnly(object, old));
  });
}

function differsInStatusOnly(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson(withoutStatus(a), withoutStatus(b));
}

function withoutStatus(object: KubernetesObject): object {
  const { metadata, ...rest } = object;
  return { ...rest, status: undefined, metadata: { ...metadata, resourceVersion: undefined } };
}
