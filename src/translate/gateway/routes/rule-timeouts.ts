import type { HttpRouteRule } from "../../../api/gateway.js";
import type { Deadlines, Timeouts } from "../../../model/route.js";
import { DEFAULT_TIMEOUTS } from "../../../model/route.js";
import { durationMilliseconds } from "../../../support/duration.js";

/** Milliseconds that a connection may be silent where a timeout is switched off: a day, which no request outlives. */
const OFF = 86_400_000;

/** `0s` switches a timeout off. A deadline that is longer than the gateway's own limit for silence replaces that, too. */
export function ruleTimeouts(spec: NonNullable<HttpRouteRule["timeouts"]>): {
  readonly timeouts: Timeouts;
  readonly deadlines?: Deadlines;
} {
  const request = milliseconds(spec.request);
  const backendRequest = milliseconds(spec.backendRequest);
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

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationMilliseconds(text);
}

function isSet(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}
