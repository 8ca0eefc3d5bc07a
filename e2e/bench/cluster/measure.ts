/** All that is measured with one number of routes. */
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "../../cluster/cluster.js";
import { freePort } from "../../harness/free-port.js";
import { htpasswdLine } from "../../harness/htpasswd.js";
import { Scene } from "../../harness/scene.js";
import { type Gap, STILL, startProber } from "../pauses.js";
import { giveServiceAccount } from "./account.js";
import { type Change, Changes, timesUntilLive } from "./changes.js";
import { Controller, type Memory } from "./controller.js";
import { populate } from "./population.js";
import { ASKED_HOST, SHARD_FLAGS, Site } from "./site.js";

export interface ScaleResult {
  readonly routes: number;
  /** EndpointSlices that albc knows. */
  readonly watched: number;
  /** Milliseconds from the start of albc, and from then on. */
  readonly untilServing: number;
  readonly untilStatuses: number;
  readonly memory: {
    readonly serving: Memory;
    readonly withStatuses: Memory;
    readonly afterChanges: Memory;
  };
  /** Milliseconds of each change. */
  readonly live: Record<Changed, readonly number[]>;
  readonly gaps: Record<During, readonly Gap[]>;
  /** Workers that are not those of the start: nginx was reloaded, or they died. */
  readonly replacedWorkers: number;
  readonly complaints: readonly string[];
}

export type Changed = "endpointSlice" | "route" | "secret";
/** What goes on while a worker is asked. */
export type During = "nothing" | "endpointSlice" | "route";

export const COUNTS = { endpointSlice: 30, route: 10, secret: 10 } as const satisfies Record<
  Changed,
  number
>;

/** HTTPRoutes that belong to another shard. */
const NEIGHBOURS = 2000;

/** `cluster`: with nothing of an earlier measurement. `isShard`: albc watches its own share of the objects only. */
export async function measureScale(
  cluster: Cluster,
  routes: number,
  isShard: boolean,
): Promise<ScaleResult> {
  const scene = new Scene();
  try {
    const port = await freePort();
    const site = new Site(cluster.namespace, port, routes);
    const neighbours = isShard ? NEIGHBOURS : 0;
    const htpasswd = await htpasswdLine("user", "first");
    await populate(cluster, site, { routes: routes + neighbours, htpasswd });
    const account = await giveServiceAccount(cluster);
    const options = { namespace: cluster.namespace, account, flags: isShard ? SHARD_FLAGS : [] };
    const controller = await scene.use(Controller.start(port, options));
    const settled = await settle(controller, routes + site.sharedRoutes);
    const changes = new Changes(cluster, site, routes);
    const live = await measureChanges(controller, changes);
    const gaps = await measureGaps(controller, changes);
    const { workers } = await controller.status();
    return {
      routes,
      watched: await controller.watched(),
      untilServing: controller.untilServing,
      untilStatuses: settled.untilStatuses,
      memory: { ...settled.memory, afterChanges: await controller.memory() },
      live,
      gaps,
      replacedWorkers: workers.filter(
        ({ pid, generation }) =>
          !settled.workers.some((one) => one.pid === pid && one.generation === generation),
      ).length,
      complaints: controller.complaints,
    };
  } finally {
    await scene.close();
  }
}

async function settle(controller: Controller, statuses: number) {
  const began = performance.now();
  const { workers } = await controller.status();
  const serving = await controller.memory();
  await controller.statusesWritten(statuses);
  const untilStatuses = performance.now() - began;
  await controller.idle();
  return { workers, untilStatuses, memory: { serving, withStatuses: await controller.memory() } };
}

async function measureChanges(
  controller: Controller,
  changes: Changes,
): Promise<ScaleResult["live"]> {
  const times = (kind: Changed): Promise<number[]> =>
    timesUntilLive(controller, changes, { change: changes[kind], count: COUNTS[kind] });
  return {
    endpointSlice: await times("endpointSlice"),
    route: await times("route"),
    secret: await times("secret"),
  };
}

/** After the times, on which the prober would tell. */
async function measureGaps(controller: Controller, changes: Changes): Promise<ScaleResult["gaps"]> {
  const { port } = controller;
  const workers = (await controller.status()).workers.map(({ pid }) => pid);
  const prober = await startProber({ port, host: ASKED_HOST, workers });
  try {
    const during = async (doing: () => Promise<unknown>): Promise<readonly Gap[]> => {
      await prober.gaps();
      await doing();
      return await prober.gaps();
    };
    const changing = (change: Change, count: number) => () =>
      timesUntilLive(controller, changes, { change, count });
    return {
      nothing: await during(() => delay(STILL)),
      endpointSlice: await during(changing(changes.endpointSlice, COUNTS.endpointSlice)),
      route: await during(changing(changes.route, COUNTS.route)),
    };
  } finally {
    await prober.close();
  }
}
