/** TLSRoutes, TCPRoutes and UDPRoutes: attached to listeners, bound to them, and told how it went. */
import type { RouteParentStatus, StreamRoute } from "../../../api/gateway.js";
import type { Report } from "../../../diagnostics/sink.js";
import type { HostPattern } from "../../../model/values.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { compareStrings, groupBy } from "../../../support/collections.js";
import type { StreamContext } from "./stream-builder.js";
import { nameOf, placeOf } from "../../place.js";
import { compareAge } from "../../precedence.js";
import type { ListenerState, Policies, TranslatedGateway } from "../model.js";
import type { Attachment, OwnParent } from "../routes/attachment.js";
import { ownParents } from "../routes/attachment.js";
import { RouteProblems } from "../route-problems.js";
import { Parents } from "../routes/parents.js";
import { parentConditions } from "../routes/conditions.js";
import { refusedEndings } from "../socket-budget.js";
import type { ShadowedHost } from "./stream-places.js";
import type { StreamPlan } from "./stream-pools.js";
import { StreamPools } from "./stream-pools.js";

/** Where several routes want the same, the oldest has it: all of them are accepted and counted (Gateway API, conflicts). */
export function translateStreamRoutes(
  gateways: readonly TranslatedGateway[],
  policies: Policies,
  build: StreamContext,
): {
  readonly attached: ReadonlyMap<ListenerState, number>;
  readonly statuses: readonly ObjectStatus[];
} {
  for (const gateway of gateways) listen(gateway, build);
  const parents = new Parents(gateways, build);
  const attached = new Map<ListenerState, number>();
  const routes = streamRoutes(build).map((route) => {
    const problems = new RouteProblems(build.diagnostics);
    return { route, problems, own: ownParents(route, parents, problems, build) };
  });
  refuseEndings(gateways, routes, build);
  const statuses = routes.map((attachedRoute) => {
    const { listeners, status } = translateRoute(attachedRoute, policies, build);
    for (const listener of listeners) attached.set(listener, (attached.get(listener) ?? 0) + 1);
    return status;
  });
  return { attached, statuses };
}

/** Oldest first. */
function streamRoutes({ resources }: StreamContext): readonly StreamRoute[] {
  const kinds = ["TLSRoute", "TCPRoute", "UDPRoute"] as const;
  return kinds.flatMap((kind) => [...resources.list(kind)].sort(compareAge));
}

/** Ports without routes are bound, too, and close what comes. */
function listen({ listeners, addresses }: TranslatedGateway, { streams }: StreamContext): void {
  for (const { serves, stream, port, hostname, certificates } of listeners) {
    if (serves === undefined || stream === undefined) continue;
    streams.listen({
      id: serves.listener,
      server: serves.server,
      addresses,
      port,
      stream,
      hostname,
      certificates: certificates.map(({ id, names }) => ({ id, names })),
    });
  }
}

interface AttachedRoute {
  readonly route: StreamRoute;
  readonly problems: RouteProblems;
  readonly own: readonly OwnParent[];
}

/** A route that gets no sockets for its ends of TLS keeps its hosts, closed. */
function refuseEndings(
  gateways: readonly TranslatedGateway[],
  routes: readonly AttachedRoute[],
  { streams }: StreamContext,
): void {
  const listeners = gateways.flatMap((gateway) => gateway.listeners);
  const ending = listeners.filter(
    ({ serves, stream }) => serves !== undefined && stream === "terminate",
  );
  const certificates = new Map<ListenerState, number>(
    ending.map((listener) => [listener, listener.certificates.length]),
  );
  const wanted = new Map(routes.map(({ route, own }) => [route, mostEndings(own, certificates)]));
  const losers = refusedEndings(wanted, streams.freeSockets);
  for (const { route, problems } of routes) {
    const lost = losers.get(route);
    if (lost === undefined) continue;
    const message = `no TLS can end for its connections: ${lost.message}`;
    problems.tooLarge(message, placeOf(route, "spec"), "LISTENER_OVER_BUDGET");
  }
}

