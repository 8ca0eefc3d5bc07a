/** The filters of HTTPRoutes and GRPCRoutes, and the combined effects of those of a rule or a backendRef. */
import type { RouteFilter } from "../../../api/gateway.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { destinationOf, isGrpcRoute } from "../destination.js";
import type { AuthRef, FilterEffects, FilterType, RuleContext } from "../model.js";
import { CORS, REQUEST_HEADER_MODIFIER, RESPONSE_HEADER_MODIFIER } from "./header-changes.js";
import { REQUEST_REDIRECT, URL_REWRITE } from "./url-changes.js";

/** An auth service decides (GEP-1494). */
const EXTERNAL_AUTH: FilterType<"externalAuth"> = {
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
const EXTENSION_REF: FilterType<"extensionRef"> = {
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

const WHOLE = 100;

/** A mirror that can't be reached is reported and dropped; the requests are served. */
const REQUEST_MIRROR: FilterType<"requestMirror"> = {
  type: "RequestMirror",
  field: "requestMirror",
  isForGrpc: true,
  isBeforeRedirect: true,
  apply({ backendRef, percent, fraction }, place, context, { mirrors = [] }) {
    const at = within(place, "requestMirror", "backendRef");
    const destination = destinationOf(backendRef, at, context);
    if (!destination.ok) return {};
    const { upstream, protocol, tls } = destination;
    if (protocol !== "http" && protocol !== "https") {
      const message = `copies are sent by HTTP/1.1, and port ${String(backendRef.port)} of Service ${backendRef.name} is spoken to by ${protocol}`;
      context.problems.unresolvable("UnsupportedProtocol", message, at, "ROUTE_MIRROR_PROTOCOL");
      return {};
    }
    const { numerator, denominator = WHOLE } = fraction ?? { numerator: percent ?? WHOLE };
    if (numerator === 0) return {};
    const mirror = {
      upstream,
      protocol,
      ...(tls !== undefined && { tls }),
      numerator,
      denominator,
    };
    return { mirrors: [...mirrors, mirror] };
  },
};

/** In the order in which messages list them. To add one: a line here, and its FilterType above or in a file beside this one. */
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
  const known = isGrpcRoute(context.route) ? GRPC_TYPES : HTTP_TYPES;
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
