import type { Listener } from "../../../model/listener.js";
import type { StreamPool, StreamServer } from "../../../model/stream.js";
import { hostKey } from "../../../model/values.js";
import {
  addTo,
  compareIds,
  compareStrings,
  connected,
  getOrInsert,
  groupBy,
} from "../../../support/collections.js";
import type { UpstreamPlan } from "../../backends.js";
import { Backends } from "../../backends.js";
import type { BuildContext, TranslateContext } from "../../context.js";
import type { NamedPort, PortNames } from "./stream-names.js";
import { streamNames } from "./stream-names.js";
import type { Claims, HostPlaces, StreamPlace, StreamListener } from "./stream-places.js";
import { StreamPlaces } from "./stream-places.js";

/** What steps with connections read, and add to. */
export interface StreamContext extends BuildContext {
  readonly streams: StreamBuilder;
}

/** Gathers what becomes of connections that are no requests; the result does not depend on the order of listeners and pools. */
export class StreamBuilder {
  readonly backends: Backends;
  readonly places = new StreamPlaces();
  /** How many sockets the listeners leave to places where TLS ends. */
  readonly freeSockets: number;
  readonly #listeners = new Map<string, StreamListener>();
  readonly #pools = new Map<string, StreamPool>();

  constructor(context: TranslateContext, freeSockets: number) {
    this.freeSockets = freeSockets;
    this.backends = new Backends(context);
  }

  listen(listener: StreamListener): void {
    this.#listeners.set(listener.id, listener);
  }

  addPool(pool: StreamPool): void {
    this.#pools.set(pool.id, pool);
  }

  upstreams(): readonly UpstreamPlan[] {
    return this.backends.collected();
  }

  /** `listeners`: those of servers, which may share a port with listeners of TLS. */
  build(listeners: readonly Listener[]): {
    readonly streams: readonly StreamServer[];
    readonly pools: readonly StreamPool[];
  } {
    const streams = this.#servers(groupBy(listeners, ({ server }) => server));
    const used = usedPools(streams);
    return {
      streams,
      pools: [...this.#pools.values()].filter(({ id }) => used.has(id)).sort(compareIds),
    };
  }

  #servers(https: ReadonlyMap<string, readonly Listener[]>): readonly StreamServer[] {
    const ports = [...groupBy(this.#listeners.values(), ({ server }) => server)]
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([id, own]): NamedPort & { readonly id: string } => {
        const others = https.get(id) ?? [];
        const hosts = others.flatMap(({ hostname, keeps = [] }) => [hostname, ...keeps]);
        return { id, listeners: own, https: hosts };
      });
    const names = namesOfPorts(ports.filter(isNamed), this.places);
    return ports.flatMap((port): StreamServer | [] => {
      const [first] = port.listeners;
      if (first === undefined) return [];
      const { addresses, stream } = first;
      const bound = { id: port.id, addresses, port: first.port };
      if (stream === "tcp" || stream === "udp") {
        const pool = this.places.poolOf(first.id);
        return { protocol: stream, ...bound, ...(pool !== undefined && { pool }) };
      }
      const own = names.get(port);
      if (own === undefined) throw new Error(`no names for ${port.id}`);
      return { protocol: "tls", ...bound, ...own };
    });
  }
}

function isNamed({ listeners }: NamedPort): boolean {
  return listeners.some(({ stream }) => stream === "passthrough" || stream === "terminate");
}

/** Ids; a route that is shadowed or not attached has none that is used. */
function usedPools(streams: readonly StreamServer[]): ReadonlySet<string> {
  const named = streams.filter((each) => each.protocol === "tls");
  const lists = new Set(named.flatMap(({ names, classes }) => [names, classes]));
  return new Set([
    ...streams.flatMap((each) => (each.protocol === "tls" ? [] : (each.pool ?? []))),
    ...[...lists].flatMap((list) => list.flatMap(({ to }) => (to.kind === "pool" ? to.pool : []))),
  ]);
}

/** Which ports of TLS share names: ports that are alike have the same, and those that routes connect have one list of them. */

/** When all routes are bound: of each port. Costs names + ports where ports are alike or have most names in common. */
export function namesOfPorts(
  ports: readonly NamedPort[],
  places: StreamPlaces,
): ReadonlyMap<NamedPort, PortNames> {
  const alike = [...groupBy(ports, (port) => likeness(port, places)).values()];
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
  const names = parts.flatMap((part) => [...streamNames(part, placesOf.get(part) ?? new Map())]);
  const ofSamples = new Map(names);
  return new Map(
    alike.flatMap((group) => {
      const [sample] = group;
      const same = sample && ofSamples.get(sample);
      return same === undefined ? [] : group.map((port) => [port, same] as const);
    }),
  );
}

/** The same for ports that differ in nothing but their number. An HTTPS server is of one port. */
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
  // Listeners of one claim are in one part.
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
