import type { Gateway } from "../../api/gateway.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Condition } from "../../status/condition.js";
import type { ObjectStatus } from "../../status/object-status.js";
import { insecureValidations } from "./client-validation.js";
import { condition, negativeCondition } from "./conditions.js";
import type { Holding } from "./conditions.js";
import { listenerNames } from "./gateway-verdicts.js";
import { listenerResolvedRefs, listenerStatus } from "./listener-status.js";
import type { ListenerStatusContext } from "./listener-status.js";
import type { TranslatedGateway, TranslatedListener, TranslatedListenerSet } from "./translated.js";
import type { Verdict } from "./verdict.js";
import { firstRefused, HOLDS, refused } from "./verdict.js";

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
