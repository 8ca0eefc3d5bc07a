/**
 * Where each server name leads on TLS ports. A name belongs to the listener with the most specific hostname, whatever its protocol, and
 * there to the route with the most specific hostname, then to the older route (Gateway API, TLSRoute.spec.hostnames). Connections for
 * names without a route of that listener are closed, even if another listener has a route for them.
 *
 * Ports that share routes share a list of names. A name with different targets on these ports has a class, so a port costs the classes
 * that it distinguishes, not the names.
 */
import type {
  NameClass,
  NamedStream,
  StreamClass,
  StreamName,
  StreamTarget,
} from "../../../model/stream.js";
import { ANY_HOST, type HostPattern, hostKey } from "../../../model/values.js";
import {
  addTo,
  compareStrings,
  connected,
  getOrInsert,
  groupBy,
  memoized,
} from "../../../support/collections.js";
import { covers } from "../../hostnames.js";
import type {
  Claims,
  HostPlaces,
  StreamListener,
  StreamPlace,
  StreamPlaces,
} from "./stream-places.js";

export interface NamedPort {
  readonly listeners: readonly StreamListener[];
  /** Hostnames of the HTTPS listeners on the port and the hosts that they keep; no other listener gets these. */
  readonly https: readonly HostPattern[];
}

export type PortNames = Pick<NamedStream, "names" | "classes">;

/**
 * The names of each port, once all routes are bound. Ports that differ only in their number have the same names, and ports that share
 * routes share one list, so it costs names + ports as long as ports have most names in common.
 */
export function namesOfPorts(
  ports: readonly NamedPort[],
  places: StreamPlaces,
): ReadonlyMap<NamedPort, PortNames> {
  const alike = [...groupBy(ports, (port) => likeness(port, places)).values()];
  /** By listener: the first port of those that are alike. */
  const samples = new Map<string, NamedPort>();
  for (const group of alike) {
    const [sample] = group;
    if (sample === undefined) continue;
    for (const { id } of group.flatMap(({ listeners }) => listeners)) samples.set(id, sample);
  }
  const parts = connected([
    ...[...samples.values()].map((sample) => [sample]),
    ...[...places.bound()].map((ids) => [...ids].flatMap((id) => samples.get(id) ?? [])),
  ]);
  const placesOf = placesOfParts(parts, samples, places);
  const names = new Map(
    parts.flatMap((part) => [...namesOfPart(part, placesOf.get(part) ?? new Map())]),
  );
  return new Map(
    alike.flatMap((group) => {
      const [sample] = group;
      const same = sample && names.get(sample);
      return same === undefined ? [] : group.map((port) => [port, same] as const);
    }),
  );
}

/** The same for ports that differ only in their number. An HTTPS server belongs to one port. */
function likeness({ listeners, https }: NamedPort, places: StreamPlaces): unknown {
  if (https.length > 0) return listeners;
  const keys = listeners.map(({ id, hostname, certificates }) =>
    JSON.stringify([hostKey(hostname), places.likeness(id), certificates.map((each) => each.id)]),
  );
  return keys.sort(compareStrings).join();
}

/** Ports that routes connect. */
type Part = readonly NamedPort[];

function placesOfParts(
  parts: readonly Part[],
  samples: ReadonlyMap<string, NamedPort>,
  places: StreamPlaces,
): ReadonlyMap<Part, HostPlaces> {
  const partOf = new Map(parts.flatMap((part) => part.map((sample) => [sample, part])));
  // All listeners of a claim are in one part.
  const partsOf = ({ all }: Claims): ReadonlySet<Part | undefined> =>
    new Set(
      all.map(({ listeners: [first = ""] }) => {
        const sample = samples.get(first);
        return sample && partOf.get(sample);
      }),
    );
  const known = new Map<Claims, ReadonlySet<Part | undefined>>();
  const found = new Map<Part, Map<string, StreamPlace[]>>();
  const all = [...places.byHost()].flatMap(([key, here]) => here.map((place) => ({ key, place })));
  for (const { key, place } of all) {
    for (const part of getOrInsert(known, place.claims, () => partsOf(place.claims))) {
      if (part === undefined) continue;
      const own = getOrInsert(found, part, () => new Map<string, StreamPlace[]>());
      addTo(own, key, place);
    }
  }
  return found;
}

/** One list of names for all ports; `places`: those of the ports' listeners. */
function namesOfPart(
  ports: readonly NamedPort[],
  places: HostPlaces,
): ReadonlyMap<NamedPort, PortNames> {
  const targets = new Map<string, StreamTarget>();
  const owners = ports.map(({ listeners, https }) => [
    ...listeners.map((listener) => new StreamOwner(listener, places, targets)),
    ...https.map(httpsOwner),
  ]);
  const table = new NameTable(owners, places);
  const names = table.names();
  // Ports without a class share one empty list, so their streams can be compared by identity.
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
  /** Undefined: where the next wider host leads. */
  readonly targets: readonly (StreamTarget | undefined)[];
  /** The target of all ports; undefined: they have different ones. */
  readonly common: StreamTarget | undefined;
  /** By id of the next wider host's class. */
  readonly classes: Map<string, NameClass>;
}

