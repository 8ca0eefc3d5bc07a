import type { Gateway, GrpcRoute, HttpRoute, ParentReference } from "../../../api/gateway.js";
import { GATEWAY_GROUP } from "../model.js";
import type { GatewayState } from "../model.js";

/** The Gateways of ours that a route names as parents, itself or by their ListenerSets; each once. */
export function gatewaysOfRoute(
  route: HttpRoute | GrpcRoute,
  states: readonly GatewayState[],
): readonly Gateway[] {
  const refs = route.spec.parentRefs ?? [];
  return states
    .filter((state) => refs.some((ref) => names(ref, route.metadata.namespace, state)))
    .map(({ gateway }) => gateway);
}

function names(ref: ParentReference, ownNamespace: string, state: GatewayState): boolean {
  const { group = GATEWAY_GROUP, kind = "Gateway", namespace = ownNamespace, name } = ref;
  if (group !== GATEWAY_GROUP) return false;
  const parents = [state.gateway, ...state.listeners.map(({ parent }) => parent)];
  return parents.some(
    (parent) =>
      parent.kind === kind &&
      parent.metadata.namespace === namespace &&
      parent.metadata.name === name,
  );
}
