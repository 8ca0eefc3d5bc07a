/**
 * Each worker of nginx holds every listening socket, and a configuration with more sockets than a worker can hold serves nothing at all.
 * So ports of ALB2s and Frontends and listeners of Gateways share three quarters of a number of sockets (support/shares.ts). TLSRoutes whose
 * TLS ends here share the remaining sockets in the same way.
 */
import type { KubernetesObject } from "../../api/wire.js";
import type { CompileOptions } from "../../model/options.js";
import { hostKey } from "../../model/values.js";
import { memoized } from "../../support/collections.js";
import type { LoadedCertificate } from "../certificates.js";
import type { BuildContext } from "../config-builder.js";
import {
  type EntryPort,
  type LoadBalancer,
  type StreamPort,
  allPorts,
  protocolOf,
} from "../load-balancer.js";
import { placeOf } from "../place.js";
import { CERTIFICATE, KIB, weightOf } from "../policy-weight.js";
import { compareAge } from "../precedence.js";
import { type Claim, shareOut, usedUp } from "../../support/shares.js";
import type { AddressedGateway } from "./addresses.js";
import type { ListenerCertificates } from "./gateway-certificates.js";
import type { ListenerFindings } from "./listeners.js";
import type { WrittenListener } from "./model.js";
import { type Refused, refused } from "./verdict.js";
import { listenersOf } from "./written-gateways.js";

/** The part of the sockets that ports may use: who opens many of them leaves something for the TLSRoutes of others. */
const PORTS = 3 / 4;

/** A port of an ALB2 or Frontend, or a listener. */
interface WantedPort {
  readonly by: WrittenListener | EntryPort | StreamPort;
  /** Undefined: the options. */
  readonly owner: KubernetesObject | undefined;
  /** Empty: all addresses. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly protocol: string;
  readonly passesThrough: boolean;
}

interface SocketClaim<By> extends Claim {
  readonly by: By;
}

/**
 * Shares sockets among ports and those listeners that are valid and have no conflict, after listeners have shared bytes of the policy.
 */
export function shareSockets(
  gateways: readonly AddressedGateway[],
  { conflicts, certificates }: Pick<ListenerFindings, "conflicts" | "certificates">,
  balancers: readonly LoadBalancer[],
  options: CompileOptions,
): { readonly losers: ReadonlyMap<WantedPort["by"], Refused>; readonly freeSockets: number } {
  const valid = gateways
    .filter(({ assignment }) => assignment.isServed)
    .flatMap((gateway) =>
      listenersOf(gateway)
        .filter((listener) => listener.written.ok && !conflicts.has(listener))
        .map((listener) => wantedByListener(listener, gateway)),
    );
  const texts = valid.map(({ by, owner }, i) => {
    const size = weightOfListener(by, certificates.get(by)) / KIB;
    return { by, owner, place: String(i), size };
  });
  const large = shareOf(texts, options.policySize / 4 / KIB, "KiB of the policy for listeners");
  const listeners = valid.filter(({ by }) => !large.losers.has(by));
  const claims = claimsOf([...wantedByPorts(balancers), ...listeners], options);
  const ofPorts = Math.ceil(options.listenerSockets * PORTS);
  const { losers, left } = shareOf<WantedPort["by"]>(claims, ofPorts, "sockets");
  const freeSockets = left + options.listenerSockets - ofPorts;
  return { losers: new Map([...losers, ...large.losers]), freeSockets };
}

/** Bytes of the policy. Names in certificates are written where a listener has several: see gateway-certificates.ts. */
function weightOfListener(
  { name, parent, spec }: WrittenListener,
  { certificates }: Pick<ListenerCertificates, "certificates"> = { certificates: [] },
): number {
  const { namespace, name: ofParent } = parent.metadata;
  const id = namespace.length + ofParent.length + name.length;
  const names = certificates.length > 1 ? certificates.map(weightOfNames) : [];
  return names.reduce((sum, each) => sum + each, 2 * (weightOf(spec) + id) + LISTENER);
}

/** Of a listener without its names. */
const LISTENER = 300;

const weightOfNames = memoized(({ names }: LoadedCertificate) =>
  names.reduce((sum, host) => sum + hostKey(host).length + CERTIFICATE, 0),
);

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
    .filter(([, size]) => size > 0)
    .map(([route, size], i) => ({ by: route, owner: route, place: String(i), size }));
  return shareOf(claims, left, "sockets").losers;
}

/** Refuses ports of ALB2s, Frontends and the options; listeners of Gateways report it in their status. */
export function refusePorts(
  balancers: readonly LoadBalancer[],
  losers: ReadonlyMap<WantedPort["by"], Refused>,
  { config, diagnostics }: BuildContext,
): void {
  for (const balancer of balancers) {
    for (const entry of allPorts(balancer)) {
      const lost = losers.get(entry);
      if (lost === undefined) continue;
      const owner = entry.frontend ?? balancer.alb;
      const place = owner === undefined ? {} : placeOf(owner, "spec");
      const message = `port ${String(entry.port)} is not served: ${lost.message}`;
      diagnostics.report({ code: "LISTENER_OVER_BUDGET", message, ...place });
      config.refused.add(entry.listener);
    }
  }
}

/** `losers`: claims that get no share, and the reason; `left`: how many sockets remain. */
function shareOf<By>(
  claims: readonly SocketClaim<By>[],
  budget: number,
  what: string,
): { readonly losers: ReadonlyMap<By, Refused>; readonly left: number } {
  const { kept, left, used } = shareOut(claims, budget);
  const losers = new Map<By, Refused>();
  for (const { by, owner, place, size } of claims) {
    if (kept.has(place)) continue;
    const namespace = owner?.metadata.namespace ?? "";
    const shares = { namespace, used: used(namespace), whole: budget, size };
    losers.set(by, refused("NoResources", usedUp(what, shares)));
  }
  return { losers, left };
}

function wantedByPorts(balancers: readonly LoadBalancer[]): readonly WantedPort[] {
  return balancers.flatMap((balancer) =>
    allPorts(balancer).map((by) => ({
      by,
      owner: by.frontend ?? founder(balancer),
      addresses: [],
      port: by.port,
      protocol: protocolOf(by),
      passesThrough: false,
    })),
  );
}

/** An ALB2 counts as older than its Frontends, even if only they have timestamps, or the same one. */
function founder(balancer: LoadBalancer): KubernetesObject | undefined {
  const { alb } = balancer;
  if (alb === undefined) return undefined;
  const [first] = allPorts(balancer)
    .flatMap(({ frontend }) => frontend ?? [])
    .sort(compareAge);
  const creationTimestamp = alb.metadata.creationTimestamp ?? first?.metadata.creationTimestamp;
  const age = creationTimestamp === undefined ? {} : { creationTimestamp };
  return { ...alb, metadata: { ...alb.metadata, ...age, name: "" } };
}

function wantedByListener(
  by: WrittenListener,
  { assignment }: AddressedGateway,
): WantedPort & { readonly by: WrittenListener } {
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
    return { by, owner, place, size: sockets + inner };
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
