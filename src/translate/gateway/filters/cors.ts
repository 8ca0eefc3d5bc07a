import { filled } from "../../../support/json-object.js";
import { within } from "../../place.js";
import { type FilterType, HTTP_METHODS } from "../model.js";

/** Seconds (Gateway API, HTTPCORSFilter.maxAge). */
const DEFAULT_MAX_AGE = 5;

/** Absent lists become empty ones, because the data plane knows the API's defaults. */
export const CORS: FilterType<"cors"> = {
  type: "CORS",
  field: "cors",
  apply(spec, place, { problems }) {
    const { allowOrigins = [], allowMethods = [], allowHeaders = [], exposeHeaders = [] } = spec;
    for (const method of allowMethods) {
      problems.choice(method, [...HTTP_METHODS, "*"], within(place, "cors", "allowMethods"));
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
};
