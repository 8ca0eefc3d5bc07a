import type { RouteFilter } from "../../../api/gateway.js";
import type { Cors, HeaderChanges, PathRewrite, Redirect } from "../../../model/filters.js";
import type { Mirror } from "../../../model/route.js";
import type { Refusal } from "../../../model/upstream.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import type { AuthRef } from "../policies.js";
import { corsOf } from "./cors-filter.js";
import { requestChanges, responseChanges } from "./header-modifier.js";
import { mirrorOf } from "./mirror-filter.js";
import { pathRewrite } from "./path-modifier.js";
import { redirectOf } from "./redirect-filter.js";
import type { FilterScope } from "./scope.js";
import { isGrpcRoute } from "./scope.js";

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

type FilterType =
  | "RequestHeaderModifier"
  | "ResponseHeaderModifier"
  | "RequestMirror"
  | "ExtensionRef"
  | "RequestRedirect"
  | "URLRewrite"
  | "CORS"
  | "ExternalAuth";

/** What the filters of a rule or a backendRef do. */
interface FilterEffects {
  readonly redirect?: Redirect;
  readonly cors?: Cors;
  readonly rewrite?: PathRewrite;
  readonly host?: string;
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  readonly mirrors?: readonly Mirror[];
  /** Ids of auth policies, in the order of the filters; absent: there is no auth filter. */
  readonly auth?: readonly string[];
  /** A filter can't be resolved: its requests are answered with this, since it must not be skipped. */
  readonly refuse?: Refusal;
}

const NO_EFFECTS: FilterEffects = {};

/** A filter, and what those before it do. */
interface FilterStep {
  readonly filter: RouteFilter;
  readonly place: Place;
  readonly scope: FilterScope;
  readonly effects: FilterEffects;
}

function applyFilter(type: FilterType, step: FilterStep): FilterEffects {
  return { ...step.effects, ...APPLY[type](step) };
}

const APPLY: Readonly<Record<FilterType, (step: FilterStep) => FilterEffects>> = {
  RequestHeaderModifier: of("requestHeaderModifier", (modifier, place, { scope }) => {
    return requestChanges(modifier, place, scope.findings);
  }),
  ResponseHeaderModifier: of("responseHeaderModifier", (modifier, place, { scope }) => {
    const responseHeaders = responseChanges(modifier, place, scope.findings);
    return responseHeaders === undefined ? {} : { responseHeaders };
  }),
  RequestMirror: of("requestMirror", (spec, place, { scope, effects }) => {
    const mirror = mirrorOf(spec, place, scope);
    return mirror === undefined ? {} : { mirrors: [...(effects.mirrors ?? []), mirror] };
  }),
  RequestRedirect: of("requestRedirect", (spec, place, { scope }) => {
    const redirect = redirectOf(spec, place, scope);
    return redirect === undefined ? {} : { redirect };
  }),
  URLRewrite: of("urlRewrite", ({ hostname, path }, place, { scope }) => {
    const rewrite = path && pathRewrite(path, within(place, "path"), scope);
    return {
      ...(rewrite && { rewrite }),
      ...(hostname !== undefined && { host: hostname }),
    };
  }),
  CORS: of("cors", (spec, place, { scope }) => ({ cors: corsOf(spec, place, scope.findings) })),
  ExternalAuth: of("externalAuth", (spec, place, step) => {
    const { policies, gateways, findings } = step.scope;
    const protocol = findings.choice(spec.protocol, ["HTTP"], within(place, "protocol"));
    if (protocol === undefined) return { auth: step.effects.auth ?? [] };
    return withAuth(policies.externalAuth(spec, step.place, gateways), step);
  }),
  ExtensionRef: of("extensionRef", (reference, _place, step) =>
    withAuth(step.scope.policies.extension(reference, step.place), step),
  ),
};

/** Reads the field that belongs to the filter's type. */
function of<K extends Exclude<keyof RouteFilter, "type">>(
  field: K,
  apply: (spec: NonNullable<RouteFilter[K]>, place: Place, step: FilterStep) => FilterEffects,
): (step: FilterStep) => FilterEffects {
  return (step) => {
    const spec = step.filter[field];
    if (spec !== undefined) return apply(spec, within(step.place, field), step);
    step.scope.findings.unsupported(`a filter of this type needs ${field}`, step.place);
    return NO_EFFECTS;
  };
}

function withAuth(found: AuthRef, { place, scope, effects }: FilterStep): FilterEffects {
  const { auth = [] } = effects;
  if (found.ok) return { auth: [...auth, ...found.auth] };
  scope.findings.reported(found.reason, found.message, place);
  return { auth, refuse: invalidRule(`filter ${found.reason}`) };
}
