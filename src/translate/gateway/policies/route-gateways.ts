import type { Gateway } from "../../../api/gateway.js";
import { getOrInsert, memoized } from "../../../support/collections.js";
import { nameOf } from "../../place.js";
import type { GatewayState } from "../model.js";

/** Positions in the list of Gateways, by the title of each Gateway and ListenerSet; computed once for all routes and policies. */
const indexed = memoized((states: readonly GatewayState[]) => {
  const index = new Map<string, Set<number>>();
  for (const [position, { gateway, listeners }] of states.entries()) {
    for (const object of [gateway, ...listeners.map(({ parent }) => parent)]) {
      getOrInsert(index, nameOf(object), () => new Set()).add(position);
    }
  }
  return index;
});

/** The Gateways that have one of these titles, such as `Gateway infra/edge`, or listeners of a ListenerSet that has one; each once. */
export function gatewaysNamed(
  titles: Iterable<string>,
  states: readonly GatewayState[],
): readonly Gateway[] {
  const index = indexed(states);
  const positions = new Set(
    Array.from(new Set(titles)).flatMap((title) => [...(index.get(title) ?? [])]),
  );
  return [...positions]
    .sort((a, b) => a - b)
    .flatMap((position) => states[position]?.gateway ?? []);
}
