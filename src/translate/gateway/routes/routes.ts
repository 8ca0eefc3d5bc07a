/** The translation of all HTTPRoutes and GRPCRoutes. */
import type { ObjectStatus } from "../../../status/object-status.js";
import type { BuildContext } from "../../context.js";
import { isReferenceGranted } from "../../reference-grants.js";
import type { GatewayState, ListenerState, Policies, RouteContext } from "../model.js";
import { Parents } from "./parents.js";
import type { RouteMemory } from "./route-memory.js";

/** `memory` has the routes of the previous translation; `attached` counts the routes of each listener that are accepted there. */
export function translateRoutes(
  states: readonly GatewayState[],
  policies: Policies,
  build: BuildContext,
  memory: RouteMemory,
): {
  readonly attached: ReadonlyMap<ListenerState, number>;
  readonly statuses: readonly ObjectStatus[];
} {
  const parents = new Parents(states, build);
  const attached = new Map<ListenerState, number>();
  const context = contextOf(build);
  const translated = memory.translate(build.resources, { parents, policies, context });
  build.config.addSorted(translated);
  build.backends.addSorted(translated.upstreams);
  for (const { reports, listeners } of translated.all) {
    if (reports.length > 0) build.diagnostics.addAll(reports);
    for (const place of listeners) {
      const listener = parents.listenerAt(place);
      attached.set(listener, (attached.get(listener) ?? 0) + 1);
    }
  }
  return { attached, statuses: translated.all.map(({ status }) => status) };
}

function contextOf({ options, diagnostics, resources, backends }: BuildContext): RouteContext {
  return {
    options,
    diagnostics,
    service: (namespace, name) => resources.get("Service", namespace, name),
    isGranted: (from, to) => isReferenceGranted(resources, from, to),
    upstream: (ref) => backends.plan(ref),
  };
}
