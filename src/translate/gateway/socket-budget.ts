/**
 * Each worker of nginx holds every listening socket, and a configuration with more sockets than a worker can hold serves nothing at all.
 * So ports of ALB2s and Frontends and listeners of Gateways share a number of sockets, in equal shares for namespaces: a namespace that
 * wants more than its share loses its own newest ports. TLSRoutes whose TLS ends here share the remaining sockets in the same way.
 */
import type { KubernetesObject } from "../../api/wire.js";
import type { CompileOptions } from "../../model/options.js";
import { compareBy, groupBy } from "../../support/collections.js";
import type { BuildContext } from "../config-builder.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import { placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import type { AddressedGateway } from "./addresses.js";
import type { WrittenListener } from "./model.js";
import { type Refused, refused } from "./verdict.js";
import { listenersOf } from "./written-gateways.js";

/** A port of an ALB2 or Frontend, or a listener. */
interface WantedPort {
  readonly by: WrittenListener | EntryPort;
  /** Undefined: the options. */
  readonly owner: KubernetesObject | undefined;
  /** Empty: all addresses. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly protocol: string;
  readonly passesThrough: boolean;
}

interface SocketClaim<By> {
  readonly by: By;
  /** Undefined: the options. */
  readonly owner: KubernetesObject | undefined;
  /** Claims of one place share its sockets. */
  readonly place: string;
  readonly sockets: number;
}

/** Shares sockets among ports and those listeners that are valid and have no conflict. */
export function shareSockets(
  gateways: readonly AddressedGateway[],
  conflicts: ReadonlyMap<WrittenListener, Refused>,
  balancers: readonly LoadBalancer[],
  options: CompileOptions,
): ReturnType<typeof shareOut<WantedPort["by"]>> {
  const listeners = gateways
    .filter(({ assignment }) => assignment.isServed)
    .flatMap((gateway) =>
      listenersOf(gateway)
        .filter((listener) => listener.written.ok && !conflicts.has(listener))
        .map((listener) => wantedByListener(listener, gateway)),
    );
  const claims = claimsOf([...wantedByPorts(balancers), ...listeners], options);
  return shareOut(claims, options.listenerSockets);
}

/**
 * The routes that get none of the remaining sockets. Each certificate that ends a route's connections costs a socket: see `endings` of
 * render/nginx/stream-view.ts.
 */
export function refusedEndings<Route extends KubernetesObject>(
  wanted: ReadonlyMap<Route, number>,
  left: number,
): ReadonlyMap<Route, Refused> {
  // A route that needs no socket must not lose together with younger routes of its namespace.
  const claims = [...wanted]
    .filter(([, sockets]) => sockets > 0)
    .map(([route, sockets], i) => ({ by: route, owner: route, place: String(i), sockets }));
  return shareOut(claims, left).losers;
}

/** Refuses ports of ALB2s, Frontends and the options; listeners of Gateways report it in their status. */
export function refusePorts(
  balancers: readonly LoadBalancer[],
  losers: ReadonlyMap<WantedPort["by"], Refused>,
  { config, diagnostics }: BuildContext,
): void {
  for (const { alb, ports } of balancers) {
    for (const entry of ports) {
      const lost = losers.get(entry);
      if (lost === undefined) continue;
      const owner = entry.frontend ?? alb;
      const place = owner === undefined ? {} : placeOf(owner, "spec");
      const message = `port ${String(entry.port)} is not served: ${lost.message}`;
      diagnostics.report({ code: "LISTENER_OVER_BUDGET", message, ...place });
      config.refused.add(entry.listener);
    }
  }
}

/**
 * Gives the next socket to the namespace that has the fewest. `losers`: claims that get no sockets, and the reason; `left`: how many
 * sockets remain.
 */
