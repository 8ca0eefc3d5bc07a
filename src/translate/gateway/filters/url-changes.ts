import type { PathModifier, RouteFilter } from "../../../api/gateway.js";
import type { PathRewrite } from "../../../model/filters.js";
import { type Place, within } from "../../place.js";
import type { FilterType, RuleContext } from "../model.js";

const SCHEMES = ["http", "https"] as const;
const STATUSES = [301, 302, 303, 307, 308] as const;
const DEFAULT_STATUS = 302;

/** If `port` is absent, the data plane uses that of the scheme or listener (Gateway API, HTTPRequestRedirectFilter.port). */
export const REQUEST_REDIRECT: FilterType<"requestRedirect"> = {
  type: "RequestRedirect",
  field: "requestRedirect",
  apply(spec, place, context) {
    const { problems } = context;
    const at = within(place, "requestRedirect");
    const { hostname: host, port, statusCode: code = DEFAULT_STATUS } = spec;
    const status = STATUSES.find((known) => known === code);
    if (status === undefined) {
      const message = `${String(code)} is none of ${STATUSES.join(", ")}`;
      problems.unsupported(message, within(at, "statusCode"));
      return {};
    }
    const scheme =
      spec.scheme === undefined
        ? undefined
        : problems.choice(spec.scheme, SCHEMES, within(at, "scheme"));
    const path = spec.path && pathRewrite(spec.path, within(at, "path"), context);
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
};

export const URL_REWRITE: FilterType<"urlRewrite"> = {
  type: "URLRewrite",
  field: "urlRewrite",
  apply({ hostname, path }, place, context) {
    const rewrite = path && pathRewrite(path, within(place, "urlRewrite", "path"), context);
    return {
      ...(rewrite && { rewrite }),
      ...(hostname !== undefined && { host: hostname }),
    };
  },
};

const TYPES = ["ReplaceFullPath", "ReplacePrefixMatch"] as const;

/** The new path; undefined: it can't be determined, which is reported. */
function pathRewrite(
  modifier: PathModifier,
  place: Place,
  { problems, prefix, diagnostics }: RuleContext,
): PathRewrite | undefined {
  for (const field of ["replaceFullPath", "replacePrefixMatch"] as const) {
    const message = literalPath(modifier[field]);
    const at = within(place, field);
    if (message !== undefined) diagnostics.report({ code: "ROUTE_TEXT_LITERAL", message, ...at });
  }
  switch (problems.choice(modifier.type, TYPES, within(place, "type"))) {
    case "ReplaceFullPath":
      return ["full", modifier.replaceFullPath ?? "/"];
    case "ReplacePrefixMatch": {
      const { replacePrefixMatch: replacement = "/" } = modifier;
      if (prefix !== undefined) return ["prefix", prefix, replacement];
      const message = "a prefix can be replaced only where every match of the rule is a PathPrefix";
      problems.unsupported(message, within(place, "replacePrefixMatch"));
      return undefined;
    }
    case undefined:
      return undefined;
  }
}

/** What a path is taken for that is sent as it is written. */
function literalPath(path = ""): string | undefined {
  const written = JSON.stringify(path);
  const delimiter = /[?#]/.exec(path)?.[0];
  if (/^[a-z]+:\/\//i.test(path)) return `${written} is a path here, not a URL`;
  if (delimiter !== undefined) {
    return `${written} is a path here: its ${delimiter} is sent as ${delimiter === "?" ? "%3F" : "%23"}`;
  }
  const variable = VARIABLE.exec(path)?.[0];
  return variable === undefined
    ? undefined
    : `${written} is sent as it is written: ${variable} is not expanded`;
}

/** A capture or variable, as nginx has them. */
export const VARIABLE = /\$(?:[A-Za-z0-9_]+|\{[A-Za-z0-9_]+\})/;

/** Whether the effect of the filter depends on the prefix that is matched. */
export function replacesPrefix({ requestRedirect, urlRewrite }: RouteFilter): boolean {
  return [requestRedirect, urlRewrite].some((each) => each?.path?.type === "ReplacePrefixMatch");
}
