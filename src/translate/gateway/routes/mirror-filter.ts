import type { RouteFilter } from "../../../api/gateway.js";
import type { Mirror } from "../../../model/route.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { destinationOf } from "./destination.js";
import type { RuleScope } from "./scope.js";

const WHOLE = 100;

/** Undefined: nothing is mirrored. A mirror that can't be reached is dropped and told; the requests are served. */
export function mirrorOf(
  { backendRef, percent, fraction }: NonNullable<RouteFilter["requestMirror"]>,
  place: Place,
  scope: RuleScope,
): Mirror | undefined {
  const at = within(place, "backendRef");
  const destination = destinationOf(backendRef, at, scope);
  if (!destination.ok) return undefined;
  const { upstream, protocol, tls } = destination;
  if (protocol !== "http" && protocol !== "https") {
    const message = `copies are sent by HTTP/1.1, and port ${String(backendRef.port)} of Service ${backendRef.name} is spoken to by ${protocol}`;
    scope.findings.unresolvable("UnsupportedProtocol", message, at, "ROUTE_MIRROR_PROTOCOL");
    return undefined;
  }
  const { numerator, denominator = WHOLE } = fraction ?? { numerator: percent ?? WHOLE };
  if (numerator === 0) return undefined;
  return { upstream, protocol, ...(tls !== undefined && { tls }), numerator, denominator };
}
