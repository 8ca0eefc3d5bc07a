import type { Condition } from "../../status/condition.js";
import { condition, negativeCondition } from "./conditions.js";
import type { AttachedRoutes } from "./model.js";
import { GATEWAY_GROUP } from "./model.js";
import type { Policies } from "./policies/policies.js";
import type { TranslatedListener } from "./translated.js";
import type { Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

export interface ListenerStatusContext {
  readonly attached: AttachedRoutes;
  readonly policies: Pick<Policies, "listenerFilters">;
}

/** What its references are, those of its filters too. */
export function listenerResolvedRefs(
  listener: TranslatedListener,
  { policies }: ListenerStatusContext,
): Verdict {
  // Filters that are none are why the listener is not accepted.
  if (!listener.resolvedRefs.ok || !listener.accepted.ok) return listener.resolvedRefs;
  const filters = policies.listenerFilters(listener);
  return filters.ok ? HOLDS : refused(filters.reason, filters.message);
}

/** An entry of status.listeners, in a Gateway or a ListenerSet. */
export function listenerStatus(
  listener: TranslatedListener,
  context: ListenerStatusContext,
): Readonly<Record<string, unknown>> {
  return {
    name: listener.name,
    supportedKinds: listener.kinds.map((kind) => ({ group: GATEWAY_GROUP, kind })),
    attachedRoutes: context.attached.get(listener) ?? 0,
    conditions: conditionsOf(listener, listenerResolvedRefs(listener, context)),
  };
}

function conditionsOf(
  { parent, accepted, programmed, conflict, overlap }: TranslatedListener,
  resolvedRefs: Verdict,
): readonly Condition[] {
  return [
    condition(
      "Accepted",
      accepted,
      { reason: "Accepted", message: "the listener is valid" },
      parent,
    ),
    condition(
      "Programmed",
      programmed,
      { reason: "Programmed", message: "the listener is served" },
      parent,
    ),
    condition(
      "ResolvedRefs",
      resolvedRefs,
      { reason: "ResolvedRefs", message: "every reference is resolved" },
      parent,
    ),
    ...(conflict === undefined ? [] : [negativeCondition("Conflicted", conflict, parent)]),
    ...(overlap === undefined ? [] : [negativeCondition("OverlappingTLSConfig", overlap, parent)]),
  ];
}
