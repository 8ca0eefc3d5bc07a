import { within } from "../../place.js";
import { filterType } from "./filter.js";
import { pathRewrite } from "./url-rewrite.js";

const SCHEMES = ["http", "https"] as const;
const STATUSES = [301, 302, 303, 307, 308] as const;
const DEFAULT_STATUS = 302;

/** Without a port the data plane takes the scheme's or the listener's (Gateway API, HTTPRequestRedirectFilter.port). */
export const REQUEST_REDIRECT = filterType({
  type: "RequestRedirect",
  field: "requestRedirect",
  apply(spec, place, { scope }) {
    const { problems } = scope;
    const { hostname: host, port, statusCode: code = DEFAULT_STATUS } = spec;
    const status = STATUSES.find((known) => known === code);
    if (status === undefined) {
      const message = `${String(code)} is none of ${STATUSES.join(", ")}`;
      problems.unsupported(message, within(place, "statusCode"));
      return {};
    }
    const scheme =
      spec.scheme === undefined
        ? undefined
        : problems.choice(spec.scheme, SCHEMES, within(place, "scheme"));
    const path = spec.path && pathRewrite(spec.path, within(place, "path"), scope);
    return {
      redirect: {
        status,
        ...(scheme && { scheme }),
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(path && { path }),
      },
    };
  },
});
