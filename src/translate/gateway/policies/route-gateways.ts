import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { Gateway, GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import { getOrInsert, memoized } from "../../../support/collections.js";
import type { GatewayState } from "../model.js";

interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Positions in the list of Gateways, by each Gateway and ListenerSet; computed once for all routes and policies. */
const indexed = memoized((states: readonly GatewayState[]) => {
  const index = new Map<string, Set<number>>();
  for (const [position, { gateway, listeners }] of states.entries()) {
    for (const { kind, metadata } of [gateway, ...listeners.map(({ parent }) => parent)]) {
      getOrInsert(index, keyOf({ kind, ...metadata }), () => new Set()).add(position);
    }
  }
  return index;
});

/** The Gateways among `states` that a route names as parents, directly or by their ListenerSets; each once. */
export function gatewaysOfRoute(
  route: HttpRoute | GrpcRoute,
  states: readonly GatewayState[],
): readonly Gateway[] {
  const { parentRefs = [] } = route.spec;
  const parents = parentRefs.flatMap(
    ({ group = GATEWAY_GROUP, kind = "Gateway", namespace, name }) =>
      group === GATEWAY_GROUP
        ? [{ kind, namespace: namespace ?? route.metadata.namespace, name }]
        : [],
  );
  return gatewaysOf(parents, states);
}

/** The Gateways that are, or have listeners of, any of these. */
export function gatewaysOf(
  parents: readonly ObjectName[],
  states: readonly GatewayState[],
): readonly Gateway[] {
  const index = indexed(states);
  const positions = new Set(parents.flatMap((parent) => [...(index.get(keyOf(parent)) ?? [])]));
  return [...positions]
    .sort((a, b) => a - b)
    .flatMap((position) => states[position]?.gateway ?? []);
}

function keyOf({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace}/${name}`;
}
