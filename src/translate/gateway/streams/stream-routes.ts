/** Attaches TLSRoutes, TCPRoutes and UDPRoutes to listeners, binds them there, writes their statuses, and makes a stream of each port. */
import type { StreamRoute } from "../../../api/gateway.js";
import type { Report } from "../../../diagnostics/sink.js";
import type { RoutingModel } from "../../../model/config.js";
import type { Listener } from "../../../model/listener.js";
import type { StreamPool, StreamServer } from "../../../model/stream.js";
import { type HostPattern, hostKey } from "../../../model/values.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { compareIds, compareStrings, groupBy } from "../../../support/collections.js";
import { present } from "../../../support/json-object.js";
import type { BuildContext } from "../../config-builder.js";
import { nameOf, placeOf } from "../../place.js";
import { compareAge } from "../../precedence.js";
import type { ListenerState, TranslatedGateway } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import { type Attachment, type OwnParent, isUnattached, ownParents } from "../routes/attachment.js";
import { notAccepted, parentConditions, routeStatus } from "../routes/conditions.js";
import { Parents } from "../routes/parents.js";
import { refusedEndings } from "../socket-budget.js";
import { namesOfPorts } from "./stream-names.js";
import { type ShadowedHost, type StreamListener, StreamPlaces } from "./stream-places.js";
import { type StreamContext, type StreamPlan, StreamPlans } from "./stream-pools.js";

/**
 * If several routes want the same connections, the oldest route gets them; all of them are accepted and counted (Gateway API,
 * conflicts). `freeSockets`: the sockets that listeners leave to places where TLS ends.
 */
export function translateStreamRoutes(
  gateways: readonly TranslatedGateway[],
  freeSockets: number,
  context: BuildContext & StreamContext,
): {
  readonly attached: ReadonlyMap<ListenerState, number>;
  readonly statuses: readonly ObjectStatus[];
  readonly streams: TranslatedStreams;
} {
  const places = new StreamPlaces();
  const parents = new Parents(gateways, context);
  const routes = streamRoutes(context).map((route): AttachedRoute => {
    const problems = new RouteProblems(context.diagnostics);
    if (route.closed !== undefined) {
      problems.unsupported(`its connections are closed: ${route.closed.message}`, placeOf(route));
    }
    const own = ownParents(route, parents, problems, context);
    if (own.length === 0 && isUnattached(route, parents, problems, context)) {
      new StreamPlans(route, context).plan(undefined);
    }
    return { route, problems, own };
  });
  refuseEndings(gateways, routes, freeSockets);
  const attached = new Map<ListenerState, number>();
  const pools: StreamPool[] = [];
  const statuses = routes.map((each) => {
    const plans = new StreamPlans(each.route, context);
    const { listeners, status } = translateRoute(each, plans, places, context);
    for (const listener of listeners) attached.set(listener, (attached.get(listener) ?? 0) + 1);
    pools.push(...plans.pools);
    return status;
  });
  const listeners = gateways.flatMap(streamListeners);
  return { attached, statuses, streams: { listeners, places, pools } };
}

/** Oldest first. */
function streamRoutes({ resources }: BuildContext): readonly StreamRoute[] {
  const kinds = ["TLSRoute", "TCPRoute", "UDPRoute"] as const;
  return kinds.flatMap((kind) => [...resources.list(kind)].sort(compareAge));
}

/** Includes listeners without routes: their ports are open, and connections are closed. */
function streamListeners({ listeners, addresses }: TranslatedGateway): readonly StreamListener[] {
  return listeners.flatMap(({ serves, stream, port, hostname, certificates }) =>
    serves === undefined || stream === undefined
      ? []
      : {
          id: serves.listener,
          server: serves.server,
          addresses,
          port,
          stream,
          hostname,
          certificates: certificates.map(({ id, names }) => ({ id, names })),
        },
  );
}

interface AttachedRoute {
  readonly route: StreamRoute;
  readonly problems: RouteProblems;
  readonly own: readonly OwnParent[];
}

/** A route that gets no sockets to end TLS keeps its hosts, but their connections are closed. */
function refuseEndings(
  gateways: readonly TranslatedGateway[],
  routes: readonly AttachedRoute[],
  freeSockets: number,
): void {
  const ending = gateways
    .flatMap(({ listeners }) => listeners)
    .filter(({ serves, stream }) => serves !== undefined && stream === "terminate");
  const certificates = new Map<ListenerState, number>(
    ending.map((listener) => [listener, listener.certificates.length]),
  );
  const wanted = new Map(routes.map(({ route, own }) => [route, mostEndings(own, certificates)]));
  const losers = refusedEndings(wanted, freeSockets);
  for (const { route, problems } of routes) {
    const lost = losers.get(route);
    if (lost === undefined) continue;
    const message = `no TLS can end for its connections: ${lost.message}`;
    problems.tooLarge(message, placeOf(route, "spec"), "LISTENER_OVER_BUDGET");
  }
}

