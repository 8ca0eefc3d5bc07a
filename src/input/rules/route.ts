/**
 * What an API server checks in routes beyond their schemas. What Gateway API answers with a condition passes, though API servers refuse
 * some of it: unknown values, IP addresses as hostnames, replacePrefixMatch without a PathPrefix match. Names that are repeated in a list
 * of headers or parameters pass too; the first one counts.
 */
import type {
  CommonRouteSpec,
  GrpcRoute,
  GrpcRouteRule,
  HttpRoute,
  HttpRouteMatch,
  HttpRouteRule,
  SessionPersistenceSpec,
  StreamRoute,
} from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { durationMilliseconds } from "../../support/units.js";
import {
  type Reports,
  checkParts,
  checkUnique,
  invalid,
  missing,
  pathProblems,
  shown,
} from "./names.js";
import {
  type FilterTypes,
  GRPC_ROUTE_FILTERS,
  HTTP_ROUTE_FILTERS,
  checkBackendReference,
  checkFilters,
} from "./route-filters.js";

const MAX_MATCHES = 128;

type Rule = Omit<HttpRouteRule, "matches"> & { readonly matches?: readonly unknown[] };

/** `filters`: the types of filters of the kind. */
function* checkRoute(
  { parentRefs = [] }: CommonRouteSpec,
  rules: readonly Rule[],
  filters: FilterTypes,
): Reports {
  yield* checkParts(parentRefs, ["spec", "parentRefs"], PARENT_WORDS);
  const field = ["spec", "rules"];
  yield* checkUnique(
    rules.map(({ name }) => name),
    field,
    "rule",
    ["name"],
  );
  const matches = rules.reduce((sum, rule) => sum + (rule.matches?.length ?? 0), 0);
  if (matches > MAX_MATCHES) {
    yield invalid(
      field,
      `the rules have ${matches} matches; all rules together may have ${MAX_MATCHES}`,
      "move some rules to another route",
    );
  }
  for (const [i, rule] of rules.entries()) yield* checkRule(rule, filters, [...field, i]);
}

const PARENT_WORDS = {
  noun: "parent",
  part: "sectionName and port",
  needs: "a sectionName, and likewise a port",
  hint: "remove one of the two, or name another listener by sectionName",
};

function* checkRule(rule: Rule, types: FilterTypes, field: FieldPath): Reports {
  const { filters = [], backendRefs = [], sessionPersistence } = rule;
  yield* checkFilters(filters, types, [...field, "filters"]);
  for (const [i, backend] of backendRefs.entries()) {
    const place = [...field, "backendRefs", i];
    yield* checkBackendReference(backend, place);
    yield* checkFilters(backend.filters ?? [], types, [...place, "filters"]);
  }
  if (sessionPersistence !== undefined) {
    yield* checkSession(sessionPersistence, [...field, "sessionPersistence"]);
  }
}

function* checkSession(session: SessionPersistenceSpec, field: FieldPath): Reports {
  const { type = "Cookie", cookie, cookieConfig } = session;
  const lifetime = (cookie ?? cookieConfig)?.lifetimeType;
  if (lifetime === "Permanent" && session.absoluteTimeout === undefined) {
    yield missing(
      [...field, "absoluteTimeout"],
      "a cookie with lifetimeType Permanent needs an absoluteTimeout",
    );
  }
  if (type !== "Cookie" && type !== "Header") return;
  const [own, other] = type === "Cookie" ? COOKIE_FIRST : HEADER_FIRST;
  if (session[own] === undefined && !isOlder(session)) {
    yield missing([...field, own], `session persistence of type ${type} needs the field ${own}`);
  }
  if (session[other] !== undefined) {
    yield invalid(
      [...field, other],
      `session persistence of type ${type} must not have the field ${other}`,
    );
  }
}

/** The field that a type needs, and the one that it must not have. */
const COOKIE_FIRST = ["cookie", "header"] as const;
const HEADER_FIRST = ["header", "cookie"] as const;

/** Written with the names of v1.6, which need neither `cookie` nor `header`. */
function isOlder({ sessionName, cookieConfig }: SessionPersistenceSpec): boolean {
  return sessionName !== undefined || cookieConfig !== undefined;
}

