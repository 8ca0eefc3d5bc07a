import type { KubeConfig } from "@kubernetes/client-node";
import { Watch } from "@kubernetes/client-node";

/** Seconds after which the API server ends a watch, and we begin the next. */
const WATCH_SECONDS = 290;
/** Milliseconds. */
export interface WatchLimits {
  /** After this a watch that the API server should have ended is dead: nobody may be at the other end. */
  readonly dead: number;
  /** In this time the API server must begin its answer. */
  readonly answer: number;
  /** A watch that ends sooner than this is begun again only after as long a pause. */
  readonly shortest: number;
}
const LIMITS: WatchLimits = {
  dead: (WATCH_SECONDS + 20) * 1000,
  answer: 30_000,
  shortest: 1000,
};
const GONE = 410;

type WatchCallback = Parameters<Watch["watch"]>[2];
type DoneCallback = Parameters<Watch["watch"]>[3];
type QueryParameters = Parameters<Watch["watch"]>[1];

/** Expired: client-node lists everything again. */
class HistoryUnknown extends Error {
  readonly statusCode = GONE;
}

/**
 * client-node's Watch with bookmarks, with an end to watches whose connection died unseen or whose answer never comes, without a hot
 * loop against a server that ends them at once, and with objects cut down before anybody keeps them.
 *
 * After an API server that could not be reached nobody knows whether its history is the one that was watched: it may have been put
 * back to an older state, and a watch from a version of its future would be silent. So everything is listed then.
 */
export class TrimmingWatch extends Watch {
  readonly #trim: (object: unknown) => unknown;
  readonly #limits: WatchLimits;
  #wasAway = false;

  constructor(
    config: KubeConfig,
    trim: (object: unknown) => unknown,
    limits: WatchLimits = LIMITS,
  ) {
    super(config);
    this.#trim = trim;
    this.#limits = limits;
  }

  override async watch(
    path: string,
    query: QueryParameters,
    callback: WatchCallback,
    done: DoneCallback,
  ): Promise<AbortController> {
    if (this.#wasAway) {
      this.#wasAway = false;
      done(new HistoryUnknown());
      return new AbortController();
    }
    const { dead, answer, shortest } = this.#limits;
    const began = performance.now();
    let guard: NodeJS.Timeout | undefined;
    let isAnswered = false;
    let isOver = false;
    const end = (error: unknown): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(guard);
      this.#wasAway ||= !isAnswered && error !== null;
      const pause = error === null ? shortest - (performance.now() - began) : 0;
      if (pause <= 0) done(error);
      else setTimeout(() => done(error), pause).unref();
    };
    const asked = super.watch(
      path,
      { ...query, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS },
      (phase, object: unknown) => {
        if (isOver) return;
        const isObject = phase === "ADDED" || phase === "MODIFIED" || phase === "DELETED";
        callback(phase, isObject ? this.#trim(object) : object);
      },
      end,
    );
    const late = afterwards(answer);
    const controller = await Promise.race([asked, late.passed]);
    late.cancel();
    isAnswered = true;
    if (controller === undefined) return giveUp(asked, end, answer);
    guard = setTimeout(() => controller.abort(), dead);
    guard.unref();
    return controller;
  }
}
