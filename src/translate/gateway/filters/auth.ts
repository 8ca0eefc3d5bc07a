import { invalidRule } from "../../reasons.js";
import { within } from "../../place.js";
import type { AuthRef } from "../policies.js";
import type { FilterEffects, FilterStep } from "./filter.js";
import { filterType } from "./filter.js";

/** An auth service decides (GEP-1494). */
export const EXTERNAL_AUTH = filterType({
  type: "ExternalAuth",
  field: "externalAuth",
  isBesideRedirect: false,
  apply(spec, place, step) {
    const { policies, gateways, problems } = step.scope;
    const protocol = problems.choice(spec.protocol, ["HTTP"], within(place, "protocol"));
    if (protocol === undefined) return { auth: step.effects.auth ?? [] };
    return withAuth(policies.externalAuth(spec, step.place, gateways), step);
  },
});

/** Names an AuthPolicy. */
export const EXTENSION_REF = filterType({
  type: "ExtensionRef",
  field: "extensionRef",
  isForGrpc: true,
  isBesideRedirect: false,
  apply: (reference, _place, step) =>
    withAuth(step.scope.policies.extension(reference, step.place), step),
});

function withAuth(found: AuthRef, { place, scope, effects }: FilterStep): FilterEffects {
  const { auth = [] } = effects;
  if (found.ok) return { auth: [...auth, ...found.auth] };
  scope.problems.reported(found.reason, found.message, place);
  return { auth, refuse: invalidRule(`filter ${found.reason}`) };
}
