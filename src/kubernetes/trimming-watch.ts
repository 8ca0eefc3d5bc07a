import type { KubeConfig } from "@kubernetes/client-node";
import { Watch } from "@kubernetes/client-node";

/** Milliseconds. */
export interface WatchLimits {
  /** After this a watch that the API server should have ended is dead: nobody may be at the other end. */
  readonly life: number;
  /** In this time the API server must begin its answer. */
  readonly answer: number;
  /** A watch that ends sooner than this is begun again only after as long a pause. */
  readonly shortest: number;
}

/** Seconds after which the API server ends a watch, and we begin the next. */
const WATCH_SECONDS = 290;
const LIMITS: WatchLimits = {
  life: (WATCH_SECONDS + 20) * 1000,
  answer: 30_000,
  shortest: 1000,
};

type WatchCallback = Parameters<Watch["watch"]>[2];
type DoneCallback = Parameters<Watch["watch"]>[3];
type QueryParameters = Parameters<Watch["watch"]>[1];

/** client-node lists everything again. */
class HistoryUnknown extends Error {
  readonly statusCode = 410;
}

/**
 * client-node's Watch with bookmarks, with an end to watches whose connection died unseen or whose answer never comes, without a hot
 * loop against a server that ends them at once, and with objects cut down before anybody keeps them.
 *
 * After an API server that could not be reached nobody knows whether its history is the one that was watched: it may have been put
 * back to an older state, and a watch from a version that it has not come to is silent. So everything is listed then.
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

  /** Does not reject; `done` is called once, perhaps before it resolves. */
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
    let isAnswered = false;
    const turn = new Turn((error: unknown) => {
      this.#wasAway = error !== null && !isAnswered;
      done(error);
    }, this.#limits.shortest);
    const parameters = { ...query, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS };
    const began = super.watch(
      path,
      parameters,
      (phase, object: unknown) => {
        const isObject = phase === "ADDED" || phase === "MODIFIED" || phase === "DELETED";
        if (!turn.isOver) callback(phase, isObject ? this.#trim(object) : object);
      },
      (error: unknown) => {
        turn.end(error);
      },
    );
    const controller = await this.#answerOf(began, turn);
    isAnswered = true;
    turn.guard(controller, this.#limits.life);
    return controller;
  }

  /** Resolves when the answer has begun, or never will: then the turn is over. */
  async #answerOf(began: Promise<AbortController>, turn: Turn): Promise<AbortController> {
    const late = setTimeout(() => {
      turn.end(new Error("the API server does not answer"));
    }, this.#limits.answer);
    late.unref();
    began.then(
      (controller) => {
        // Nobody waits for it any more.
        if (turn.isOver) controller.abort();
      },
      (error: unknown) => {
        turn.end(error);
      },
    );
    const none = turn.over.then(() => new AbortController());
    const controller = await Promise.race([began.catch(() => none), none]);
    clearTimeout(late);
    return controller;
  }
}

/** One watch, which ends once. */
class Turn {
  readonly #done: DoneCallback;
  readonly #shortest: number;
  readonly #began = performance.now();
  #guard: NodeJS.Timeout | undefined;
  #isOver = false;
  #onOver: () => void = () => undefined;
  readonly over = new Promise<void>((resolve) => (this.#onOver = resolve));

  constructor(done: DoneCallback, shortest: number) {
    this.#done = done;
    this.#shortest = shortest;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  guard(controller: AbortController, life: number): void {
    if (this.#isOver) return;
    this.#guard = setTimeout(() => {
      controller.abort();
    }, life);
    this.#guard.unref();
  }

  end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#guard);
    this.#onOver();
    const pause = error === null ? this.#shortest - (performance.now() - this.#began) : 0;
    if (pause <= 0) this.#done(error);
    else setTimeout(() => this.#done(error), pause).unref();
  }
}
