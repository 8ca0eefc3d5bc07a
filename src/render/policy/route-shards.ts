/** The shards of routes. The text of what is the same object as before is not made again. */
import type { Route } from "../../model/route.js";
import { ShardMap } from "../shard-map.js";
import { canonicalJson, wellFormed } from "./canonical-json.js";
import { policyRoute } from "./route-shard.js";

export class RouteShards {
  #texts = new WeakMap<Route, string>();
  #bodyLimit: number | undefined;

  /** By route id. `bodyLimit`: see policyRoute. */
  routes(routes: readonly Route[], bodyLimit: number): ShardMap {
    if (bodyLimit !== this.#bodyLimit) this.#texts = new WeakMap();
    this.#bodyLimit = bodyLimit;
    return new ShardMap(routes.map((route) => [wellFormed(route.id), this.#routeText(route)]));
  }

  #routeText(route: Route): string {
    const known = this.#texts.get(route);
    if (known !== undefined) return known;
    const text = canonicalJson(policyRoute(route, this.#bodyLimit ?? 0));
    this.#texts.set(route, text);
    return text;
  }
}
