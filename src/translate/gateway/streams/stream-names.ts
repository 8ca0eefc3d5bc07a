/**
 * Which server name goes where on ports of TLS. A name belongs to the listener with the best hostname, whichever protocol that has, and
 * there to the route whose own hostname is best, then to the older one (Gateway API, TLSRoute.spec.hostnames). What no route of its
 * listener is for is closed, though another listener may have one.
 *
 * Ports that share routes share a list of names. Names that don't lead to the same on all of them have a class, so a port costs the
 * classes that it tells apart, not the names.
 */
import type { NameClass, StreamClass, StreamName, StreamTarget } from "../../../model/stream.js";
import type { HostPattern } from "../../../model/values.js";
import { ANY_HOST, hostKey } from "../../../model/values.js";
import { compareBy, compareStrings, getOrInsert, memoized } from "../../../support/collections.js";
import { covers } from "../../hostnames.js";
import type { StreamClaim, HostPlaces, StreamListener } from "./stream-places.js";

export interface NamedPort {
  readonly listeners: readonly StreamListener[];
  /** Hostnames of the HTTPS listeners on the port, and hosts that they keep, which no other listener gets. */
  readonly https: readonly HostPattern[];
}

/** As in NamedStream. */
export interface PortNames {
  readonly names: readonly StreamName[];
  readonly classes: readonly StreamClass[];
}

/** Of each port, with one list of names for all; `places`: those of the ports' listeners. */
export function streamNames(
  ports: readonly NamedPort[],
  places: HostPlaces,
): ReadonlyMap<NamedPort, PortNames> {
  const targets: PoolTargets = new Map();
  const owners = ports.map(({ listeners, https }) => [
    ...listeners.map((listener) => new StreamOwner(listener, places, targets)),
    ...https.map((hostname) => new HttpsOwner(hostname)),
  ]);
  const table = new NameTable(owners, places);
  const names = table.names();
  const none: readonly StreamClass[] = [];
  return new Map(
    ports.map((port, i) => {
      const classes = table.classes[i] ?? none;
      return [port, { names, classes: classes.length === 0 ? none : classes }];
    }),
  );
}

/** Where a host leads on each port. */
interface Outcome {
  /** Undefined: where the next wider host does. */
  readonly targets: readonly (StreamTarget | undefined)[];
  /** The target of all ports. */
  readonly common: StreamTarget | undefined;
  /** By id of the next wider host's class. */
  readonly classes: Map<string, NameClass>;
}

interface KeyedHost {
  readonly key: string;
  readonly host: HostPattern;
}

interface NamedHost extends KeyedHost {
  readonly outcome: Outcome;
}

const byKey = compareBy<KeyedHost>((a, b) => compareStrings(a.key, b.key));

class NameTable {
  readonly #places: HostPlaces;
  readonly #owners: readonly ReadonlyMap<string, Owner>[];
  readonly #marks: ReadonlyMap<string, HostPattern>;
  readonly #ownersAt = new Map<string, readonly (Owner | undefined)[]>();
  /** By mark and claims, which decide what a host that is no mark leads to. */
  readonly #alike = new Map<string, Outcome>();
  /** By numbers of targets. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #numbers = new Map<StreamTarget | undefined, number>();
  readonly #named = new Map<string, NamedHost>();
  readonly #classOf = new Map<string, NameClass>();
  /** Of each port, once names() has asked for them. */
  readonly classes: readonly StreamClass[][];
  #count = 0;

