import type { RouteFilter } from "../../../api/gateway.js";
import type { Cors } from "../../../ir/filters.js";
import { isHeaderName } from "../../http/header-text.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { Findings } from "./findings.js";
import { METHODS } from "./http-matches.js";

/** Seconds (Gateway API, HTTPCORSFilter.maxAge). */
const DEFAULT_MAX_AGE = 5;
const ORIGIN = /^(?:\*|https?:\/\/(?:\*|(?:\*\.)?[A-Za-z0-9.-]+)(?::\d{1,5})?)$/;

/** Lists that a filter leaves out stay empty: the data plane knows the API's defaults. */
export function corsOf(
  spec: NonNullable<RouteFilter["cors"]>,
  place: Place,
  findings: Findings,
): Cors {
  const { allowOrigins = [], allowMethods = [], allowHeaders = [], exposeHeaders = [] } = spec;
  const origin = allowOrigins.find((candidate) => !ORIGIN.test(candidate));
  if (origin !== undefined) {
    const message = `${JSON.stringify(origin)} is not an origin such as https://a.example`;
    findings.unsupported(message, within(place, "allowOrigins"));
  }
  for (const method of allowMethods) {
    findings.choice(method, [...METHODS, "*"], within(place, "allowMethods"));
  }
  checkNames(allowHeaders, within(place, "allowHeaders"), findings);
  checkNames(exposeHeaders, within(place, "exposeHeaders"), findings);
  return {
    dialect: "gateway",
    allowOrigins,
    allowMethods,
    allowHeaders,
    exposeHeaders,
    allowCredentials: spec.allowCredentials ?? false,
    maxAge: spec.maxAge ?? DEFAULT_MAX_AGE,
  };
}

/** `*` is a header's name, too. */
function checkNames(names: readonly string[], place: Place, findings: Findings): void {
  const wrong = names.find((name) => !isHeaderName(name));
  if (wrong === undefined) return;
  findings.unsupported(`${JSON.stringify(wrong)} is not the name of a header`, place);
}
