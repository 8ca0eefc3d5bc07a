import { hostKey } from "../../../ir/host-pattern.js";
import type { Listener } from "../../../ir/listener.js";
import type { StreamPool, StreamServer } from "../../../ir/stream.js";
import type { KubernetesObject } from "../../../api/wire.js";
import { compareStrings } from "../../../support/compare.js";
import { Backends } from "../../backends.js";
import type { UpstreamPlan } from "../../backends.js";
import type { TranslateContext } from "../../context.js";
import type { StreamBinding, StreamListener } from "./stream-binding.js";
import { streamNames } from "./stream-names.js";

/** Gathers what becomes of connections that are no requests; the result does not depend on the order of listeners and pools. */
export class StreamBuilder {
  readonly backends: Backends;
  readonly #listeners = new Map<string, StreamListener>();
  readonly #bindings = new Map<string, Map<string, StreamBinding>>();
  readonly #pools = new Map<string, StreamPool>();

  constructor(context: TranslateContext) {
    this.backends = new Backends(context);
  }

  listen(listener: StreamListener): void {
    this.#listeners.set(listener.id, listener);
  }

  /** The route that has the place already: the first one stays. */
  bind(binding: StreamBinding): KubernetesObject | undefined {
    const bindings = this.#bindings.get(binding.listener) ?? new Map<string, StreamBinding>();
    this.#bindings.set(binding.listener, bindings);
    const key = `${hostKey(binding.host)} ${hostKey(binding.hostname)}`;
    const existing = bindings.get(key);
    if (existing !== undefined) return existing.route;
    bindings.set(key, binding);
    return undefined;
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
    const ids = [...new Set([...this.#listeners.values()].map(({ server }) => server))].sort();
    const streams = ids.flatMap((id) => this.#server(id, listeners));
    const used = new Set(streams.flatMap(poolsOf));
    return {
      streams,
      pools: [...this.#pools.values()]
        .filter(({ id }) => used.has(id))
        .sort((a, b) => compareStrings(a.id, b.id)),
    };
  }

  #server(id: string, listeners: readonly Listener[]): StreamServer | [] {
    const own = [...this.#listeners.values()].filter(({ server }) => server === id);
    const [first] = own;
    if (first === undefined) return [];
    const { addresses, port, stream } = first;
    if (stream === "tcp" || stream === "udp") {
      const [binding] = this.#bindingsOf(first);
      const pool = binding?.pool;
      return { protocol: stream, id, addresses, port, ...(pool !== undefined && { pool }) };
    }
    const named = own.map((listener) => ({ listener, bindings: this.#bindingsOf(listener) }));
    const https = listeners.filter(({ server }) => server === id);
    const names = streamNames(
      named,
      https.flatMap(({ hostname, keeps = [] }) => [hostname, ...keeps]),
    );
    return { protocol: "tls", id, addresses, port, names };
  }

  #bindingsOf({ id }: StreamListener): readonly StreamBinding[] {
    return [...(this.#bindings.get(id)?.values() ?? [])];
  }
}

/** Ids; a route that is shadowed or not attached has none that is used. */
function poolsOf(stream: StreamServer): readonly string[] {
  if (stream.protocol !== "tls") return stream.pool === undefined ? [] : [stream.pool];
  return stream.names.flatMap(({ to }) => (to.kind === "pool" ? to.pool : []));
}