  constructor(owners: readonly (readonly Owner[])[], places: HostPlaces) {
    this.#places = places;
    // Of one hostname the last has it: HTTPS.
    this.#owners = owners.map(
      (all) => new Map(all.map((owner) => [hostKey(owner.marks[0]), owner])),
    );
    const marks = [ANY_HOST, ...owners.flat().flatMap((owner) => owner.marks)];
    this.#marks = new Map(marks.map((host) => [hostKey(host), host]));
    this.classes = owners.map(() => []);
  }

  names(): readonly StreamName[] {
    for (const { key, host } of this.#hosts()) {
      const outcome = this.#outcomeOf(key, host);
      if (outcome.targets.some((to) => to !== undefined)) {
        this.#named.set(key, { key, host, outcome });
      }
    }
    return [...this.#named.values()].flatMap((named): readonly StreamName[] => {
      const { key, host, outcome } = named;
      if (key === "" && outcome.common === CLOSED) return [];
      return [{ host, to: outcome.common ?? this.#class(named) }];
    });
  }

  #hosts(): readonly KeyedHost[] {
    const hosts = new Map(this.#marks);
    for (const [key, [place]] of this.#places) if (place !== undefined) hosts.set(key, place.host);
    return [...hosts].map(([key, host]) => ({ key, host })).sort(byKey);
  }

  #outcomeOf(key: string, host: HostPattern): Outcome {
    const mark = widening(host).find((each) => this.#marks.has(each)) ?? "";
    if (mark === key) return this.#made(key, host, mark);
    const claims = (this.#places.get(key) ?? []).map((place) => place.claims.id);
    return getOrInsert(this.#alike, `${mark} ${claims.join()}`, () => this.#made(key, host, mark));
  }

  #made(key: string, host: HostPattern, mark: string): Outcome {
    const none = key === "" ? CLOSED : undefined;
    const owners = getOrInsert(this.#ownersAt, mark, () =>
      this.#owners.map((own) => firstOf(own, this.#marks.get(mark) ?? ANY_HOST)),
    );
    const targets = owners.map((owner) => owner?.target(host, key) ?? none);
    const numbers = targets.map((to) => getOrInsert(this.#numbers, to, () => this.#numbers.size));
    return getOrInsert(this.#outcomes, numbers.join(), () => {
      return { targets, common: commonOf(targets), classes: new Map() };
    });
  }

  /** The class of a host, although all ports may lead to the same: narrower hosts, which do not, have its id in theirs. */
  #class({ key, host, outcome: { targets, classes } }: NamedHost): NameClass {
    return getOrInsert(this.#classOf, key, () => {
      const wider = widening(host).find((each) => each !== key && this.#named.has(each));
      const next = targets.includes(undefined) ? this.#named.get(wider ?? "") : undefined;
      const below = next === undefined ? "" : `.${this.#class(next).id}`;
      return getOrInsert(classes, below, () => {
        const id = `c${String(this.#count++)}${below}`;
        for (const [port, to] of targets.entries()) {
          if (to !== undefined) this.classes[port]?.push({ id, to });
        }
        return { kind: "class", id };
      });
    });
  }
}

/** An HTTPS server is of one port. */
function commonOf(targets: Outcome["targets"]): StreamTarget | undefined {
  const [first] = targets;
  const isOwn = targets.length > 1 && first?.kind === "https";
  return !isOwn && targets.every((to) => to === first) ? first : undefined;
}

/** Who has the names on a port of TLS, and where they lead. */

/** A listener. */
interface Owner {
  /** Hosts that it tells apart: its hostname, and names of certificates. */
  readonly marks: readonly [HostPattern, ...HostPattern[]];
  /** Where the host, whose key it is, leads; undefined: where the next wider one does. Equal targets are the same object. */
  target(host: HostPattern, key: string): StreamTarget | undefined;
}

const CLOSED: StreamTarget = { kind: "closed" };
const HTTPS: StreamTarget = { kind: "https" };

class HttpsOwner implements Owner {
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
type PoolTargets = Map<string, StreamTarget>;

class StreamOwner implements Owner {
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
  #claim(key: string): StreamClaim | undefined {
    for (const { claims } of this.#places.get(key) ?? []) {
      const claim = claims.at(this.#listener);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }

  #widerClaim(host: HostPattern): StreamClaim | undefined {
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

function firstOf<T>(map: ReadonlyMap<string, T>, host: HostPattern): T | undefined {
  const key = widening(host).find((each) => map.has(each));
  return key === undefined ? undefined : map.get(key);
}

/** Keys of the patterns that cover the host, the narrowest first. */
const widening = memoized((host: HostPattern): readonly string[] => {
  if (host.kind === "any") return [hostKey(ANY_HOST)];
  const keys = host.kind === "exact" ? [host.host] : [`**.${host.suffix}`];
  const name = host.kind === "exact" ? host.host : host.suffix;
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    keys.push(`**.${name.slice(dot + 1)}`);
  }
  return [...keys, hostKey(ANY_HOST)];
});
