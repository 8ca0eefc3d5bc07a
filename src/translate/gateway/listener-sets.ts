import { GATEWAY_GROUP } from "../../api/wire.js";
import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { compareAge } from "../precedence.js";
import { namespaceFilter } from "./namespace-filter.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import type { Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

/** A ListenerSet that names a Gateway, and whether that lets it in. */
export interface ListenerSetClaim {
  readonly listenerSet: ListenerSet;
  /** NotAllowed. */
  readonly allowed: Verdict;
}

/** The ListenerSets that name the Gateway, in order of precedence: older first, then by namespace and name. */
export function listenerSetsOf(
  gateway: Gateway,
  resources: RoutingResources,
): readonly ListenerSetClaim[] {
  const { namespace } = gateway.metadata;
  const namespaces = gateway.spec.allowedListeners?.namespaces;
  const isAllowed = namespaceFilter(namespaces, "None", namespace, resources);
  return resources
    .list("ListenerSet")
    .filter((listenerSet) => namesGateway(listenerSet, gateway))
    .sort(compareAge)
    .map((listenerSet) => ({
      listenerSet,
      allowed: isAllowed(listenerSet.metadata.namespace)
        ? HOLDS
        : refused("NotAllowed", notAllowed(gateway, namespaces?.from)),
    }));
}

function namesGateway({ metadata, spec }: ListenerSet, gateway: Gateway): boolean {
  const { group = GATEWAY_GROUP, kind = "Gateway", name, namespace } = spec.parentRef;
  return (
    group === GATEWAY_GROUP &&
    kind === "Gateway" &&
    name === gateway.metadata.name &&
    (namespace ?? metadata.namespace) === gateway.metadata.namespace
  );
}

/** Says of ListenerSets that name a Gateway which is not there that nothing serves them. */
export function reportUnattachedSets({ resources, diagnostics }: TranslateContext): void {
  const gateways = resources.list("Gateway");
  for (const listenerSet of resources.list("ListenerSet")) {
    if (gateways.some((gateway) => namesGateway(listenerSet, gateway))) continue;
    const { kind = "Gateway", name, namespace } = listenerSet.spec.parentRef;
    const message = `there is no ${kind} ${namespace ?? listenerSet.metadata.namespace}/${name} that takes ListenerSets`;
    const place = placeOf(listenerSet, "spec", "parentRef");
    diagnostics.report({ code: "LISTENER_SET_UNATTACHED", message, ...place });
  }
}

function notAllowed({ metadata }: Gateway, from = "None"): string {
  return `Gateway ${metadata.namespace}/${metadata.name} takes ListenerSets of namespaces from ${from} (spec.allowedListeners)`;
}
