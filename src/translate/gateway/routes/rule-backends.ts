import { filled } from "../../../support/fields.js";
import type { RouteBackendRef } from "../../../api/gateway.js";
import type { Backend, BackendFilters } from "../../../model/route.js";
import type { Refusal } from "../../../model/upstream.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { invalidBackend } from "../../reasons.js";
import { destinationOf } from "./destination.js";
import { filterEffects } from "./filters.js";
import { isGrpcRoute } from "./scope.js";
import type { FilterScope } from "./scope.js";

const DEFAULT_WEIGHT = 1;

/** The backends of a rule. Where none gets any request, all are answered 500 (Gateway API, HTTPRouteRule.backendRefs). */
export function ruleBackends(
  references: readonly RouteBackendRef[],
  place: Place,
  scope: FilterScope,
): readonly Backend[] {
  const backends = references.map((reference, index) =>
    backendOf(reference, within(place, index), scope),
  );
  if (backends.some(({ weight }) => weight > 0)) return backends;
  // A rule that is refused anyway has been told what to correct.
  if (scope.findings.refused.length > 0) return [];
  const message =
    backends.length === 0 ? "the rule has no backendRefs" : "every backendRef has the weight 0";
  scope.context.diagnostics.report({ code: "ROUTE_WITHOUT_BACKEND", message, ...place });
  return [refusing(invalidBackend("backendRefs"), DEFAULT_WEIGHT, scope)];
}

function backendOf(reference: RouteBackendRef, place: Place, scope: FilterScope): Backend {
  const { weight = DEFAULT_WEIGHT, filters = [] } = reference;
  const destination = destinationOf(reference, place, scope);
  const { refuse, ...effects } = filterEffects(filters, within(place, "filters"), scope);
  if (!destination.ok) return refusing(destination.refuse, weight, scope);
  if (refuse !== undefined) return refusing(refuse, weight, scope);
  const { upstream, protocol, tls } = destination;
  return {
    upstream,
    weight,
    protocol,
    ...backendFilters(effects),
    ...(tls !== undefined && { tls }),
  };
}

function refusing(refuse: Refusal, weight: number, { route }: FilterScope): Backend {
  return { weight, protocol: isGrpcRoute(route) ? "grpc" : "http", refuse };
}

/** Auth filters that check nothing do nothing. */
function backendFilters({ auth, ...others }: BackendFilters): Pick<Backend, "filters"> {
  const filters = { ...others, ...filled("auth", auth) };
  return Object.keys(filters).length === 0 ? {} : { filters };
}
