/** TLSRoutes, TCPRoutes and UDPRoutes: attached to listeners, bound to them, and told how it went. */
import type { RouteParentStatus } from "../../../api/gateway.js";
import type { StreamRoute } from "../../../api/stream-routes.js";
import type { HostPattern } from "../../../ir/host-pattern.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import type { BuildContext } from "../../build-context.js";
import { placeOf } from "../../place.js";
import { compareAge } from "../../precedence.js";
import { certificateNames } from "../listener-certificates.js";
import type { ListenerState } from "../model.js";
import type { Policies } from "../policies/policies.js";
import type { Attachment } from "../routes/attachment.js";
import { Findings } from "../routes/findings.js";
import { ownParents } from "../routes/own-parents.js";
import type { OwnParent } from "../routes/own-parents.js";
import { Parents } from "../routes/parents.js";
import { judge } from "../routes/route-conditions.js";
import type { TranslatedRoutes } from "../routes/routes.js";
import type { TranslatedGateway } from "../translated.js";
import type { StreamPlan } from "./stream-pools.js";
import { StreamPools } from "./stream-pools.js";

/** Where several routes want the same, the oldest has it: all of them are accepted and counted (Gateway API, conflicts). */
export function translateStreamRoutes(
  gateways: readonly TranslatedGateway[],
  policies: Policies,
  build: BuildContext,
): TranslatedRoutes {
  for (const gateway of gateways) listen(gateway, build);
  const parents = new Parents(gateways, build);
  const attached = new Map<ListenerState, number>();
  const statuses = streamRoutes(build).map((route) => {
    const { listeners, status } = translateRoute(route, parents, policies, build);
    for (const listener of listeners) attached.set(listener, (attached.get(listener) ?? 0) + 1);
    return status;
  });
  return { attached, statuses };
}

/** Oldest first. */
function streamRoutes({ resources }: BuildContext): readonly StreamRoute[] {
  const kinds = ["TLSRoute", "TCPRoute", "UDPRoute"] as const;
  return kinds.flatMap((kind) => [...resources.list(kind)].sort(compareAge));
}

/** Ports without routes are bound, too, and close what comes. */
function listen({ listeners, addresses }: TranslatedGateway, { streams }: BuildContext): void {
  for (const { serves, stream, port, hostname, certificates } of listeners) {
    if (serves === undefined || stream === undefined) continue;
    streams.listen({
      id: serves.listener,
      server: serves.server,
      addresses,
      port,
      stream,
      hostname,
      certificates: certificates.map(({ id, leaf }) => ({
        id,
        names: certificateNames(leaf),
      })),
    });
  }
}

interface TranslatedRoute {
  /** Those that the route is attached to and accepted for. */
  readonly listeners: ReadonlySet<ListenerState>;
  readonly status: ObjectStatus;
}

function translateRoute(
  route: StreamRoute,
  parents: Parents,
  policies: Policies,
  build: BuildContext,
): TranslatedRoute {
  const { controllerName } = build.options;
  const findings = new Findings(build.diagnostics);
  const own = ownParents(route, parents, findings, build);
  const pools = new StreamPools(route, policies, build);
  const listeners = new Set<ListenerState>();
  const bound = new Set<ListenerState>();
  const entries = own.map((each): RouteParentStatus => {
    const verdict = judge(route, each, findings, [planOf(each, pools)]);
    for (const attachment of each.attached.ok ? each.attached.attachments : []) {
      const { listener } = attachment;
      if (verdict.accepted) listeners.add(listener);
      // Two parentRefs may name one listener.
      if (bound.has(listener)) continue;
      bound.add(listener);
      // What is refused keeps its hosts, so that no wider route serves them.
      const pool = verdict.accepted ? planAt(listener, pools).pool : undefined;
      bind(route, attachment, pool, build);
    }
    return { parentRef: each.reference, controllerName, conditions: verdict.conditions };
  });
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

function bind(
  route: StreamRoute,
  { listener, hosts }: Attachment,
  pool: string | undefined,
  { streams, diagnostics }: BuildContext,
): void {
  const { serves } = listener;
  if (serves === undefined) return;
  for (const { host, pattern, index } of hosts) {
    const older = streams.bind({
      listener: serves.listener,
      host,
      hostname: pattern,
      route,
      ...(pool !== undefined && { pool }),
    });
    if (older === undefined || older === route) continue;
    const place =
      route.kind === "TLSRoute" ? placeOf(route, "spec", "hostnames", index) : undefined;
    const { kind, metadata } = older;
    const message = `listener ${listener.name} has ${what(pattern)} from ${kind} ${metadata.namespace}/${metadata.name}, which is older`;
    diagnostics.report({
      code: "STREAM_ROUTE_SHADOWED",
      message,
      ...(place ?? placeOf(route, "spec")),
    });
  }
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
