import type { HttpRouteRule } from "../../../api/gateway.js";
import type { Route } from "../../../model/route.js";
import { DEFAULT_TIMEOUTS } from "../../../model/route.js";
import { durationMilliseconds } from "../../../support/duration.js";

/** Milliseconds that a connection may be silent where a timeout is switched off: a day, which no request outlives. */
const OFF = 86_400_000;

/** `0s` switches a timeout off. A deadline that is longer than the gateway's own limit for silence replaces that, too. */
export function ruleTimeouts(
  spec: NonNullable<HttpRouteRule["timeouts"]>,
): Pick<Route, "timeouts" | "deadlines"> {
  const request = milliseconds(spec.request);
  const backendRequest = milliseconds(spec.backendRequest);
  const limit = backendRequest ?? request;
  if (limit === undefined) return {};
  const silence = limit === 0 ? OFF : limit;
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  const deadlines = {
    ...(isSet(request) && { request }),
    ...(isSet(backendRequest) && { backendRequest }),
  };
  return {
    // A deadline for the answer does not limit the silence within: the longer of the two holds.
    timeouts: { connect, send: Math.max(send, silence), read: Math.max(read, silence) },
    ...(Object.keys(deadlines).length > 0 && { deadlines }),
  };
}

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationMilliseconds(text);
}

function isSet(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}
