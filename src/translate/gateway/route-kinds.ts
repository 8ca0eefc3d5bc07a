import { GATEWAY_GROUP } from "../../api/wire.js";
import type { GatewayListener } from "../../api/gateway.js";
import type { CompileOptions } from "../../model/options.js";
import type { RouteKindName } from "./model.js";
import type { Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

/** The supported protocols of listeners, and the kinds of routes that each takes. */
const KINDS = {
  HTTP: ["HTTPRoute", "GRPCRoute"],
  HTTPS: ["HTTPRoute", "GRPCRoute"],
  TLS: ["TLSRoute"],
  TCP: ["TCPRoute"],
  UDP: ["UDPRoute"],
} as const satisfies Record<string, readonly RouteKindName[]>;

export type ServedProtocol = keyof typeof KINDS;

type ServingOptions = Pick<CompileOptions, "stream">;

const NEEDS_STREAM: readonly string[] = ["TLS", "TCP", "UDP"];

/** Whether listeners of the protocol pass on connections or datagrams unread, so without auth. */
export function needsStream(protocol: string): boolean {
  return NEEDS_STREAM.includes(protocol);
}

export function isServedProtocol(
  protocol: string,
  options: ServingOptions,
): protocol is ServedProtocol {
  return Object.hasOwn(KINDS, protocol) && (options.stream || !needsStream(protocol));
}

/** UnsupportedProtocol. */
export function protocolVerdict(protocol: string, options: ServingOptions): Verdict {
  if (isServedProtocol(protocol, options)) return HOLDS;
  const why = needsStream(protocol)
    ? "nginx has no stream module (Debian's package libnginx-mod-stream), or one before 1.25.5"
    : `${Object.keys(KINDS).join(", ")} are`;
  return refused("UnsupportedProtocol", `protocol ${protocol} is not served; ${why}`);
}

/** The kinds of routes that a listener takes, and InvalidRouteKinds when it names one that it can't take. */
export function routeKinds(
  { protocol, allowedRoutes }: GatewayListener,
  options: ServingOptions,
): {
  readonly kinds: readonly RouteKindName[];
  readonly verdict: Verdict;
} {
  const possible: readonly RouteKindName[] = isServedProtocol(protocol, options)
    ? KINDS[protocol]
    : [];
  const wanted = allowedRoutes?.kinds ?? [];
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
  const message = `a listener of protocol ${protocol} takes ${possible.join(", ") || "no routes"}, not ${shown}`;
  return { kinds, verdict: refused("InvalidRouteKinds", message) };
}