class NameTable {
  readonly #places: HostPlaces;
  readonly #owners: readonly ReadonlyMap<string, Owner>[];
  readonly #marks: ReadonlyMap<string, HostPattern>;
  readonly #ownersAt = new Map<string, readonly (Owner | undefined)[]>();
  /** By mark and claims, which decide where a host that is no mark leads. */
  readonly #alike = new Map<string, Outcome>();
  /** By numbers of targets. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #numbers = new Map<StreamTarget | undefined, number>();
  readonly #named = new Map<string, { readonly host: HostPattern; readonly outcome: Outcome }>();
  readonly #classOf = new Map<string, NameClass>();
  /** Of each port; filled by `names`. */
  readonly classes: readonly StreamClass[][];
  #count = 0;

  constructor(owners: readonly (readonly Owner[])[], places: HostPlaces) {
    this.#places = places;
    // If several have one hostname, the last one gets it: HTTPS.
    this.#owners = owners.map(
      (all) => new Map(all.map((owner) => [hostKey(owner.marks[0]), owner])),
    );
    const marks = [ANY_HOST, ...owners.flat().flatMap((owner) => owner.marks)];
    this.#marks = new Map(marks.map((host) => [hostKey(host), host]));
    this.classes = owners.map(() => []);
  }

  names(): readonly StreamName[] {
    const hosts = new Map(this.#marks);
    for (const [key, [place]] of this.#places) if (place !== undefined) hosts.set(key, place.host);
    for (const [key, host] of [...hosts].sort(([a], [b]) => compareStrings(a, b))) {
      const outcome = this.#outcomeOf(key, host);
      if (outcome.targets.some((to) => to !== undefined)) {
        this.#named.set(key, { host, outcome });
      }
    }
    return [...this.#named].flatMap(([key, { host, outcome }]): readonly StreamName[] => {
      if (key === "" && outcome.common === CLOSED) return [];
      return [{ host, to: outcome.common ?? this.#class(key, host, outcome) }];
    });
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

  /** The class of a host. A host with a common target has one too if narrower hosts without a common target have its id in theirs. */
  #class(key: string, host: HostPattern, { targets, classes }: Outcome): NameClass {
    return getOrInsert(this.#classOf, key, () => {
      const wider = widening(host).find((each) => each !== key && this.#named.has(each)) ?? "";
      const next = targets.includes(undefined) ? this.#named.get(wider) : undefined;
      const below = next === undefined ? "" : `.${this.#class(wider, next.host, next.outcome).id}`;
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

/** HTTPS is never common to several ports: an HTTPS server belongs to one port. */
function commonOf(targets: Outcome["targets"]): StreamTarget | undefined {
  const [first] = targets;
  const isOwn = targets.length > 1 && first?.kind === "https";
  return !isOwn && targets.every((to) => to === first) ? first : undefined;
}

/** A listener that has names on a TLS port. */
interface Owner {
  /** Hosts that it distinguishes: its hostname, then names in certificates. */
  readonly marks: readonly [HostPattern, ...HostPattern[]];
  /** Where the host with this key leads; undefined: where the next wider host leads. Equal targets are the same object. */
  target(host: HostPattern, key: string): StreamTarget | undefined;
}

const CLOSED: StreamTarget = { kind: "closed" };
const HTTPS: StreamTarget = { kind: "https" };

function httpsOwner(hostname: HostPattern): Owner {
  const mark = ofAnyDepth(hostname);
  const own = hostKey(mark);
  return { marks: [mark], target: (_, key) => (key === own ? HTTPS : undefined) };
}

class StreamOwner implements Owner {
  readonly marks: readonly [HostPattern, ...HostPattern[]];
  readonly #listener: string;
  readonly #places: HostPlaces;
  /** By pool and certificate; shared by all listeners. */
  readonly #targets: Map<string, StreamTarget>;
  /** Ids by key of a mark; empty: TLS is passed through. */
  readonly #certificates = new Map<string, string>();
  readonly #keys: ReadonlySet<string>;

  constructor(listener: StreamListener, places: HostPlaces, targets: Map<string, StreamTarget>) {
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
    const claim = this.#claim([key]);
    if (claim === undefined && !this.#keys.has(key)) return undefined;
    const { pool } = claim ?? this.#claim(widening(host)) ?? {};
    if (pool === undefined) return CLOSED;
    const certificate = firstOf(this.#certificates, host);
    return getOrInsert(this.#targets, `${pool} ${certificate ?? ""}`, () => ({
      kind: "pool",
      pool,
      ...(certificate !== undefined && { certificate }),
    }));
  }

  /** The listener's claim for the first of the hosts that has one; of several, the one by the most specific hostname of a route. */
  #claim(keys: readonly string[]): ReturnType<Claims["at"]> {
    for (const { claims } of keys.flatMap((key) => this.#places.get(key) ?? [])) {
      const claim = claims.at(this.#listener);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }
}

/**
 * Names of certificates and hosts of Ingresses have wildcards for one label, which nginx's map lacks. So a deeper name, which has no
 * certificate of its own, gets the certificate of the wildcard.
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
