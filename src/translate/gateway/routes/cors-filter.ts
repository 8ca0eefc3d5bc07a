import type { RouteFilter } from "../../../api/gateway.js";
import type { Cors } from "../../../model/filters.js";
import { filled } from "../../../support/json-object.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { RouteProblems } from "./findings.js";
import { METHODS } from "./http-matches.js";

/** Seconds (Gateway API, HTTPCORSFilter.maxAge). */
const DEFAULT_MAX_AGE = 5;

/** Lists that a filter leaves out stay empty: the data plane knows the API's defaults. */
export function corsOf(
  spec: NonNullable<RouteFilter["cors"]>,
  place: Place,
  findings: RouteProblems,
): Cors {
  const { allowOrigins = [], allowMethods = [], allowHeaders = [], exposeHeaders = [] } = spec;
  for (const method of allowMethods) {
    findings.choice(method, [...METHODS, "*"], within(place, "allowMethods"));
  }
  return {
    dialect: "gateway",
    origins: allowOrigins,
    methods: allowMethods,
    headers: allowHeaders,
    ...filled("expose", exposeHeaders),
    credentials: spec.allowCredentials ?? false,
    maxAge: spec.maxAge ?? DEFAULT_MAX_AGE,
  };
}
