import { within } from "../../place.js";
import { destinationOf } from "../destination.js";
import type { FilterType } from "../model.js";

const WHOLE = 100;

/** A mirror that can't be reached is reported and dropped; the requests are served. */
export const REQUEST_MIRROR: FilterType<"requestMirror"> = {
  type: "RequestMirror",
  field: "requestMirror",
  isForGrpc: true,
  isBeforeRedirect: true,
  apply({ backendRef, percent, fraction }, place, context, { mirrors = [] }) {
    const at = within(place, "requestMirror", "backendRef");
    const destination = destinationOf(backendRef, at, context);
    if (!destination.ok) return {};
    const { upstream, protocol, tls } = destination;
    if (protocol !== "http" && protocol !== "https") {
      const message = `copies are sent by HTTP/1.1, and port ${String(backendRef.port)} of Service ${backendRef.name} is spoken to by ${protocol}`;
      context.problems.unresolvable("UnsupportedProtocol", message, at, "ROUTE_MIRROR_PROTOCOL");
      return {};
    }
    const { numerator, denominator = WHOLE } = fraction ?? { numerator: percent ?? WHOLE };
    if (numerator === 0) return {};
    const mirror = {
      upstream,
      protocol,
      ...(tls !== undefined && { tls }),
      numerator,
      denominator,
    };
    return { mirrors: [...mirrors, mirror] };
  },
};
