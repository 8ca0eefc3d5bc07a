/**
 * Each worker of nginx holds every listening socket, and a configuration with more of them than it can hold serves nothing at all. So
 * ports of ALB2s and Frontends and listeners of Gateways share a number of sockets, in equal shares for namespaces: one that wants more
 * than its share loses its own newest ports. TLSRoutes whose TLS ends here share the sockets that are left in the same way.
 */
import type { KubernetesObject } from "../../api/wire.js";
import type { CompileOptions } from "../../model/options.js";
import { compareBy, getOrInsert } from "../../support/collections.js";
import type { BuildContext } from "../context.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import { placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import type { DraftedGateway } from "./gateway.js";
import { takesPorts } from "./gateway.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

type Wanting = ListenerDraft | EntryPort;

interface Wanted {
  readonly by: Wanting;
  /** Absent: the options. */
  readonly owner?: KubernetesObject;
  /** None are all. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly protocol: string;
  readonly passesThrough: boolean;
}

interface Claim<By> {
  readonly by: By;
  /** Absent: the options. */
  readonly owner?: KubernetesObject;
  /** Listeners of one place share its sockets. */
  readonly place: string;
  readonly sockets: number;
}

interface Tenant<By> {
  readonly namespace: string;
  /** Oldest first. */
  readonly claims: Claim<By>[];
  used: number;
}

interface Shares<By> {
  /** Who gets no sockets, and why. */
  readonly losers: ReadonlyMap<By, Refused>;
  /** Sockets that nobody has. */
  readonly left: number;
}

/** Of the ports and listeners. */
export function listenerShares(
  drafted: readonly DraftedGateway[],
  balancers: readonly LoadBalancer[],
  options: CompileOptions,
): Shares<Wanting> {
  const claims = claimsOf([...wantedByPorts(balancers), ...wantedByGateways(drafted)], options);
  return shareOut(claims, options.listenerSockets);
}

/** Each certificate that a route's connections are ended with costs a socket: see endings of render/nginx/stream-view.ts. */
export function endingShares<Route extends KubernetesObject>(
  wanted: ReadonlyMap<Route, number>,
  left: number,
): ReadonlyMap<Route, Refused> {
  const claims = [...wanted].map(([route, sockets], index) => ({
    ...{ by: route, owner: route, place: String(index), sockets },
  }));
  // A route that needs none is not lost with younger ones that do.
  return shareOut(
    claims.filter(({ sockets }) => sockets > 0),
    left,
  ).losers;
}

