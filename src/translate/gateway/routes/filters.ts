import type { RouteFilter } from "../../../api/gateway.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { applyFilter, NO_EFFECTS } from "./filter-effects.js";
import type { FilterEffects, FilterType } from "./filter-effects.js";
import { isGrpcRoute } from "./scope.js";
import type { FilterScope } from "./scope.js";

const GRPC_TYPES: readonly FilterType[] = [
  "RequestHeaderModifier",
  "ResponseHeaderModifier",
  "RequestMirror",
  "ExtensionRef",
];
const HTTP_TYPES: readonly FilterType[] = [
  ...GRPC_TYPES,
  "RequestRedirect",
  "URLRewrite",
  "CORS",
  "ExternalAuth",
];
/** A redirect answers before anything else is done, so what would have to come before it can't be done. */
const NOT_WITH_REDIRECT: ReadonlySet<FilterType> = new Set<FilterType>([
  "RequestMirror",
  "ExtensionRef",
  "ExternalAuth",
]);

/** What the filters of a rule or of a backendRef do together; `place` is that of the list. */
export function filterEffects(
  filters: readonly RouteFilter[],
  place: Place,
  scope: FilterScope,
): FilterEffects {
  const known = isGrpcRoute(scope.route) ? GRPC_TYPES : HTTP_TYPES;
  const before: FilterType[] = [];
  let effects = NO_EFFECTS;
  for (const [index, filter] of filters.entries()) {
    const at = within(place, index);
    const type = scope.findings.choice(filter.type, known, within(at, "type"));
    if (type === undefined) continue;
    const problem = incompatibility(type, before);
    if (problem === undefined) effects = applyFilter(type, { filter, place: at, scope, effects });
    else scope.findings.incompatible(problem, at);
    before.push(type);
  }
  return effects;
}

function incompatibility(type: FilterType, before: readonly FilterType[]): string | undefined {
  const other =
    type === "RequestRedirect"
      ? before.find((each) => NOT_WITH_REDIRECT.has(each))
      : before.find((each) => each === "RequestRedirect" && NOT_WITH_REDIRECT.has(type));
  return other && `${type} can't stand beside ${other}`;
}
