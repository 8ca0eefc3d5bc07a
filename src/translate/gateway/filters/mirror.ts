import { within } from "../../place.js";
import { destinationOf } from "../destination.js";
import { filterType } from "./filter.js";

const WHOLE = 100;

/** A mirror that can't be reached is dropped and told; the requests are served. */
export const REQUEST_MIRROR = filterType({
  type: "RequestMirror",
  field: "requestMirror",
  isForGrpc: true,
  isBesideRedirect: false,
  apply({ backendRef, percent, fraction }, place, { scope, effects: { mirrors = [] } }) {
    const at = within(place, "backendRef");
    const destination = destinationOf(backendRef, at, scope);
    if (!destination.ok) return {};
    const { upstream, protocol, tls } = destination;
    if (protocol !== "http" && protocol !== "https") {
      const message = `copies are sent by HTTP/1.1, and port ${String(backendRef.port)} of Service ${backendRef.name} is spoken to by ${protocol}`;
      scope.problems.unresolvable("UnsupportedProtocol", message, at, "ROUTE_MIRROR_PROTOCOL");
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
});
