import type { KubeConfig } from "@kubernetes/client-node";
import { Watch } from "@kubernetes/client-node";

/** Seconds after which the API server ends a watch, and we begin the next. */
const WATCH_SECONDS = 290;
/** Milliseconds after which a watch that the API server should have ended is dead: nobody may be at the other end. */
const DEAD = (WATCH_SECONDS + 20) * 1000;
/** A watch that ends sooner than this, in milliseconds, is begun again only after as long a pause. */
const SHORTEST = 1000;

type WatchCallback = Parameters<Watch["watch"]>[2];
type DoneCallback = Parameters<Watch["watch"]>[3];
type QueryParameters = Parameters<Watch["watch"]>[1];

/**
 * client-node's Watch with bookmarks, with an end to watches whose connection died unseen, without a hot loop against a server
 * that ends them at once, and with objects cut down before anybody keeps them.
 */
export class TrimmingWatch extends Watch {
  readonly #trim: (object: unknown) => unknown;

  constructor(config: KubeConfig, trim: (object: unknown) => unknown) {
    super(config);
    this.#trim = trim;
  }

  override async watch(
    path: string,
    query: QueryParameters,
    callback: WatchCallback,
    done: DoneCallback,
  ): Promise<AbortController> {
    const began = performance.now();
    const parameters = { ...query, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS };
    const controller = await super.watch(
      path,
      parameters,
      (phase, object: unknown) => {
        const isObject = phase === "ADDED" || phase === "MODIFIED" || phase === "DELETED";
        callback(phase, isObject ? this.#trim(object) : object);
      },
      (error: unknown) => {
        clearTimeout(guard);
        const pause = error === null ? SHORTEST - (performance.now() - began) : 0;
        if (pause <= 0) done(error);
        else setTimeout(() => done(error), pause).unref();
      },
    );
    const guard = setTimeout(() => controller.abort(), DEAD);
    guard.unref();
    return controller;
  }
}
