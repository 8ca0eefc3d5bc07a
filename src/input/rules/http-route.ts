/**
 * What an API server checks in an HTTPRoute beyond its schema. What the API answers with a condition passes, though API servers
 * refuse some of it: values that are not known, IP addresses as hostnames, replacePrefixMatch without a PathPrefix match. So
 * do names that stand twice in a list of headers or parameters, of which the first counts.
 */
import type { HttpRoute, HttpRouteMatch, HttpRouteRule } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { durationMilliseconds } from "../../support/duration.js";
import { invalid, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkRoute } from "./route.js";
import { HTTP_ROUTE_FILTERS } from "./route-filters.js";
import { checkUnique } from "./unique.js";

export function* checkHttpRoute({ spec }: HttpRoute): Findings {
  yield* checkRoute(spec, HTTP_ROUTE_FILTERS);
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    const field = ["spec", "rules", i];
    for (const [j, match] of (rule.matches ?? []).entries()) {
      yield* checkPath(match.path, [...field, "matches", j, "path", "value"]);
    }
    yield* checkRedirect(rule, field);
    yield* checkTimeouts(rule.timeouts, [...field, "timeouts", "backendRequest"]);
    yield* checkUnique(rule.retry?.codes ?? [], [...field, "retry", "codes"], "code");
  }
}

const FORBIDDEN = ["//", "/./", "/../", "%2f", "%2F", "#"];
const FORBIDDEN_AT_END = ["/..", "/."];
/** Of a path (RFC 3986, section 3.3), slashes included. */
const CHARACTERS = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$/;

function* checkPath(path: HttpRouteMatch["path"], field: FieldPath): Findings {
  const { type = "PathPrefix", value = "/" } = path ?? {};
  if (type !== "Exact" && type !== "PathPrefix") return;
  const name = `the path ${shown(value)} of type ${type}`;
  if (!value.startsWith("/")) {
    yield invalid(field, `${name} must begin with '/'`);
    return;
  }
  const part = FORBIDDEN.find((text) => value.includes(text));
  const end = FORBIDDEN_AT_END.find((text) => value.endsWith(text));
  if (part !== undefined) yield invalid(field, `${name} must not hold '${part}'`);
  else if (end !== undefined) yield invalid(field, `${name} must not end with '${end}'`);
  else if (!CHARACTERS.test(value)) {
    yield invalid(
      field,
      `${name} holds a character that no path can have`,
      "percent-encode it, as in %20 for a blank",
    );
  }
}

function* checkRedirect({ filters, backendRefs = [] }: HttpRouteRule, field: FieldPath): Findings {
  const redirect = (filters ?? []).findIndex((filter) => filter.requestRedirect !== undefined);
  if (redirect < 0 || backendRefs.length === 0) return;
  yield invalid(
    [...field, "filters", redirect],
    "a rule with backendRefs must not have a RequestRedirect filter",
    "remove one of the two: a redirect is answered without a backend",
  );
}

function* checkTimeouts(timeouts: HttpRouteRule["timeouts"], field: FieldPath): Findings {
  const { request, backendRequest } = timeouts ?? {};
  if (request === undefined || backendRequest === undefined) return;
  const whole = durationMilliseconds(request);
  if (whole === 0 || durationMilliseconds(backendRequest) <= whole) return;
  yield invalid(
    field,
    `backendRequest must not be longer than request, ${request}, but is ${backendRequest}`,
  );
}
