import { type HostPattern, hostText } from "../../model/values.js";
import { addTo, groupBy } from "../../support/collections.js";
import { covers, keysAbove } from "../hostnames.js";
import { nameOf } from "../place.js";
import type { WrittenListener } from "./model.js";
import type { Refused } from "./verdict.js";

/** `OverlappingCertificates` or `OverlappingHostnames`. */
type Overlap = Pick<Refused, "reason" | "message">;

type NamesOf = (listener: WrittenListener) => readonly HostPattern[];

/**
 * The HTTPS listeners that overlap with another HTTPS or TLS listener on the same port and addresses, and these TLS listeners
 * (RFC 9113, 9.1.1; Gateway API, OverlappingTLSConfig): on a connection, a client may send requests for every name in the certificate
 * that it got. If both certificates and hostnames overlap, certificates are the reason. `namesOf`: the names in a listener's certificates.
 */
export function listenerOverlaps(
  neighbours: readonly WrittenListener[],
  namesOf: NamesOf,
): ReadonlyMap<WrittenListener, Overlap> {
  const withTls = neighbours.filter(
    ({ tls, stream }) => tls || stream === "passthrough" || stream === "terminate",
  );
  const overlaps = new Map<WrittenListener, Overlap>();
  for (const onPort of groupBy(withTls, ({ port }) => port).values()) {
    const hostnames = new ListenersByHost(onPort, ({ hostname }) => [hostname]);
    const certificates = new ListenersByHost(onPort, namesOf);
    for (const listener of onPort) {
      const overlap =
        certificateOverlap(listener, { hostnames, certificates, namesOf }) ??
        hostnameOverlap(listener, hostnames);
      if (overlap !== undefined) overlaps.set(listener, overlap);
    }
  }
  return overlaps;
}

function certificateOverlap(
  listener: WrittenListener,
  {
    hostnames,
    certificates,
    namesOf,
  }: {
    readonly hostnames: ListenersByHost;
    readonly certificates: ListenersByHost;
    readonly namesOf: NamesOf;
  },
): Overlap | undefined {
  const related = [
    ...namesOf(listener).flatMap((name) => hostnames.related(name)),
    ...certificates.related(listener.hostname),
  ];
  const messageOf = (other: WrittenListener): string | undefined =>
    sharedName(listener, other, namesOf) ?? sharedName(other, listener, namesOf);
  const other = firstOf(related, (each) => isPair(listener, each) && messageOf(each) !== undefined);
  const message = other && messageOf(other);
  return message === undefined ? undefined : { reason: "OverlappingCertificates", message };
}

/** Between TLS listeners alone, clients talk to backends, whose certificates only these know. */
function isPair(listener: WrittenListener, other: WrittenListener): boolean {
  return other !== listener && (listener.tls || other.tls);
}

/** Says which name in a certificate of `from` is a host of `to`, unless `from` is the more specific listener for it. */
function sharedName(
  from: WrittenListener,
  to: WrittenListener,
  namesOf: NamesOf,
): string | undefined {
  const isOwn = (name: HostPattern): boolean =>
    covers(to.hostname, from.hostname) && covers(from.hostname, name);
  const found = namesOf(from).find(
    (name) => (covers(name, to.hostname) || covers(to.hostname, name)) && !isOwn(name),
  );
  return (
    found &&
    `a certificate of ${shownListener(from)} is for ${shownHosts(found)}, and so is ${shownListener(to)} on the same port`
  );
}

function hostnameOverlap(
  listener: WrittenListener,
  hostnames: ListenersByHost,
): Overlap | undefined {
  const other = firstOf(hostnames.related(listener.hostname), (each) => isPair(listener, each));
  if (other === undefined) return undefined;
  const message = `${shownListener(other)} is for ${shownHosts(other.hostname)} on the same port`;
  return { reason: "OverlappingHostnames", message };
}

/** A listener and its position among its neighbours. */
interface Neighbour {
  readonly at: number;
  readonly listener: WrittenListener;
}

/** Listeners of a port by host, each list in their order. Wildcards for one label count as wildcards for any number of labels. */
class ListenersByHost {
  readonly #named = new Map<string, Neighbour[]>();
  /** By each key above the host. */
  readonly #below = new Map<string, Neighbour[]>();

  constructor(
    listeners: readonly WrittenListener[],
    hostsOf: (listener: WrittenListener) => readonly HostPattern[],
  ) {
    for (const [at, listener] of listeners.entries()) {
      for (const host of hostsOf(listener)) {
        const [own = "", ...above] = keysOf(host);
        addTo(this.#named, own, { at, listener });
        for (const key of above) addTo(this.#below, key, { at, listener });
      }
    }
  }

  /** All listeners with a host that covers this one or that this one covers, and possibly others. */
  related(host: HostPattern): readonly (readonly Neighbour[])[] {
    const keys = keysOf(host);
    const [own = ""] = keys;
    return [...keys.map((key) => this.#named.get(key) ?? []), this.#below.get(own) ?? []];
  }
}

/** The first of all neighbours for which the predicate holds; each list is in their order. */
function firstOf(
  lists: readonly (readonly Neighbour[])[],
  holds: (listener: WrittenListener) => boolean,
): WrittenListener | undefined {
  let first: Neighbour | undefined;
  for (const list of lists) {
    const found = list.find(({ at, listener }) => at >= (first?.at ?? Infinity) || holds(listener));
    if (found !== undefined && found.at < (first?.at ?? Infinity)) first = found;
  }
  return first?.listener;
}

/** Keys of the host and of everything above it; a wildcard is above itself. */
function keysOf(host: HostPattern): readonly string[] {
  const [own = "", ...above] = keysAbove(host, "many");
  return [...(host.kind === "exact" ? [own] : []), ...above, ""];
}

function shownListener({ name, parent }: WrittenListener): string {
  return `listener ${name} of ${nameOf(parent)}`;
}

function shownHosts(hostname: HostPattern): string {
  return hostText(hostname) || "every host";
}