/** Names without a wildcard have one certificate each. */
function mostEndings(
  own: readonly OwnParent[],
  certificates: ReadonlyMap<ListenerState, number>,
): number {
  const attachments = own.flatMap(({ attached }) => (attached.ok ? attached.attachments : []));
  return attachments.reduce((sum, { listener, hosts }) => {
    const isExact = hosts.every(({ host }) => host.kind === "exact");
    return sum + Math.min(certificates.get(listener) ?? 0, isExact ? hosts.length : Infinity);
  }, 0);
}

interface TranslatedRoute {
  /** Those that the route is attached to and accepted for. */
  readonly listeners: ReadonlySet<ListenerState>;
  readonly status: ObjectStatus;
}

function translateRoute(
  { route, problems, own }: AttachedRoute,
  policies: Policies,
  build: StreamContext,
): TranslatedRoute {
  const { controllerName } = build.options;
  const pools = new StreamPools(route, policies, build);
  const listeners = new Set<ListenerState>();
  const reached = new Map<ListenerState, PlannedAttachment>();
  const entries = own.map((each): RouteParentStatus => {
    const verdict = parentConditions(route, each, problems, [planOf(each, pools)]);
    for (const attachment of each.attached.ok ? each.attached.attachments : []) {
      const { listener } = attachment;
      if (verdict.accepted) listeners.add(listener);
      // Two parentRefs may name one listener. What is refused keeps its hosts, so that no wider route serves them.
      const pool = verdict.accepted ? planAt(listener, pools).pool : undefined;
      if (!reached.has(listener)) reached.set(listener, { ...attachment, pool });
    }
    return { parentRef: each.reference, controllerName, conditions: verdict.conditions };
  });
  bind(route, [...reached.values()], build);
  const { apiVersion, kind, metadata } = route;
  const { namespace, name } = metadata;
  const status = { apiVersion, kind, metadata: { namespace, name }, status: { parents: entries } };
  return { listeners, status };
}

function planAt({ stream, gateway }: ListenerState, pools: StreamPools): StreamPlan {
  return pools.plan(stream === "terminate" ? gateway : undefined);
}

/** What its conditions tell: where one listener ends TLS, the policies for its backends count. */
function planOf({ attached }: OwnParent, pools: StreamPools): StreamPlan {
  const listeners = attached.ok ? attached.attachments.map(({ listener }) => listener) : [];
  const ending = listeners.find(({ stream }) => stream === "terminate");
  return ending === undefined ? pools.plan(undefined) : planAt(ending, pools);
}

interface PlannedAttachment extends Attachment {
  /** Id; undefined: connections are closed. */
  readonly pool: string | undefined;
}

function bind(
  route: StreamRoute,
  attachments: readonly PlannedAttachment[],
  { streams, diagnostics }: StreamContext,
): void {
  const names = new Map<string, string>();
  for (const { listener } of attachments) {
    if (listener.serves !== undefined) names.set(listener.serves.listener, listener.name);
  }
  const groups = [...groupBy(attachments, ({ hosts }) => hosts).values()].flatMap((each) => [
    ...groupBy(each, ({ pool }) => pool),
  ]);
  for (const [pool, own] of groups) {
    const hosts = own[0]?.hosts ?? [];
    const listeners = own.flatMap(({ listener: { serves } }) => serves?.listener ?? []);
    const binding = { route, listeners, hosts, ...(pool !== undefined && { pool }) };
    for (const shadowed of streams.places.bind(binding)) {
      if (shadowed.by !== route) diagnostics.report(shadowedReport(route, shadowed, names));
    }
  }
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
  const message = `listener ${first}${more} has ${what(pattern)} from ${nameOf(by)}, which is older`;
  return { code: "STREAM_ROUTE_SHADOWED", message, ...place };
}

function what(pattern: HostPattern): string {
  switch (pattern.kind) {
    case "any":
      return "its connections";
    case "exact":
      return `those for ${pattern.host}`;
    case "wildcard":
      return `those for *.${pattern.suffix}`;
  }
}
