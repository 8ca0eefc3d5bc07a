import type { GatewayListener } from "../../api/gateway.js";
import type { RouteKindName } from "./model.js";
import { GATEWAY_GROUP } from "./model.js";
import type { Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

const HTTP_KINDS: readonly RouteKindName[] = ["HTTPRoute", "GRPCRoute"];

/** Protocols of listeners that are served. */
export type ServedProtocol = "HTTP" | "HTTPS";

export function isServedProtocol(protocol: string): protocol is ServedProtocol {
  return protocol === "HTTP" || protocol === "HTTPS";
}

/** The kinds of routes that a listener takes, and InvalidRouteKinds when it names one that it can't take. */
export function routeKinds(listener: GatewayListener): {
  readonly kinds: readonly RouteKindName[];
  readonly verdict: Verdict;
} {
  const possible = isServedProtocol(listener.protocol) ? HTTP_KINDS : [];
  const wanted = listener.allowedRoutes?.kinds ?? [];
  if (wanted.length === 0) return { kinds: possible, verdict: HOLDS };
  const inGroup = wanted.filter(({ group = GATEWAY_GROUP }) => group === GATEWAY_GROUP);
  const kinds = possible.filter((name) => inGroup.some(({ kind }) => kind === name));
  const unknown = wanted.find(
    ({ group = GATEWAY_GROUP, kind }) =>
      group !== GATEWAY_GROUP || !possible.some((name) => name === kind),
  );
  if (unknown === undefined) return { kinds, verdict: HOLDS };
  const shown =
    unknown.group === undefined || unknown.group === GATEWAY_GROUP
      ? unknown.kind
      : `${unknown.kind} of ${JSON.stringify(unknown.group)}`;
  const message = `a listener of protocol ${listener.protocol} takes ${possible.join(", ") || "no routes"}, not ${shown}`;
  return { kinds, verdict: refused("InvalidRouteKinds", message) };
}
