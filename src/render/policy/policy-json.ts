/** A policy as shards of text, see RenderedPolicy. */
import type { Route } from "../../model/route.js";
import type { Upstream } from "../../model/upstream.js";
import { RenderedPolicy, SETTINGS_KEY } from "../rendered-policy.js";
import { ShardMap } from "../shard-map.js";
import type { PolicyFrame } from "./build-policy.js";
import { canonicalJson, wellFormed } from "./canonical-json.js";

/** All maps of a policy but its upstreams, in the order of the file. */
export type RoutingShards = ReadonlyMap<string, ShardMap>;

/** The map before which upstreams stand. */
const AFTER_AUTHS = "auths";

export function routingShards(
  { settings, servers, inherited, auths, backendTls, certificates }: PolicyFrame,
  {
    hosts,
    matches,
    routes,
  }: { readonly hosts: ShardMap; readonly matches: ShardMap; readonly routes: ShardMap },
): RoutingShards {
  return new Map([
    ["settings", new ShardMap([[SETTINGS_KEY, canonicalJson(settings)]])],
    ["servers", shardMap(servers)],
    ["hosts", hosts],
    ...(matches.shards.size === 0 ? [] : [["matches", matches] as const]),
    ["routes", routes],
    ...(inherited === undefined ? [] : [["inherited", shardMap(inherited)] as const]),
    [AFTER_AUTHS, shardMap(auths)],
    ...(backendTls === undefined ? [] : [["backendTls", shardMap(backendTls)] as const]),
    ["certificates", shardMap(certificates)],
  ]);
}

export function renderedPolicy(
  format: number,
  routing: RoutingShards,
  upstreams: ShardMap,
): RenderedPolicy {
  const maps = [...routing].flatMap(([name, map]): (readonly [string, ShardMap])[] =>
    name === AFTER_AUTHS
      ? [
          [name, map],
          ["upstreams", upstreams],
        ]
      : [[name, map]],
  );
  return new RenderedPolicy(format, new Map(maps));
}

/** Shards of upstreams; the text of one that was there before is not made again. */
export class UpstreamShards {
  readonly #texts = new WeakMap<Upstream, string>();
  #last: { readonly upstreams: readonly Upstream[]; readonly map: ShardMap } | undefined;

  map(upstreams: readonly Upstream[]): ShardMap {
    if (this.#last?.upstreams === upstreams) return this.#last.map;
    const map = new ShardMap(upstreams.map((each) => [wellFormed(each.id), this.#text(each)]));
    this.#last = { upstreams, map };
    return map;
  }

  #text(upstream: Upstream): string {
    const known = this.#texts.get(upstream);
    if (known !== undefined) return known;
    const text = canonicalJson({ endpoints: upstream.endpoints });
    this.#texts.set(upstream, text);
    return text;
  }
}

/** Shards of routes; the text of one that was there before is not made again. */
export class RouteShards {
  #texts = new WeakMap<Route, string>();
  #bodyLimit: number | undefined;

  /** By route id. `bodyLimit`: bytes for routes without a limit of their own; 0: none. */
  routes(routes: readonly Route[], bodyLimit: number): ShardMap {
    if (bodyLimit !== this.#bodyLimit) this.#texts = new WeakMap();
    this.#bodyLimit = bodyLimit;
    return new ShardMap(routes.map((route) => [wellFormed(route.id), this.#routeText(route)]));
  }

  #routeText(route: Route): string {
    const known = this.#texts.get(route);
    if (known !== undefined) return known;
    const { id: _, bodyLimit = this.#bodyLimit ?? 0, ...rest } = route;
    const text = canonicalJson({ ...rest, ...(bodyLimit > 0 && { bodyLimit }) });
    this.#texts.set(route, text);
    return text;
  }
}

function shardMap(map: Readonly<Record<string, unknown>>): ShardMap {
  return new ShardMap(
    Object.entries(map).map(([key, value]) => [wellFormed(key), canonicalJson(value)] as const),
  );
}
