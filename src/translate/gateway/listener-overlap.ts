import type { HostPattern } from "../../model/values.js";
import { hostText } from "../../model/values.js";
import { addTo, getOrInsert } from "../../support/collections.js";
import type { BuildContext } from "../context.js";
import { covers, keysAbove } from "../hostnames.js";
import { nameOf } from "../place.js";
import { listenerCertificates } from "./listener-certificates.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { Overlap } from "./model.js";

/** A listener, and where it stands among its neighbours. */
interface Neighbour {
  readonly at: number;
  readonly draft: ListenerDraft;
}

/** Neighbours by host, each list in their order; a wildcard of one label stands where that of any depth does. */
class NeighboursByHost {
  readonly #named = new Map<string, Neighbour[]>();
  /** By each key above the host. */
  readonly #below = new Map<string, Neighbour[]>();

  add(host: HostPattern, neighbour: Neighbour): void {
    const [own = "", ...above] = keysOf(host);
    addTo(this.#named, own, neighbour);
    for (const key of above) addTo(this.#below, key, neighbour);
  }

  /** Those with a host that covers this one or that it covers, and maybe some more. */
  related(host: HostPattern): readonly (readonly Neighbour[])[] {
    const keys = keysOf(host);
    const [own = ""] = keys;
    return [...keys.map((key) => this.#named.get(key) ?? []), this.#below.get(own) ?? []];
  }
}

interface PortNeighbours {
  readonly hostnames: NeighboursByHost;
  readonly certificates: NeighboursByHost;
}

/** Overlaps of the listeners of one translation: neighbours are looked up by host, and certificates are read once. */
export class ListenerOverlaps {
  readonly #context: BuildContext;
  readonly #names = new Map<ListenerDraft, readonly HostPattern[]>();
  readonly #ports = new Map<readonly ListenerDraft[], ReadonlyMap<number, PortNeighbours>>();

  constructor(context: BuildContext) {
    this.#context = context;
  }

  /**
   * With another HTTPS listener of the port (RFC 9113, 9.1.1; Gateway API, OverlappingTLSConfig): a client may send requests for every
   * name in a certificate on the connection that showed it. Certificates come before hostnames where both overlap.
   */
  of(draft: ListenerDraft, neighbours: readonly ListenerDraft[]): Overlap | undefined {
    if (draft.protocol !== "HTTPS") return undefined;
    const ports = getOrInsert(this.#ports, neighbours, () => this.#byPort(neighbours));
    const port = ports.get(draft.port);
    return port && (this.#byCertificate(draft, port) ?? byHostname(draft, port));
  }

  #byPort(neighbours: readonly ListenerDraft[]): ReadonlyMap<number, PortNeighbours> {
    const ports = new Map<number, PortNeighbours>();
    for (const [at, draft] of neighbours.entries()) {
      if (draft.protocol !== "HTTPS") continue;
      const port = getOrInsert(ports, draft.port, () => ({
        hostnames: new NeighboursByHost(),
        certificates: new NeighboursByHost(),
      }));
      port.hostnames.add(draft.hostname, { at, draft });
      for (const name of this.#namesOf(draft)) port.certificates.add(name, { at, draft });
    }
    return ports;
  }

  #byCertificate(draft: ListenerDraft, port: PortNeighbours): Overlap | undefined {
    const related = [
      ...this.#namesOf(draft).flatMap((name) => port.hostnames.related(name)),
      ...port.certificates.related(draft.hostname),
    ];
    const messageOf = (other: ListenerDraft): string | undefined =>
      this.#leadsTo(draft, other) ?? this.#leadsTo(other, draft);
    const other = firstOf(related, (each) => each !== draft && messageOf(each) !== undefined);
    const message = other && messageOf(other);
    return message === undefined ? undefined : { reason: "OverlappingCertificates", message };
  }

  /** A name in a certificate of `from` that is a host of `to`; where both are for it, the more specific listener has it. */
  #leadsTo(from: ListenerDraft, to: ListenerDraft): string | undefined {
    const isOwn = (name: HostPattern): boolean =>
      covers(to.hostname, from.hostname) && covers(from.hostname, name);
    const found = this.#namesOf(from).find(
      (name) => (covers(name, to.hostname) || covers(to.hostname, name)) && !isOwn(name),
    );
    return (
      found &&
      `a certificate of ${shownListener(from)} is for ${shownHosts(found)}, and so is ${shownListener(to)} on the same port`
    );
  }

  #namesOf(draft: ListenerDraft): readonly HostPattern[] {
    const known = this.#names.get(draft);
    if (known !== undefined) return known;
    const { certificates } = listenerCertificates(draft, this.#context);
    const names = certificates.flatMap((certificate) => certificate.names);
    this.#names.set(draft, names);
    return names;
  }
}

function byHostname(draft: ListenerDraft, { hostnames }: PortNeighbours): Overlap | undefined {
  const other = firstOf(hostnames.related(draft.hostname), (each) => each !== draft);
  if (other === undefined) return undefined;
  const message = `${shownListener(other)} is for ${shownHosts(other.hostname)} on the same port`;
  return { reason: "OverlappingHostnames", message };
}

/** The first of all neighbours for which it holds; each list is in their order. */
function firstOf(
  lists: readonly (readonly Neighbour[])[],
  holds: (draft: ListenerDraft) => boolean,
): ListenerDraft | undefined {
  let first: Neighbour | undefined;
  for (const list of lists) {
    const found = list.find(({ at, draft }) => at >= (first?.at ?? Infinity) || holds(draft));
    if (found !== undefined && found.at < (first?.at ?? Infinity)) first = found;
  }
  return first?.draft;
}

/** Keys of the host and of all above it; a wildcard has its own among those. */
function keysOf(host: HostPattern): readonly string[] {
  const [own = "", ...above] = keysAbove(host, "many");
  return [...(host.kind === "exact" ? [own] : []), ...above, ""];
}

function shownListener({ spec, parent }: ListenerDraft): string {
  return `listener ${spec.name} of ${nameOf(parent)}`;
}

function shownHosts(hostname: HostPattern): string {
  return hostText(hostname) || "every host";
}
