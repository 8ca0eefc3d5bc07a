import { GATEWAY_GROUP } from "../../api/wire.js";
import type { Gateway } from "../../api/gateway.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Condition, ObjectStatus } from "../../status/object-status.js";
import { insecureValidations } from "./client-validation.js";
import { listenerNames } from "./gateway-verdicts.js";
import type {
  AttachedRoutes,
  TranslatedGateway,
  TranslatedListener,
  TranslatedListenerSet,
} from "./model.js";
import type { Policies } from "./policies.js";
import type { Holding, Verdict } from "./verdict.js";
import { HOLDS, condition, firstRefused, negativeCondition, refused } from "./verdict.js";

/** The statuses of the Gateways and of the ListenerSets that name them; to be called after routes have been attached. */
export function gatewayStatuses(
  gateways: readonly TranslatedGateway[],
  context: ListenerStatusContext,
): readonly ObjectStatus[] {
  return gateways.flatMap((gateway) => [
    gatewayStatus(gateway, context),
    ...gateway.listenerSets.map((set) => listenerSetStatus(set, context)),
  ]);
}

function gatewayStatus(
  translated: TranslatedGateway,
  context: ListenerStatusContext,
): ObjectStatus {
  const { gateway, addresses, listeners, listenerSets } = translated;
  const own = listeners.filter(({ parent }) => parent === gateway);
  return objectStatus(gateway, {
    ...(addresses.length > 0 && {
      addresses: addresses.map((value) => ({ type: "IPAddress", value })),
    }),
    conditions: gatewayConditions(translated, own, context),
    listeners: own.map((listener) => listenerStatus(listener, context)),
    attachedListenerSets: listenerSets.filter(({ accepted }) => accepted.ok).length,
  });
}

function gatewayConditions(
  { gateway, verdicts }: TranslatedGateway,
  own: readonly TranslatedListener[],
  context: ListenerStatusContext,
): readonly Condition[] {
  const insecure = insecureValidations(gateway);
  return [
    condition("Accepted", verdicts.accepted, acceptedBecause("the Gateway is valid", own), gateway),
    condition(
      "Programmed",
      verdicts.programmed,
      { reason: "Programmed", message: "the Gateway is served" },
      gateway,
    ),
    condition(
      "ResolvedRefs",
      firstRefused([verdicts.resolvedRefs, listenersResolved(own, context)]),
      { reason: "ResolvedRefs", message: "every reference is resolved" },
      gateway,
    ),
    ...(gateway.spec.defaultScope === "All" ? [defaultGateway(gateway)] : []),
    ...(insecure.length === 0
      ? []
      : [
          negativeCondition(
            "InsecureFrontendValidationMode",
            {
              reason: "ConfigurationChanged",
              message: `clients are served with any certificate, or with none, by ${insecure.join(", ")} of spec.tls.frontend`,
            },
            gateway,
          ),
        ]),
  ];
}

/** GEP-3793. */
function defaultGateway(gateway: Gateway): Condition {
  const message = "routes that ask for a default Gateway are taken";
  return condition("DefaultGateway", HOLDS, { reason: "DefaultGateway", message }, gateway);
}

function listenersResolved(
  listeners: readonly TranslatedListener[],
  context: ListenerStatusContext,
): Verdict {
  const unresolved = listeners.filter((listener) => !listenerResolvedRefs(listener, context).ok);
  return unresolved.length === 0
    ? HOLDS
    : refused(
        "ListenersNotResolved",
        `references of ${listenerNames(unresolved)} are not resolved`,
      );
}

/** True with the reason ListenersNotValid: some listeners are not. */
function acceptedBecause(message: string, listeners: readonly TranslatedListener[]): Holding {
  const invalid = listeners.filter(({ accepted }) => !accepted.ok);
  return invalid.length === 0
    ? { reason: "Accepted", message }
    : {
        reason: "ListenersNotValid",
        message: `${listenerNames(invalid)} can't be accepted, the others are`,
      };
}

function listenerSetStatus(
  { listenerSet, accepted, programmed, listeners }: TranslatedListenerSet,
  context: ListenerStatusContext,
): ObjectStatus {
  return objectStatus(listenerSet, {
    conditions: [
      condition(
        "Accepted",
        accepted,
        acceptedBecause("the ListenerSet is valid", listeners),
        listenerSet,
      ),
      condition(
        "Programmed",
        programmed,
        { reason: "Programmed", message: "the ListenerSet is served" },
        listenerSet,
      ),
    ],
    ...(listeners.length > 0 && {
      listeners: listeners.map((listener) => listenerStatus(listener, context)),
    }),
  });
}

function objectStatus(
  { apiVersion, kind, metadata }: KubernetesObject,
  status: Readonly<Record<string, unknown>>,
): ObjectStatus {
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { name, namespace }, status };
}

interface ListenerStatusContext {
  readonly attached: AttachedRoutes;
  readonly policies: Pick<Policies, "listenerFilters">;
}

/** What its references are, those of its filters too. */
function listenerResolvedRefs(
  listener: TranslatedListener,
  { policies }: ListenerStatusContext,
): Verdict {
  // Filters that are none are why the listener is not accepted.
  if (!listener.resolvedRefs.ok || !listener.accepted.ok) return listener.resolvedRefs;
  const filters = policies.listenerFilters(listener);
  return filters.ok ? HOLDS : refused(filters.reason, filters.message);
}

/** An entry of status.listeners, in a Gateway or a ListenerSet. */
function listenerStatus(
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
