/** The filters of HTTPRoutes and GRPCRoutes, and what those of a rule or a backendRef do together. */
import type { RouteFilter } from "../../../api/gateway.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { FilterScope } from "../rule-scope.js";
import { isGrpcRoute } from "../rule-scope.js";
import { EXTENSION_REF, EXTERNAL_AUTH } from "./auth.js";
import { CORS } from "./cors.js";
import type { FilterEffects, FilterType } from "./filter.js";
import { REQUEST_HEADER_MODIFIER, RESPONSE_HEADER_MODIFIER } from "./header-modifiers.js";
import { REQUEST_MIRROR } from "./mirror.js";
import { REQUEST_REDIRECT } from "./redirect.js";
import { URL_REWRITE } from "./url-rewrite.js";

/** In the order in which messages list them. To add one: a file, and a line here. */
const FILTERS: readonly FilterType[] = [
  REQUEST_HEADER_MODIFIER,
  RESPONSE_HEADER_MODIFIER,
  REQUEST_MIRROR,
  EXTENSION_REF,
  REQUEST_REDIRECT,
  URL_REWRITE,
  CORS,
  EXTERNAL_AUTH,
];

const HTTP_TYPES = FILTERS.map(({ type }) => type);
const GRPC_TYPES = FILTERS.filter(({ isForGrpc }) => isForGrpc).map(({ type }) => type);

/** `place` is that of the list. */
export function filterEffects(
  filters: readonly RouteFilter[],
  place: Place,
  scope: FilterScope,
): FilterEffects {
  const known = isGrpcRoute(scope.route) ? GRPC_TYPES : HTTP_TYPES;
  const before: FilterType[] = [];
  let effects: FilterEffects = {};
  for (const [index, filter] of filters.entries()) {
    const at = within(place, index);
    const chosen = scope.problems.choice(filter.type, known, within(at, "type"));
    const found = FILTERS.find(({ type }) => type === chosen);
    if (found === undefined) continue;
    const problem = incompatibility(found, before);
    if (problem === undefined) {
      effects = { ...effects, ...found.apply({ filter, place: at, scope, effects }) };
    } else scope.problems.incompatible(problem, at);
    before.push(found);
  }
  return effects;
}

function incompatibility(found: FilterType, before: readonly FilterType[]): string | undefined {
  const other =
    found === REQUEST_REDIRECT
      ? before.find(({ isBesideRedirect }) => !isBesideRedirect)
      : before.find((each) => each === REQUEST_REDIRECT && !found.isBesideRedirect);
  return other && `${found.type} can't stand beside ${other.type}`;
}
