import type { RouteFilter } from "../../../api/gateway.js";
import type { Redirect } from "../../../ir/filters.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { pathRewrite } from "./path-modifier.js";
import type { FilterScope } from "./scope.js";

const SCHEMES = ["http", "https"] as const;
const WELL_KNOWN_PORTS = { http: 80, https: 443 } as const;
const STATUSES = [301, 302, 303, 307, 308] as const;
const DEFAULT_STATUS = 302;

/**
 * The port is the filter's, else the well-known one of its scheme, else the listener's: not the one that nginx listens on, nor
 * the one in the Host header (Gateway API, HTTPRequestRedirectFilter.port).
 */
export function redirectOf(
  spec: NonNullable<RouteFilter["requestRedirect"]>,
  place: Place,
  scope: FilterScope,
): Redirect | undefined {
  const { findings } = scope;
  const code = spec.statusCode ?? DEFAULT_STATUS;
  const status = STATUSES.find((known) => known === code);
  if (status === undefined) {
    const message = `${String(code)} is none of ${STATUSES.join(", ")}`;
    findings.unsupported(message, within(place, "statusCode"));
    return undefined;
  }
  const scheme =
    spec.scheme === undefined
      ? undefined
      : findings.choice(spec.scheme, SCHEMES, within(place, "scheme"));
  const path = spec.path && pathRewrite(spec.path, within(place, "path"), scope);
  const port = spec.port ?? (scheme === undefined ? scope.port : WELL_KNOWN_PORTS[scheme]);
  return {
    status,
    ...(scheme && { scheme }),
    ...(spec.hostname !== undefined && spec.hostname !== "" && { host: spec.hostname }),
    port,
    ...(path && { path }),
  };
}
