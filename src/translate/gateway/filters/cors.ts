import { filled } from "../../../support/json-object.js";
import { within } from "../../place.js";
import { HTTP_METHODS } from "../model.js";
import { filterType } from "./filter.js";

/** Seconds (Gateway API, HTTPCORSFilter.maxAge). */
const DEFAULT_MAX_AGE = 5;

/** Lists that a filter leaves out stay empty: the data plane knows the API's defaults. */
export const CORS = filterType({
  type: "CORS",
  field: "cors",
  apply(spec, place, { scope }) {
    const { allowOrigins = [], allowMethods = [], allowHeaders = [], exposeHeaders = [] } = spec;
    for (const method of allowMethods) {
      scope.problems.choice(method, [...HTTP_METHODS, "*"], within(place, "allowMethods"));
    }
    return {
      cors: {
        dialect: "gateway",
        origins: allowOrigins,
        methods: allowMethods,
        headers: allowHeaders,
        ...filled("expose", exposeHeaders),
        credentials: spec.allowCredentials ?? false,
        maxAge: spec.maxAge ?? DEFAULT_MAX_AGE,
      },
    };
  },
});
