import { hostKey } from "../../../ir/host-pattern.js";
import type { Listener } from "../../../ir/listener.js";
import type { StreamName, StreamPool, StreamServer } from "../../../ir/stream.js";
import type { KubernetesObject } from "../../../api/wire.js";
import { compareStrings } from "../../../support/compare.js";
import { getOrInsert, groupBy } from "../../../support/group-by.js";
import { memoized } from "../../../support/memoized.js";
import { Backends } from "../../backends.js";
import type { UpstreamPlan } from "../../backends.js";
import type { TranslateContext } from "../../context.js";
import type { StreamBinding, StreamListener } from "./stream-binding.js";
import { streamNames } from "./stream-names.js";

/** What is bound to listeners that have the same bindings so far, as most listeners of a Gateway have. */
interface SharedBindings {
  listeners: number;
  readonly byPlace: Map<string, StreamBinding>;
}

/** A binding that older ones keep out, and the listeners where they do. */
export interface ShadowedBinding {
  readonly binding: StreamBinding;
  readonly by: KubernetesObject;
  readonly listeners: readonly string[];
}

/** Gathers what becomes of connections that are no requests; the result does not depend on the order of listeners and pools. */
export class StreamBuilder {
  readonly backends: Backends;
  /** How many sockets the listeners leave to places where TLS ends. */
  freeSockets = 0;
  readonly #listeners = new Map<string, StreamListener>();
  readonly #bindings = new Map<string, SharedBindings>();
  readonly #unbound: SharedBindings = { listeners: 0, byPlace: new Map() };
  readonly #pools = new Map<string, StreamPool>();

  constructor(context: TranslateContext) {
    this.backends = new Backends(context);
  }

  listen(listener: StreamListener): void {
    this.#listeners.set(listener.id, listener);
  }

  /** Binds a route to listeners, by id. Gives what was not bound, because an older route has the place there. */
  bind(
    listeners: readonly string[],
    bindings: readonly StreamBinding[],
  ): readonly ShadowedBinding[] {
    const groups = groupBy(listeners, (id) => this.#bindingsOf(id));
    const placed = bindings.map((binding) => {
      const place = `${hostKey(binding.host)} ${hostKey(binding.hostname)}`;
      return { place, binding };
    });
    const shadowed: ShadowedBinding[] = [];
    for (const [known, ids] of groups) {
      const { byPlace } = this.#ownOf(known, ids);
      for (const { place, binding } of placed) {
        const first = byPlace.get(place);
        if (first === undefined) byPlace.set(place, binding);
        else shadowed.push({ binding, by: first.route, listeners: ids });
      }
    }
    return shadowed;
  }

  #bindingsOf(listener: string): SharedBindings {
    return getOrInsert(this.#bindings, listener, () => {
      this.#unbound.listeners++;
      return this.#unbound;
    });
  }

  /** What the listeners, and no others, have: a copy where others had the same. */
  #ownOf(known: SharedBindings, listeners: readonly string[]): SharedBindings {
    if (known !== this.#unbound && known.listeners === listeners.length) return known;
    known.listeners -= listeners.length;
    const own = { listeners: listeners.length, byPlace: new Map(known.byPlace) };
    for (const listener of listeners) this.#bindings.set(listener, own);
    return own;
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
    const https = groupBy(listeners, ({ server }) => server);
    const names: KnownNames = new Map();
    const streams = [...groupBy(this.#listeners.values(), ({ server }) => server)]
      .sort(([a], [b]) => compareStrings(a, b))
      .flatMap(([id, own]) => this.#server(id, { own, https: https.get(id) ?? [], names }));
    const used = usedPools(streams);
    return {
      streams,
      pools: [...this.#pools.values()]
        .filter(({ id }) => used.has(id))
        .sort((a, b) => compareStrings(a.id, b.id)),
    };
  }

  #server(id: string, { own, https, names }: PortListeners): StreamServer | [] {
    const [first] = own;
    if (first === undefined) return [];
    const { addresses, port, stream } = first;
    if (stream === "tcp" || stream === "udp") {
      const [binding] = this.#bindingsOf(first.id).byPlace.values();
      const pool = binding?.pool;
      return { protocol: stream, id, addresses, port, ...(pool !== undefined && { pool }) };
    }
    const made = (): readonly StreamName[] =>
      streamNames(
        own.map((listener) => {
          return { listener, bindings: bindingsOf(this.#bindingsOf(listener.id)) };
        }),
        https.flatMap(({ hostname, keeps = [] }) => [hostname, ...keeps]),
      );
    const bound = { protocol: "tls", id, addresses, port } as const;
    if (own.length > 1 || https.length > 0) return { ...bound, names: made() };
    const known = getOrInsert(names, this.#bindingsOf(first.id), () => new Map());
    const key = JSON.stringify([hostKey(first.hostname), first.certificates]);
    return { ...bound, names: getOrInsert(known, key, made) };
  }
}

interface PortListeners {
  readonly own: readonly StreamListener[];
  readonly https: readonly Listener[];
  readonly names: KnownNames;
}

/** Names on ports of one listener: one list for all that have the same bindings, hostname and certificates. */
type KnownNames = Map<SharedBindings, Map<string, readonly StreamName[]>>;

/** When all are bound. */
const bindingsOf = memoized(({ byPlace }: SharedBindings): readonly StreamBinding[] => [
  ...byPlace.values(),
]);

/** Ids; a route that is shadowed or not attached has none that is used. */
function usedPools(streams: readonly StreamServer[]): ReadonlySet<string> {
  const names = new Set(streams.flatMap((each) => (each.protocol === "tls" ? [each.names] : [])));
  return new Set([
    ...streams.flatMap((each) => (each.protocol === "tls" ? [] : (each.pool ?? []))),
    ...[...names].flatMap((list) => list.flatMap(({ to }) => (to.kind === "pool" ? to.pool : []))),
  ]);
}
