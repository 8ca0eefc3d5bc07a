import type { Listener } from "../../../model/listener.js";
import type { StreamPool, StreamServer } from "../../../model/stream.js";
import { compareStrings } from "../../../support/compare.js";
import { groupBy } from "../../../support/group-by.js";
import { Backends } from "../../backends.js";
import type { UpstreamPlan } from "../../backends.js";
import type { TranslateContext } from "../../context.js";
import type { StreamListener } from "./stream-binding.js";
import type { NamedPort } from "./stream-names.js";
import { StreamPlaces } from "./stream-places.js";
import { namesOfPorts } from "./stream-ports.js";

/** Gathers what becomes of connections that are no requests; the result does not depend on the order of listeners and pools. */
export class StreamBuilder {
  readonly backends: Backends;
  readonly places = new StreamPlaces();
  /** How many sockets the listeners leave to places where TLS ends. */
  freeSockets = 0;
  readonly #listeners = new Map<string, StreamListener>();
  readonly #pools = new Map<string, StreamPool>();

  constructor(context: TranslateContext) {
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
      pools: [...this.#pools.values()]
        .filter(({ id }) => used.has(id))
        .sort((a, b) => compareStrings(a.id, b.id)),
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
