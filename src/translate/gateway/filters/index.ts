/** The filters of HTTPRoutes and GRPCRoutes, and the combined effects of those of a rule or a backendRef. */
import type { RouteFilter } from "../../../api/gateway.js";
import { type Place, within } from "../../place.js";
import type { FilterEffects, FilterType, RuleContext } from "../model.js";
import { EXTENSION_REF, EXTERNAL_AUTH } from "./auth.js";
import { CORS } from "./cors.js";
import { REQUEST_HEADER_MODIFIER, RESPONSE_HEADER_MODIFIER } from "./header-modifiers.js";
import { REQUEST_MIRROR } from "./mirror.js";
import { REQUEST_REDIRECT, URL_REWRITE } from "./url-changes.js";

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
const GRPC_TYPES = FILTERS.filter(({ isForGrpc = false }) => isForGrpc).map(({ type }) => type);

/** `place` is that of the list. */
export function filterEffects(
  filters: readonly RouteFilter[],
  place: Place,
  context: RuleContext,
): FilterEffects {
  const known = context.route.kind === "GRPCRoute" ? GRPC_TYPES : HTTP_TYPES;
  const before: FilterType[] = [];
  let effects: FilterEffects = {};
  for (const [index, filter] of filters.entries()) {
    const at = within(place, index);
    const chosen = context.problems.choice(filter.type, known, within(at, "type"));
    const type = FILTERS.find((each) => each.type === chosen);
    if (type === undefined) continue;
    const settings = filter[type.field];
    const problem = incompatibility(type, before);
    if (problem !== undefined) context.problems.incompatible(problem, at);
    else if (settings !== undefined) {
      effects = { ...effects, ...type.apply(settings, at, context, effects) };
    } else context.problems.unsupported(`a filter of this type needs ${type.field}`, at);
    before.push(type);
  }
  return effects;
}

function incompatibility(type: FilterType, before: readonly FilterType[]): string | undefined {
  const other =
    type === REQUEST_REDIRECT
      ? before.find(({ isBeforeRedirect = false }) => isBeforeRedirect)
      : before.find((each) => each === REQUEST_REDIRECT && type.isBeforeRedirect === true);
  return other && `${type.type} can't stand beside ${other.type}`;
}
