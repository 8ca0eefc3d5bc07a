import type { Listener } from "../../../model/listener.js";
import type { StreamPool, StreamServer } from "../../../model/stream.js";
import { compareIds, compareStrings, groupBy } from "../../../support/collections.js";
import type { UpstreamPlan } from "../../backends.js";
import { namesOfPorts } from "./stream-names.js";
import type { StreamListener, StreamPlaces } from "./stream-places.js";

/** The listeners whose connections and datagrams are passed on, and where their routes send them. */
export interface TranslatedStreams {
  readonly listeners: readonly StreamListener[];
  readonly places: StreamPlaces;
  /** Of every rule, including rules of routes that are shadowed or not attached. */
  readonly pools: readonly StreamPool[];
  readonly upstreams: readonly UpstreamPlan[];
}

/** `listeners`: all HTTP and HTTPS listeners; an HTTPS listener can share its port with TLS listeners. */
export function streamServers(
  { listeners: own, places, pools }: TranslatedStreams,
  listeners: readonly Listener[],
): { readonly streams: readonly StreamServer[]; readonly pools: readonly StreamPool[] } {
  // A closed object may repeat the name of a listener.
  const distinct = new Map(own.map((listener) => [listener.id, listener]));
  const byServer = groupBy(listeners, ({ server }) => server);
  const ports = [...groupBy(distinct.values(), ({ server }) => server)]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([id, onPort]) => ({
      id,
      listeners: onPort,
      https: (byServer.get(id) ?? []).flatMap(({ hostname, keeps = [] }) => [hostname, ...keeps]),
    }));
  const isTls = ({ stream }: StreamListener): boolean =>
    stream === "passthrough" || stream === "terminate";
  const names = namesOfPorts(
    ports.filter((port) => port.listeners.some(isTls)),
    places,
  );
  const streams = ports.flatMap((port): StreamServer | [] => {
    const [first] = port.listeners;
    if (first === undefined) return [];
    const { addresses, stream } = first;
    const bound = { id: port.id, addresses, port: first.port };
    if (stream === "tcp" || stream === "udp") {
      const pool = places.poolOf(first.id);
      return { protocol: stream, ...bound, ...(pool !== undefined && { pool }) };
    }
    const named = names.get(port);
    if (named === undefined) throw new Error(`no names for ${port.id}`);
    return { protocol: "tls", ...bound, ...named };
  });
  const used = usedPools(streams);
  return { streams, pools: pools.filter(({ id }) => used.has(id)).sort(compareIds) };
}

/** Ids of the pools that streams lead to. Ports share lists of names, so each list is read once. */
function usedPools(streams: readonly StreamServer[]): ReadonlySet<string> {
  const named = streams.filter((each) => each.protocol === "tls");
  const lists = new Set(named.flatMap(({ names, classes }) => [names, classes]));
  return new Set([
    ...streams.flatMap((each) => (each.protocol === "tls" ? [] : (each.pool ?? []))),
    ...[...lists].flatMap((list) => list.flatMap(({ to }) => (to.kind === "pool" ? to.pool : []))),
  ]);
}
