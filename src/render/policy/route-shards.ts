/** The shards of routes and of hosts, which are most of a policy. The text of what is the same object as before is not made again. */
import { hostKey } from "../../ir/host-pattern.js";
import type { Route, RouteBinding } from "../../ir/route.js";
import { compareStrings } from "../../support/compare.js";
import { sameElements } from "../../support/same-elements.js";
import { ShardMap } from "../shard-map.js";
import { policyBinding } from "./binding-shard.js";
import { canonicalJson, wellFormed } from "./canonical-json.js";
import { groupBy } from "./group-by.js";
import { policyRoute } from "./route-shard.js";

interface Host {
  readonly bindings: readonly RouteBinding[];
  readonly text: string;
}

export class RouteShards {
  #texts = new WeakMap<Route, string>();
  #bodyLimit: number | undefined;
  #hosts: ReadonlyMap<string, Host> = new Map();

  /** By route id. `bodyLimit`: see policyRoute. */
  routes(routes: readonly Route[], bodyLimit: number): ShardMap {
    if (bodyLimit !== this.#bodyLimit) this.#texts = new WeakMap();
    this.#bodyLimit = bodyLimit;
    return new ShardMap(routes.map((route) => [wellFormed(route.id), this.#routeText(route)]));
  }

  /** By `<listener id>|<host key>`, a line for each binding. */
  hosts(bindings: readonly RouteBinding[]): ShardMap {
    const byHost = groupBy(bindings, ({ listener, host }) => `${listener}|${hostKey(host)}`);
    const hosts = new Map<string, Host>();
    for (const [key, group] of byHost) hosts.set(key, this.#host(key, group));
    this.#hosts = hosts;
    return new ShardMap([...hosts].map(([key, { text }]) => [wellFormed(key), text]));
  }

  #routeText(route: Route): string {
    const known = this.#texts.get(route);
    if (known !== undefined) return known;
    const text = canonicalJson(policyRoute(route, this.#bodyLimit ?? 0));
    this.#texts.set(route, text);
    return text;
  }

  #host(key: string, group: readonly RouteBinding[]): Host {
    const bindings = [...group].sort((a, b) => compareStrings(a.order, b.order));
    const known = this.#hosts.get(key);
    if (known !== undefined && sameElements(known.bindings, bindings)) return known;
    const lines = bindings.map((binding) => `      ${canonicalJson(policyBinding(binding))}`);
    return { bindings, text: `[\n${lines.join(",\n")}\n    ]` };
  }
}
