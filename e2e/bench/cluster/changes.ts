/** Changes of a site that is served, one at a time, at moments when nothing else happens. */
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "../../cluster/cluster.js";
import { randomNumbers } from "../../cluster/random-numbers.js";
import type { Controller } from "./controller.js";
import type { Site } from "./site.js";

/** Makes a change by one call of the API server. */
export type Change = () => Promise<unknown>;

/**
 * Milliseconds of quiet before a change: the least, which is longer than albc remembers that it has just been busy, and what comes on
 * top by chance, so that the moment has nothing to do with the workers' own timers.
 */
const QUIET = { least: 450, chance: 100 };

/** Of a form that is known; nobody knows the password. */
const HASH = "$apr1$changing$0123456789abcdefghijk/";

/** Each different from all before, of routes that are chosen by chance. */
export class Changes {
  readonly #cluster: Cluster;
  readonly #site: Site;
  readonly #routes: number;
  readonly #random = randomNumbers(5);
  #made = 0;

  constructor(cluster: Cluster, site: Site, routes: number) {
    this.#cluster = cluster;
    this.#site = site;
    this.#routes = routes;
  }

  /** Of five endpoints, by PUT, as Kubernetes' own controller writes them. */
  readonly endpointSlice: Change = () => {
    const object = this.#site.endpointSlice(this.#any(), ++this.#made);
    return this.#cluster.client.call({
      method: "PUT",
      path: this.#cluster.path(object),
      body: object,
    });
  };

  /** One more host name. */
  readonly route: Change = () => {
    const object = this.#site.route(this.#any(), [`other-${++this.#made}.example`]);
    return this.#patch(object, { spec: object["spec"] });
  };

  /** Another user of basic auth. */
  readonly secret: Change = () => {
    const object = this.#site.users(`user-${++this.#made}:${HASH}\n`);
    return this.#patch(object, { data: object["data"] });
  };

  async quiet(): Promise<void> {
    await delay(QUIET.least + QUIET.chance * this.#random());
  }

  #patch(object: Parameters<Cluster["path"]>[0], body: object): Promise<unknown> {
    return this.#cluster.client.call({ method: "PATCH", path: this.#cluster.path(object), body });
  }

  #any(): number {
    return Math.floor(this.#random() * this.#routes);
  }
}

/** Milliseconds of each change, from the call of the API server until every worker serves it. */
export async function timesUntilLive(
  controller: Controller,
  changes: Changes,
  { change, count }: { readonly change: Change; readonly count: number },
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    await changes.quiet();
    const { version } = await controller.status();
    const called = performance.now();
    await change();
    await controller.servesOther(version);
    times.push(performance.now() - called);
  }
  return times;
}
