import { type Place, within } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import type { AuthRef, FilterEffects, FilterType, RuleContext } from "../model.js";

/** An auth service decides (GEP-1494). */
export const EXTERNAL_AUTH: FilterType<"externalAuth"> = {
  type: "ExternalAuth",
  field: "externalAuth",
  isBeforeRedirect: true,
  apply(spec, place, context, earlier) {
    const { policies, gateways, problems } = context;
    const at = within(place, "externalAuth", "protocol");
    const protocol = problems.choice(spec.protocol, ["HTTP"], at);
    if (protocol === undefined) return { auth: earlier.auth ?? [] };
    return withAuth(policies.externalAuth(spec, place, gateways), place, context, earlier);
  },
};

/** Names an AuthPolicy. */
export const EXTENSION_REF: FilterType<"extensionRef"> = {
  type: "ExtensionRef",
  field: "extensionRef",
  isForGrpc: true,
  isBeforeRedirect: true,
  apply: (reference, place, context, earlier) =>
    withAuth(context.policies.extension(reference, place), place, context, earlier),
};

function withAuth(
  found: AuthRef,
  place: Place,
  { problems }: RuleContext,
  { auth = [] }: FilterEffects,
): FilterEffects {
  if (found.ok) return { auth: [...auth, ...found.auth] };
  problems.reported(found.reason, found.message, place);
  return { auth, refuse: invalidRule(`filter ${found.reason}`) };
}
