import type { HttpRouteRule } from "../../../api/gateway.js";
import type { Deadlines, Timeouts } from "../../../ir/route.js";
import { DEFAULT_TIMEOUTS } from "../../../ir/route.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { parseDuration } from "./duration.js";
import type { Findings } from "./findings.js";

/** Milliseconds that a connection may be silent where a timeout is switched off: a day, which no request outlives. */
const OFF = 86_400_000;

/** `0s` switches a timeout off. A deadline that is longer than the gateway's own limit for silence replaces that, too. */
export function ruleTimeouts(
  spec: NonNullable<HttpRouteRule["timeouts"]>,
  place: Place,
  findings: Findings,
): { readonly timeouts: Timeouts; readonly deadlines?: Deadlines } {
  const request = milliseconds(spec.request, within(place, "request"), findings);
  const backendRequest = milliseconds(
    spec.backendRequest,
    within(place, "backendRequest"),
    findings,
  );
  if (isSet(request) && isSet(backendRequest) && backendRequest > request) {
    const message = "backendRequest is longer than request";
    findings.unsupported(message, within(place, "backendRequest"));
  }
  const deadlines = {
    ...(isSet(request) && { request }),
    ...(isSet(backendRequest) && { backendRequest }),
  };
  return {
    timeouts: silence(backendRequest ?? request),
    ...(Object.keys(deadlines).length > 0 && { deadlines }),
  };
}

/** A deadline for the answer does not limit the silence within: the longer of the two holds. */
function silence(limit: number | undefined): Timeouts {
  if (limit === undefined) return DEFAULT_TIMEOUTS;
  const longest = limit === 0 ? OFF : limit;
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  return { connect, send: Math.max(send, longest), read: Math.max(read, longest) };
}

function isSet(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}

function milliseconds(
  text: string | undefined,
  place: Place,
  findings: Findings,
): number | undefined {
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration.ok) return duration.value;
  findings.unsupported(duration.problem, place);
  return undefined;
}