export function* checkHttpRoute({ spec }: HttpRoute): Reports {
  yield* checkRoute(spec, spec.rules ?? [], HTTP_ROUTE_FILTERS);
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    const field = ["spec", "rules", i];
    for (const [j, match] of (rule.matches ?? []).entries()) {
      yield* checkRoutePath(match.path, [...field, "matches", j, "path", "value"]);
    }
    yield* checkRedirect(rule, field);
    yield* checkTimeouts(rule.timeouts, [...field, "timeouts", "backendRequest"]);
    yield* checkUnique(rule.retry?.codes ?? [], [...field, "retry", "codes"], "code");
  }
}

/** Of a path (RFC 3986, section 3.3), slashes included. */
const CHARACTERS = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$/;

export function* checkRoutePath(path: HttpRouteMatch["path"], field: FieldPath): Reports {
  const { type = "PathPrefix", value = "/" } = path ?? {};
  if (type !== "Exact" && type !== "PathPrefix") return;
  const name = `the path ${shown(value)} of type ${type}`;
  if (!value.startsWith("/")) {
    yield invalid(field, `${name} must begin with '/'`);
    return;
  }
  const [problem] = pathProblems(value, ["#"]);
  if (problem !== undefined) yield invalid(field, `${name} ${problem}`);
  else if (!CHARACTERS.test(value)) {
    yield invalid(
      field,
      `${name} holds a character that no path can have`,
      "percent-encode it, as in %20 for a blank",
    );
  }
}

function* checkRedirect({ filters, backendRefs = [] }: HttpRouteRule, field: FieldPath): Reports {
  const redirect = (filters ?? []).findIndex((filter) => filter.requestRedirect !== undefined);
  if (redirect < 0 || backendRefs.length === 0) return;
  yield invalid(
    [...field, "filters", redirect],
    "a rule with backendRefs must not have a RequestRedirect filter",
    "remove one of the two: a redirect is answered without a backend",
  );
}

function* checkTimeouts(timeouts: HttpRouteRule["timeouts"], field: FieldPath): Reports {
  const { request, backendRequest } = timeouts ?? {};
  if (request === undefined || backendRequest === undefined) return;
  const whole = durationMilliseconds(request);
  if (whole === 0 || durationMilliseconds(backendRequest) <= whole) return;
  yield invalid(
    field,
    `backendRequest must not be longer than request, ${request}, but is ${backendRequest}`,
  );
}

export function* checkGrpcRoute({ spec }: GrpcRoute): Reports {
  yield* checkRoute(spec, spec.rules ?? [], GRPC_ROUTE_FILTERS);
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    for (const [j, { method }] of (rule.matches ?? []).entries()) {
      if (method !== undefined)
        yield* checkMethod(method, ["spec", "rules", i, "matches", j, "method"]);
    }
  }
}

const SERVICE = /^\.?[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*$/i;
const METHOD = /^[A-Za-z_][A-Za-z_0-9]*$/;

export function* checkMethod(
  match: NonNullable<NonNullable<GrpcRouteRule["matches"]>[number]["method"]>,
  field: FieldPath,
): Reports {
  const { type = "Exact", service, method } = match;
  if (service === undefined && method === undefined) {
    yield missing(field, "a method match needs a service, a method or both");
  }
  if (type !== "Exact") return;
  if (service !== undefined && !SERVICE.test(service)) {
    yield invalid(
      [...field, "service"],
      `the service ${shown(service)} must be a name such as package.Service`,
      "write its name without slashes, or use the type RegularExpression",
    );
  }
  if (method !== undefined && !METHOD.test(method)) {
    yield invalid(
      [...field, "method"],
      `the method ${shown(method)} must be a name of letters, digits and '_'`,
      "write its name without slashes, or use the type RegularExpression",
    );
  }
}

export function* checkStreamRoute({ apiVersion, kind, spec }: StreamRoute): Reports {
  const { hostnames }: CommonRouteSpec = spec;
  const isOld = apiVersion.endsWith("/v1alpha2");
  if (kind === "TLSRoute" && !isOld && hostnames === undefined) {
    yield missing(["spec", "hostnames"], "a TLSRoute needs hostnames", "name those that it is for");
  }
  yield* checkParts(spec.parentRefs ?? [], ["spec", "parentRefs"], PARENT_WORDS);
  for (const [i, { backendRefs }] of spec.rules.entries()) {
    for (const [j, backend] of backendRefs.entries()) {
      yield* checkBackendReference(backend, ["spec", "rules", i, "backendRefs", j]);
    }
  }
}
