import type { RouteFilter } from "../../../api/gateway.js";
import type { Mirror } from "../../../ir/upstream.js";
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
  const destination = destinationOf(backendRef, within(place, "backendRef"), scope);
  const { numerator, denominator = WHOLE } = fraction ?? { numerator: percent ?? WHOLE };
  if (numerator === 0 || !destination.ok) return undefined;
  const { upstream, protocol, tls } = destination;
  return { upstream, protocol, ...(tls !== undefined && { tls }), numerator, denominator };
}
