import type { RouteFilter } from "../../../api/gateway.js";
import type { Mirror } from "../../../ir/upstream.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { destinationOf } from "./destination.js";
import type { RuleScope } from "./scope.js";

const WHOLE = 100;

/** Undefined: nothing is mirrored. A mirror that can't be reached is dropped and told; the requests are served. */
export function mirrorOf(
  spec: NonNullable<RouteFilter["requestMirror"]>,
  place: Place,
  scope: RuleScope,
): Mirror | undefined {
  const share = shareOf(spec, place, scope);
  const destination = destinationOf(spec.backendRef, within(place, "backendRef"), scope);
  if (share === undefined || share.numerator === 0 || !destination.ok) return undefined;
  const { upstream, protocol, tls } = destination;
  return { upstream, protocol, ...(tls !== undefined && { tls }), ...share };
}

function shareOf(
  { percent, fraction }: NonNullable<RouteFilter["requestMirror"]>,
  place: Place,
  { findings }: RuleScope,
): Pick<Mirror, "numerator" | "denominator"> | undefined {
  if (percent !== undefined && fraction !== undefined) {
    findings.unsupported("only one of percent and fraction can be given", place);
    return undefined;
  }
  const numerator = fraction?.numerator ?? percent ?? WHOLE;
  const denominator = fraction?.denominator ?? WHOLE;
  if (numerator >= 0 && denominator > 0 && numerator <= denominator) {
    return { numerator, denominator };
  }
  const message = `${String(numerator)} of ${String(denominator)} is no share of the requests`;
  findings.unsupported(message, within(place, fraction === undefined ? "percent" : "fraction"));
  return undefined;
}