function shareOut<By>(
  claims: readonly SocketClaim<By>[],
  budget: number,
): { readonly losers: ReadonlyMap<By, Refused>; readonly left: number } {
  const wanted = new Map(claims.map(({ place, sockets }) => [place, sockets]));
  const total = [...wanted.values()].reduce((sum, sockets) => sum + sockets, 0);
  const losers = new Map<By, Refused>();
  if (total <= budget) return { losers, left: budget - total };
  const open = new Set<string>();
  let left = budget;
  const byNamespace = groupBy(
    [...claims].sort(byAge),
    ({ owner }) => owner?.metadata.namespace ?? "",
  );
  let waiting = [...byNamespace].map(([namespace, own]) => ({ namespace, claims: own, used: 0 }));
  while (waiting.length > 0) {
    const next = waiting.reduce((least, each) => (each.used < least.used ? each : least));
    const [claim] = next.claims;
    const sockets = claim === undefined || open.has(claim.place) ? 0 : claim.sockets;
    if (claim !== undefined && sockets <= left) {
      next.claims.shift();
      next.used += sockets;
      left -= sockets;
      open.add(claim.place);
    } else {
      const who = next.namespace === "" ? "the options have" : `namespace ${next.namespace} has`;
      for (const lost of next.claims) {
        const message = `${who} ${String(next.used)} of the ${String(budget)} sockets that are shared, which are used up; this one needs ${String(lost.sockets)}`;
        losers.set(lost.by, refused("NoResources", message));
      }
      waiting = waiting.filter((each) => each !== next);
    }
  }
  return { losers, left };
}

/** Ports of the options come first: they have no age. */
const byAge = compareBy<SocketClaim<unknown>>(
  (a, b) => Number(a.owner !== undefined) - Number(b.owner !== undefined),
  (a, b) => (a.owner === undefined || b.owner === undefined ? 0 : compareAge(a.owner, b.owner)),
);

function wantedByPorts(balancers: readonly LoadBalancer[]): readonly WantedPort[] {
  return balancers.flatMap((balancer) =>
    balancer.ports.map((by) => ({
      by,
      owner: by.frontend ?? founder(balancer),
      addresses: [],
      port: by.port,
      protocol: "",
      passesThrough: false,
    })),
  );
}

/** An ALB2 counts as older than its Frontends, even if only they have timestamps, or the same one. */
function founder({ alb, ports }: LoadBalancer): KubernetesObject | undefined {
  if (alb === undefined) return undefined;
  const [first] = ports.flatMap(({ frontend }) => frontend ?? []).sort(compareAge);
  const creationTimestamp = alb.metadata.creationTimestamp ?? first?.metadata.creationTimestamp;
  const age = creationTimestamp === undefined ? {} : { creationTimestamp };
  return { ...alb, metadata: { ...alb.metadata, ...age, name: "" } };
}

function wantedByListener(by: WrittenListener, { assignment }: AddressedGateway): WantedPort {
  const { port, spec, stream, parent } = by;
  return {
    by,
    owner: parent,
    addresses: assignment.addresses,
    port,
    protocol: spec.protocol,
    passesThrough: stream === "passthrough",
  };
}

function claimsOf(
  wanted: readonly WantedPort[],
  { dataPlane, processors }: CompileOptions,
): readonly SocketClaim<WantedPort["by"]>[] {
  const tcp = wanted.filter(({ protocol }) => protocol !== "UDP");
  const onEvery = new Set(tcp.flatMap((each) => (each.addresses.length > 0 ? [] : each.port)));
  const onSingle = new Set(tcp.flatMap((each) => (each.addresses.length > 0 ? each.port : [])));
  const behind = placesBehind(tcp);
  return wanted.map((each) => {
    const { by, owner, addresses, port, protocol } = each;
    const place = socketPlace(each);
    // Each worker has a socket of its own: see `sharedPorts` of render/nginx/server-view.ts.
    const isForEachWorker = protocol === "UDP" || (onEvery.has(port) && onSingle.has(port));
    const sockets =
      (addresses.length || (dataPlane.ipv6 ? 2 : 1)) *
      (isForEachWorker ? dataPlane.workers || processors : 1);
    const inner = behind.filter((places) => places.has(place)).length;
    return { by, owner, place, sockets: sockets + inner };
  });
}

/** TLS ports with a unix socket behind them, once for each such socket: see `unixSockets` of render/nginx/stream-view.ts. */
function placesBehind(tcp: readonly WantedPort[]): readonly ReadonlySet<string>[] {
  const isNamed = ({ protocol }: WantedPort): boolean => protocol === "TLS";
  const named = new Set(tcp.filter(isNamed).map(socketPlace));
  const others = tcp.filter((each) => !isNamed(each)).map(socketPlace);
  return [
    new Set(tcp.filter(({ passesThrough }) => passesThrough).map(socketPlace)),
    new Set(others.filter((place) => named.has(place))),
  ];
}

function socketPlace({ addresses, port, protocol }: WantedPort): string {
  return `${addresses.join()} ${String(port)} ${protocol === "UDP" ? "udp" : "tcp"}`;
}
