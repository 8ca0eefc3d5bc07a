/** HTTPRoutes and GRPCRoutes: attached to listeners, bound to them, and told how it went. */
import type { ObjectStatus } from "../../../status/object-status.js";
import type { BuildContext } from "../../context.js";
import { isReferenceGranted } from "../../reference-grants.js";
import type { AttachedRoutes, GatewayState, ListenerState } from "../model.js";
import type { Policies } from "../policies.js";
import { Parents } from "./parents.js";
import type { RouteMemory } from "./route-memory.js";
import type { RouteContext } from "../rule-scope.js";

export interface TranslatedRoutes {
  readonly attached: AttachedRoutes;
  readonly statuses: readonly ObjectStatus[];
}

/** `memory`: what became of the routes before. */
export function translateRoutes(
  states: readonly GatewayState[],
  policies: Policies,
  build: BuildContext,
  memory: RouteMemory,
): TranslatedRoutes {
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
