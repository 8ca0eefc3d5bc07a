/** Frontends of protocol tcp and udp: their connections and datagrams go to the Services of their group, unread. */
import type { Alb2, Frontend } from "../../api/alb.js";
import type { StreamPool } from "../../model/stream.js";
import { ANY_HOST } from "../../model/values.js";
import { present } from "../../support/json-object.js";
import { isSet } from "../../support/text.js";
import type { Backends } from "../backends.js";
import type { BuildContext } from "../config-builder.js";
import type { TranslateContext } from "../context.js";
import type { StreamListener } from "../gateway/streams/stream-places.js";
import type { TranslatedStreams } from "../gateway/streams/stream-routes.js";
import { NO_STREAM } from "../gateway/written-gateways.js";
import { type Inherited, type LoadBalancer, type StreamPort, serverId } from "../load-balancer.js";
import { nameOf, placeOf } from "../place.js";
import { unavailability } from "../unavailable-ports.js";
import { transportOf } from "./alb-settings.js";
import { INGRESS_PORTS, ingressPortOf } from "./port-claims.js";
import { groupMembers, isFirewallEnabled } from "./shared-settings.js";

/** Undefined: the Frontend is for requests, or there is none. */
export function streamPort(
  alb: Alb2,
  frontend: Frontend | undefined,
  { auth }: Pick<Inherited, "auth">,
): StreamPort | undefined {
  const transport = frontend && transportOf(frontend);
  if (frontend === undefined || transport === undefined) return undefined;
  const { metadata, spec } = frontend;
  return {
    port: spec.port,
    server: serverId(spec.port, transport),
    listener: `frontend/${metadata.namespace}/${metadata.name}`,
    transport,
    frontend,
    isClosed: (alb.closed ?? frontend.closed) !== undefined,
    isUnchecked: auth.length > 0,
  };
}

/** Adds the ports of Frontends to the streams of Gateways; `backends`: of streams. */
export function withFrontends(
  { places, ...streams }: TranslatedStreams,
  balancers: readonly LoadBalancer[],
  backends: Backends,
  build: BuildContext,
): TranslatedStreams {
  const listeners: StreamListener[] = [];
  const pools: StreamPool[] = [];
  for (const balancer of balancers) {
    for (const port of balancer.streams) {
      reportSettings(port, balancer, build);
      const pool = poolOf(port, backends, build);
      if (!isServed(port, build)) continue;
      const { listener: id, frontend: route, server, transport: stream } = port;
      const open = { addresses: [], hostname: ANY_HOST, certificates: [] };
      listeners.push({ id, server, port: port.port, stream, ...open });
      const hosts = [{ index: 0, pattern: ANY_HOST, host: ANY_HOST }];
      places.bind({ route, listeners: [id], hosts, ...present("pool", pool?.id) });
      if (pool !== undefined) pools.push(pool);
    }
  }
  return {
    places,
    listeners: [...streams.listeners, ...listeners],
    pools: [...streams.pools, ...pools],
  };
}

/** What is not served for lack of sockets, or because the port is taken, has been reported. */
function isServed(port: StreamPort, build: BuildContext): boolean {
  if (!build.options.stream) {
    const message = `protocol ${port.transport} is not served; ${NO_STREAM}`;
    const place = placeOf(port.frontend, "spec", "protocol");
    build.diagnostics.report({ code: "PROTOCOL_UNSUPPORTED", message, ...place });
    return false;
  }
  const isFree = unavailability({ addresses: [], ...port }, build) === undefined;
  return isFree && !build.config.refused.has(port.listener);
}

/** Undefined: connections are closed. */
function poolOf(
  { frontend, transport, listener: id, isClosed }: StreamPort,
  backends: Backends,
  build: BuildContext,
): StreamPool | undefined {
  const { serviceGroup = {} } = frontend.spec;
  const place = placeOf(frontend, "spec", "serviceGroup");
  const members = groupMembers(serviceGroup, place, transport, backends);
  const used = members.filter(({ weight }) => weight > 0);
  if (used.length === 0 && frontend.closed === undefined) {
    const message = "no Service of the group has a weight above 0, so connections are closed";
    build.diagnostics.report({ code: "ROUTE_WITHOUT_BACKEND", message, ...place });
  }
  const mustClose = isRestricted(frontend, build);
  if (isClosed || mustClose || used.length === 0) return undefined;
  return { id, transport, backends: used };
}

/** Whether the Frontend has a restriction of its own, which nothing can check, so that its port must be closed. */
function isRestricted(frontend: Frontend, { options, diagnostics }: TranslateContext): boolean {
  const { auth = {}, modsecurity } = frontend.spec.config ?? {};
  if (Object.keys(auth).length === 0 && !isFirewallEnabled(modsecurity)) return false;
  const mustClose = options.unsupportedRestrictions === "close";
  const outcome = mustClose ? "closed" : "passed on without it";
  const message = `auth and modsecurity are for requests, so the port's connections are ${outcome}`;
  const place = placeOf(frontend, "spec", "config");
  diagnostics.report({ code: "RESTRICTION_UNSUPPORTED", message, ...place });
  return mustClose;
}

/** Reports what the port doesn't do, and for whom it is not. */
function reportSettings(
  { frontend, port, transport, isUnchecked }: StreamPort,
  { alb }: LoadBalancer,
  { diagnostics }: TranslateContext,
): void {
  for (const path of fieldsForRequests(frontend)) {
    const message = `${path.at(-1) ?? ""} has no effect on a port of protocol ${transport}`;
    const place = placeOf(frontend, "spec", ...path);
    diagnostics.report({ code: "SETTING_WITHOUT_EFFECT", message, ...place });
  }
  if (alb === undefined) return;
  if (isUnchecked && frontend.spec.config?.auth === undefined) {
    const message = `the auth of ${nameOf(alb)} is for requests; connections of this port are passed on without it`;
    const place = placeOf(frontend, "spec", "protocol");
    diagnostics.report({ code: "AUTH_SETTING_WITHOUT_EFFECT", message, ...place });
  }
  const isOfIngresses = INGRESS_PORTS.some((field) => ingressPortOf(alb, field) === port);
  if (isOfIngresses && transport === "tcp") {
    const message = `port ${String(port)} passes on connections, so Ingresses of ${nameOf(alb)} are not served on it`;
    diagnostics.report({ code: "PORT_CONFLICT", message, ...placeOf(frontend, "spec", "port") });
  }
}

/** Paths below `spec` of the fields that are set but are for requests. */
function fieldsForRequests({ spec }: Frontend): readonly (readonly string[])[] {
  const { certificate_name: certificate, backendProtocol, serviceGroup = {}, config = {} } = spec;
  const texts = [
    [certificate, "certificate_name"],
    [backendProtocol, "backendProtocol"],
    [serviceGroup.session_affinity_policy, "serviceGroup", "session_affinity_policy"],
  ] as const;
  return [
    ...texts.flatMap(([text, ...path]) => (isSet(text) ? [path] : [])),
    ...CONFIG_FOR_REQUESTS.filter((field) => config[field] !== undefined).map((field) => [
      "config",
      field,
    ]),
  ];
}

const CONFIG_FOR_REQUESTS = ["timeout", "redirect", "otel", "keepalive"] as const;