/** An upper bound: each name without a wildcard has one certificate. */
function mostEndings(
  own: readonly OwnParent[],
  certificates: ReadonlyMap<ListenerState, number>,
): number {
  return own.flatMap(attachmentsOf).reduce((sum, { listener, hosts }) => {
    const isExact = hosts.every(({ host }) => host.kind === "exact");
    return sum + Math.min(certificates.get(listener) ?? 0, isExact ? hosts.length : Infinity);
  }, 0);
}

function attachmentsOf({ attached }: OwnParent): readonly Attachment[] {
  return attached.ok ? attached.attachments : [];
}

/** `listeners`: those that the route is attached to and accepted for. */
function translateRoute(
  { route, problems, own }: AttachedRoute,
  plans: StreamPlans,
  places: StreamPlaces,
  context: StreamContext,
): { readonly listeners: ReadonlySet<ListenerState>; readonly status: ObjectStatus } {
  const listeners = new Set<ListenerState>();
  const reached = new Map<ListenerState, Attachment & Pick<StreamPlan, "pool">>();
  const parents = own.map((each) => {
    const attachments = attachmentsOf(each);
    const plan = planOf(attachments, plans);
    const { accepted, conditions } = parentConditions(route, each, problems, [plan]);
    for (const attachment of attachments) {
      const { listener } = attachment;
      if (accepted) listeners.add(listener);
      // Two parentRefs may name one listener. A refused route keeps its hosts, so no wider route serves them.
      const pool = accepted ? planAt(listener, plans).pool : undefined;
      const isBound = route.closed?.isHostless !== true;
      if (isBound && !reached.has(listener)) reached.set(listener, { ...attachment, pool });
    }
    return { reference: each.reference, conditions };
  });
  const shadowed = bind(route, [...reached.values()], places);
  const names = new Map(
    [...reached.keys()].flatMap(({ serves, name }) => (serves ? [[serves.listener, name]] : [])),
  );
  for (const each of shadowed) context.diagnostics.report(shadowedReport(route, each, names));
  const status = routeStatus(route, parents, context.options);
  const message = whyClosed([...reached.values()], shadowed);
  if (message === undefined) return { listeners, status };
  return {
    listeners,
    status: notAccepted(status, { reason: "Pending", message }, context.options),
  };
}

/** Undefined: not all of the route's hosts have been taken by refused routes. */
function whyClosed(
  reached: readonly Attachment[],
  shadowed: readonly ShadowedHost[],
): string | undefined {
  const all = reached.reduce((sum, { hosts }) => sum + hosts.length, 0);
  const closed = shadowed.filter(({ by }) => by.closed !== undefined);
  const [first] = closed;
  if (closed.reduce((sum, { listeners }) => sum + listeners.length, 0) < all) return undefined;
  return (
    first &&
    `its connections are closed because of ${nameOf(first.by)}: ${first.by.closed?.message ?? ""}`
  );
}

function planAt({ stream, gateway }: ListenerState, plans: StreamPlans): StreamPlan {
  return plans.plan(stream === "terminate" ? gateway : undefined);
}

/** The plan for the conditions: if a listener ends TLS, the policies for the backends count. */
function planOf(attachments: readonly Attachment[], plans: StreamPlans): StreamPlan {
  const ending = attachments.find(({ listener }) => listener.stream === "terminate");
  return plans.plan(ending?.listener.gateway);
}

/** Returns the hosts that other, older routes have. Without a pool, connections are closed. */
function bind(
  route: StreamRoute,
  attachments: readonly (Attachment & Pick<StreamPlan, "pool">)[],
  places: StreamPlaces,
): readonly ShadowedHost[] {
  const groups = [...groupBy(attachments, ({ hosts }) => hosts)].flatMap(([hosts, each]) =>
    [...groupBy(each, ({ pool }) => pool?.id)].map(([pool, own]) => ({ hosts, pool, own })),
  );
  return groups.flatMap(({ hosts, pool, own }) => {
    const listeners = own.flatMap(({ listener: { serves } }) => serves?.listener ?? []);
    const shadowed = places.bind({ route, listeners, hosts, ...present("pool", pool) });
    return shadowed.filter(({ by }) => by !== route);
  });
}

