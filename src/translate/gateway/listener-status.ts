import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { Condition } from "../../status/condition.js";
import { condition, negativeCondition } from "./conditions.js";
import type { AttachedRoutes } from "./model.js";
import { GATEWAY_GROUP } from "./model.js";
import type { TranslatedListener } from "./translated.js";

/** An entry of status.listeners, in a Gateway or a ListenerSet. */
export function listenerStatus(
  listener: TranslatedListener,
  attached: AttachedRoutes,
): Readonly<Record<string, unknown>> {
  return {
    name: listener.name,
    supportedKinds: listener.kinds.map((kind) => ({ group: GATEWAY_GROUP, kind })),
    attachedRoutes: attached.get(listener) ?? 0,
    conditions: conditionsOf(listener, listener.parent),
  };
}

function conditionsOf(
  { accepted, programmed, resolvedRefs, conflict, overlap }: TranslatedListener,
  parent: Gateway | ListenerSet,
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
    ...(overlap === undefined
      ? []
      : [
          negativeCondition(
            "OverlappingTLSConfig",
            { reason: "OverlappingHostnames", message: overlap },
            parent,
          ),
        ]),
  ];
}