/** Those of ALB2s, Frontends and the options; listeners of Gateways say it themselves. */
export function refusePorts(
  balancers: readonly LoadBalancer[],
  losers: ReadonlyMap<Wanting, Refused>,
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

/** The next socket goes to the namespace that has the fewest. */
function shareOut<By>(claims: readonly Claim<By>[], budget: number): Shares<By> {
  const wanted = new Map(claims.map(({ place, sockets }) => [place, sockets]));
  const total = [...wanted.values()].reduce((sum, sockets) => sum + sockets, 0);
  const losers = new Map<By, Refused>();
  if (total <= budget) return { losers, left: budget - total };
  const open = new Set<string>();
  let left = budget;
  let waiting = tenantsOf(claims);
  while (waiting.length > 0) {
    const next = waiting.reduce((least, tenant) => (tenant.used < least.used ? tenant : least));
    const [claim] = next.claims;
    const sockets = claim === undefined || open.has(claim.place) ? 0 : claim.sockets;
    if (claim !== undefined && sockets <= left) {
      next.claims.shift();
      next.used += sockets;
      left -= sockets;
      open.add(claim.place);
    } else {
      for (const lost of next.claims) losers.set(lost.by, verdict(next, lost, budget));
      waiting = waiting.filter((tenant) => tenant !== next);
    }
  }
  return { losers, left };
}

function verdict(
  { namespace, used }: Tenant<unknown>,
  { sockets }: Claim<unknown>,
  budget: number,
): Refused {
  return refused(
    "NoResources",
    `${namespace === "" ? "the options have" : `namespace ${namespace} has`} ${String(used)} of the ${String(budget)} sockets that are shared, which are used up; this one needs ${String(sockets)}`,
  );
}

function tenantsOf<By>(claims: readonly Claim<By>[]): readonly Tenant<By>[] {
  const tenants = new Map<string, Tenant<By>>();
  for (const claim of [...claims].sort(byAge)) {
    const namespace = claim.owner?.metadata.namespace ?? "";
    getOrInsert(tenants, namespace, () => ({ namespace, claims: [], used: 0 })).claims.push(claim);
  }
  return [...tenants.values()];
}

/** The options' ports first, which have no age. */
const byAge = compareBy<Claim<unknown>>(
  (a, b) => Number(a.owner !== undefined) - Number(b.owner !== undefined),
  (a, b) => (a.owner === undefined || b.owner === undefined ? 0 : compareAge(a.owner, b.owner)),
);

function wantedByPorts(balancers: readonly LoadBalancer[]): readonly Wanted[] {
  return balancers.flatMap((balancer) =>
    balancer.ports.map((by) => {
      const owner = by.frontend ?? founder(balancer);
      const place = { addresses: [], port: by.port, protocol: "", passesThrough: false };
      return { by, ...(owner && { owner }), ...place };
    }),
  );
}

/** An ALB2 is older than its Frontends, also where only they have timestamps, or the same. */
function founder({ alb, ports }: LoadBalancer): KubernetesObject | undefined {
  if (alb === undefined) return undefined;
  const [first] = ports.flatMap(({ frontend }) => frontend ?? []).sort(compareAge);
  const creationTimestamp = alb.metadata.creationTimestamp ?? first?.metadata.creationTimestamp;
  const age = creationTimestamp === undefined ? {} : { creationTimestamp };
  return { ...alb, metadata: { ...alb.metadata, ...age, name: "" } };
}

function wantedByGateways(drafted: readonly DraftedGateway[]): readonly Wanted[] {
  return drafted
    .filter(({ scope }) => takesPorts(scope))
    .flatMap(({ free, scope: { assignment } }) =>
      free
        .filter(({ written }) => written.ok)
        .map((by) => {
          const { port, protocol, spec, parent: owner } = by;
          const passesThrough = protocol === "TLS" && spec.tls?.mode === "Passthrough";
          return { by, owner, addresses: assignment.addresses, port, protocol, passesThrough };
        }),
    );
}

function claimsOf(
  wanted: readonly Wanted[],
  { dataPlane, processors }: CompileOptions,
): readonly Claim<Wanting>[] {
  const tcp = wanted.filter(({ protocol }) => protocol !== "UDP");
  const onEvery = new Set(tcp.flatMap((each) => (each.addresses.length > 0 ? [] : each.port)));
  const onSingle = new Set(tcp.flatMap((each) => (each.addresses.length > 0 ? each.port : [])));
  const behind = placesBehind(tcp);
  return wanted.map((each) => {
    const { by, owner, addresses, port, protocol } = each;
    const place = socketPlace(each);
    // One socket for each worker: see sharedPorts of render/nginx/server-view.ts.
    const isForEachWorker = protocol === "UDP" || (onEvery.has(port) && onSingle.has(port));
    const sockets =
      (addresses.length || (dataPlane.ipv6 ? 2 : 1)) *
      (isForEachWorker ? dataPlane.workers || processors : 1);
    const inner = behind.filter((places) => places.has(place)).length;
    return { by, ...(owner && { owner }), place, sockets: sockets + inner };
  });
}

/** Ports of TLS with a unix socket behind them, for each such socket: see unixSockets of render/nginx/stream-view.ts. */
function placesBehind(tcp: readonly Wanted[]): readonly ReadonlySet<string>[] {
  const isNamed = ({ protocol }: Wanted): boolean => protocol === "TLS";
  const named = new Set(tcp.filter(isNamed).map(socketPlace));
  const others = tcp.filter((each) => !isNamed(each)).map(socketPlace);
  return [
    new Set(tcp.filter(({ passesThrough }) => passesThrough).map(socketPlace)),
    new Set(others.filter((place) => named.has(place))),
  ];
}

function socketPlace({ addresses, port, protocol }: Wanted): string {
  return `${addresses.join()} ${String(port)} ${protocol === "UDP" ? "udp" : "tcp"}`;
}