function shadowedReport(
  route: StreamRoute,
  { host: { index, pattern }, by, listeners }: ShadowedHost,
  names: ReadonlyMap<string, string>,
): Report {
  const place =
    route.kind === "TLSRoute" ? placeOf(route, "spec", "hostnames", index) : placeOf(route, "spec");
  const [first = ""] = listeners.map((id) => names.get(id) ?? "").sort(compareStrings);
  const more = listeners.length > 1 ? ` and ${String(listeners.length - 1)} more` : "";
  const message = `listener ${first}${more} has ${shownHost(pattern)} from ${nameOf(by)}, which is older`;
  return { code: "STREAM_ROUTE_SHADOWED", message, ...place };
}

function shownHost(pattern: HostPattern): string {
  switch (pattern.kind) {
    case "any":
      return "its connections";
    case "exact":
      return `those for ${pattern.host}`;
    case "wildcard":
      return `those for *.${pattern.suffix}`;
  }
}

/** The listeners whose connections and datagrams are passed on, and where their routes send them. */
export interface TranslatedStreams {
  readonly listeners: readonly StreamListener[];
  readonly places: StreamPlaces;
  /** Of every rule, including rules of routes that are shadowed or not attached. */
  readonly pools: readonly StreamPool[];
}

/** `listeners`: all HTTP and HTTPS listeners; an HTTPS listener can share its port with TLS listeners. */
export function streamServers(
  { listeners: own, places, pools }: TranslatedStreams,
  listeners: readonly Listener[],
): { readonly streams: readonly StreamServer[]; readonly pools: readonly StreamPool[] } {
  // A closed object may repeat the name of a listener.
  const distinct = new Map(own.map((listener) => [listener.id, listener]));
  const byServer = groupBy(listeners, ({ server }) => server);
  const ports = [...groupBy(distinct.values(), ({ server }) => server)]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([id, onPort]) => ({
      id,
      listeners: onPort,
      https: (byServer.get(id) ?? []).flatMap(({ hostname, keeps = [] }) => [hostname, ...keeps]),
    }));
  const isTls = ({ stream }: StreamListener): boolean =>
    stream === "passthrough" || stream === "terminate";
  const names = namesOfPorts(
    ports.filter((port) => port.listeners.some(isTls)),
    places,
  );
  const streams = ports.flatMap((port): StreamServer | [] => {
    const [first] = port.listeners;
    if (first === undefined) return [];
    const { addresses, stream } = first;
    const bound = { id: port.id, addresses, port: first.port };
    if (stream === "tcp" || stream === "udp") {
      const pool = places.poolOf(first.id);
      return { protocol: stream, ...bound, ...(pool !== undefined && { pool }) };
    }
    const named = names.get(port);
    if (named === undefined) throw new Error(`no names for ${port.id}`);
    return { protocol: "tls", ...bound, ...named };
  });
  const used = usedPools(streams);
  return { streams, pools: pools.filter(({ id }) => used.has(id)).sort(compareIds) };
}

/**
 * Adds the TLS listeners to the HTTPS servers of their ports, where nothing is bound to them: their hosts are theirs on every
 * connection, so a request for one over a connection of another listener gets 421.
 */
export function withStreamHosts(
  config: RoutingModel,
  { listeners: own }: Pick<TranslatedStreams, "listeners">,
): RoutingModel {
  if (own.length === 0) return config;
  const servers = new Set(config.servers.flatMap(({ id, tls }) => (tls ? id : [])));
  const placeOf = ({ server, hostname }: Pick<Listener, "server" | "hostname">): string =>
    `${server}|${hostKey(hostname)}`;
  const taken = new Set(
    config.listeners.flatMap(({ server, hostname, keeps = [] }) =>
      [hostname, ...keeps].map((host) => placeOf({ server, hostname: host })),
    ),
  );
  const added = own.flatMap(({ id, server, hostname }): Listener | [] =>
    servers.has(server) && !taken.has(placeOf({ server, hostname }))
      ? { id, server, hostname, isolated: true }
      : [],
  );
  if (added.length === 0) return config;
  const distinct = new Map([...config.listeners, ...added].map((each) => [each.id, each]));
  return { ...config, listeners: [...distinct.values()].sort(compareIds) };
}

/** Ids of the pools that streams lead to. Ports share lists of names, so each list is read once. */
function usedPools(streams: readonly StreamServer[]): ReadonlySet<string> {
  const named = streams.filter((each) => each.protocol === "tls");
  const lists = new Set(named.flatMap(({ names, classes }) => [names, classes]));
  return new Set([
    ...streams.flatMap((each) => (each.protocol === "tls" ? [] : (each.pool ?? []))),
    ...[...lists].flatMap((list) => list.flatMap(({ to }) => (to.kind === "pool" ? to.pool : []))),
  ]);
}
