/** Who has the names on a port of TLS, and where they lead. */
import type { HostPattern } from "../../../model/host-pattern.js";
import { ANY_HOST, hostKey } from "../../../model/host-pattern.js";
import type { StreamTarget } from "../../../model/stream.js";
import { getOrInsert } from "../../../support/group-by.js";
import { memoized } from "../../../support/memoized.js";
import { covers } from "../../hostnames.js";
import type { StreamListener } from "./stream-binding.js";
import type { Claim, HostPlaces } from "./stream-places.js";

/** A listener. */
export interface Owner {
  /** Hosts that it tells apart: its hostname, and names of certificates. */
  readonly marks: readonly [HostPattern, ...HostPattern[]];
  /** Where the host, whose key it is, leads; undefined: where the next wider one does. Equal targets are the same object. */
  target(host: HostPattern, key: string): StreamTarget | undefined;
}

export const CLOSED: StreamTarget = { kind: "closed" };
const HTTPS: StreamTarget = { kind: "https" };

export class HttpsOwner implements Owner {
  readonly marks: readonly [HostPattern];
  readonly #key: string;

  constructor(hostname: HostPattern) {
    this.marks = [ofAnyDepth(hostname)];
    this.#key = hostKey(this.marks[0]);
  }

  target(_: HostPattern, key: string): StreamTarget | undefined {
    return key === this.#key ? HTTPS : undefined;
  }
}

/** Targets by pool and certificate. */
export type PoolTargets = Map<string, StreamTarget>;

export class StreamOwner implements Owner {
  readonly marks: readonly [HostPattern, ...HostPattern[]];
  readonly #listener: string;
  readonly #places: HostPlaces;
  readonly #targets: PoolTargets;
  /** Ids by key of a mark; empty where TLS is passed through. */
  readonly #certificates = new Map<string, string>();
  readonly #keys: ReadonlySet<string>;

  constructor(listener: StreamListener, places: HostPlaces, targets: PoolTargets) {
    const { id: own, hostname, certificates } = listener;
    this.#listener = own;
    this.#places = places;
    this.#targets = targets;
    const [first, ...others] = certificates;
    const named = (others.length === 0 ? [] : certificates)
      .flatMap(({ id, names }) => names.map((name) => ({ id, name: ofAnyDepth(name) })))
      .filter(({ name }) => covers(hostname, name));
    this.marks = [hostname, ...named.map(({ name }) => name)];
    this.#keys = new Set(this.marks.map(hostKey));
    // A name that has a certificate keeps it.
    for (const { id, name } of named.reverse()) this.#certificates.set(hostKey(name), id);
    if (first !== undefined) this.#certificates.set(hostKey(hostname), first.id);
  }

  target(host: HostPattern, key: string): StreamTarget | undefined {
    const claim = this.#claim(key);
    if (claim === undefined && !this.#keys.has(key)) return undefined;
    const { pool } = claim ?? this.#widerClaim(host) ?? {};
    if (pool === undefined) return CLOSED;
    const certificate = firstOf(this.#certificates, host);
    return getOrInsert(this.#targets, `${pool} ${certificate ?? ""}`, () => ({
      kind: "pool",
      pool,
      ...(certificate !== undefined && { certificate }),
    }));
  }

  /** A narrower host that the listener has in common with a route is of a better hostname. */
  #claim(key: string): Claim | undefined {
    for (const { claims } of this.#places.get(key) ?? []) {
      const claim = claims.at(this.#listener);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }

  #widerClaim(host: HostPattern): Claim | undefined {
    for (const key of widening(host)) {
      const claim = this.#claim(key);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }
}

/**
 * nginx's map has no wildcard for one label, which names of certificates and hosts of Ingresses have. A deeper name has no certificate of
 * its own, and gets the one that is nearest.
 */
function ofAnyDepth(name: HostPattern): HostPattern {
  return name.kind === "wildcard" ? { ...name, labels: "many" } : name;
}

export function firstOf<T>(map: ReadonlyMap<string, T>, host: HostPattern): T | undefined {
  const key = widening(host).find((each) => map.has(each));
  return key === undefined ? undefined : map.get(key);
}

/** Keys of the patterns that cover the host, the narrowest first. */
export const widening = memoized((host: HostPattern): readonly string[] => {
  if (host.kind === "any") return [hostKey(ANY_HOST)];
  const keys = host.kind === "exact" ? [host.host] : [`**.${host.suffix}`];
  const name = host.kind === "exact" ? host.host : host.suffix;
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    keys.push(`**.${name.slice(dot + 1)}`);
  }
  return [...keys, hostKey(ANY_HOST)];
});
