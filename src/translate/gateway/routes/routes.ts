/** The translation of all HTTPRoutes and GRPCRoutes. */
import type { ObjectStatus } from "../../../status/object-status.js";
import type { BuildContext } from "../../config-builder.js";
import { isReferenceGranted } from "../../reference-grants.js";
import type { Key } from "../../keys.js";
import type { GatewayState, ListenerState, Policies, RouteContext } from "../model.js";
import { Parents } from "./parents.js";
import type { RouteMemory } from "./route-memory.js";

/**
 * `memory` has the routes of the previous translation, `changed` the keys of objects that have changed since. `attached` counts the routes
 * of each listener that are accepted there.
 */
export function translateRoutes(
  states: readonly GatewayState[],
  policies: Policies,
  build: BuildContext,
  { memory, changed }: { readonly memory: RouteMemory; readonly changed: ReadonlySet<Key> },
): {
  readonly attached: ReadonlyMap<ListenerState, number>;
  readonly statuses: readonly ObjectStatus[];
} {
  const parents = new Parents(states, build);
  const attached = new Map<ListenerState, number>();
  const context = contextOf(build);
  const translated = memory.translate(changed, build.resources, { parents, policies, context });
  build.config.addSorted(translated);
  build.backends.addSorted(translated.upstreams);
  for (const { route, reports, listeners, restriction: what } of translated.all) {
    if (reports.length > 0) build.diagnostics.addAll(reports);
    if (what !== undefined) {
      build.config.closeObject({ ...route, closed: { what, extent: "paths" } });
    }
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
