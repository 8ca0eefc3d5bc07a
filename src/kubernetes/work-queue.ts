import { getOrInsert } from "../support/collections.js";

/** No further look, until the object is added again. */
export const NEVER = Infinity;
/** Objects worked on at once that are not late, and all those of one namespace. */
const CONCURRENCY = 8;
/** Milliseconds after which work is late: its slot goes to another object. */
const PATIENCE = 250;
/** Objects that are taken in one turn of the event loop. */
const MOST_LOOKS = 100;
/** Milliseconds: the shortest wait of a timer. */
const SHORTEST_WAIT = 50;

/**
 * Objects to be looked at, each once: when it is added, or at a given time. An object that is added while work on it is under way is
 * looked at again afterwards. Namespaces take turns, and one with too many objects under way waits, so that objects whose calls hang
 * delay no other namespace. Nothing is looked at until the queue is enabled.
 */
export class WorkQueue {
  readonly #options: ConstructorParameters<typeof WorkQueue>[0];
  /** Keys by namespace. The next namespace is the first one. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Number of objects under way, by namespace. */
  readonly #busy = new Map<string, number>();
  /** Objects under way: whether to look at them again. */
  readonly #underWay = new Map<string, boolean>();
  readonly #running = new Set<Promise<void>>();
  /** The clock's time of the next look. */
  readonly #due = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #timerDue = NEVER;
  #free = CONCURRENCY;
  #looks = 0;
  #turn: NodeJS.Immediate | undefined;
  #enabled = false;

  constructor(options: {
    /** Works on an object (see objectKey). Returns the clock's time (performance.now) of the next look, or NEVER. Must not throw. */
    readonly work: (key: string) => Promise<number>;
    /** Asked before each object: a replica that was paused may find that another one leads. */
    readonly mayWork: () => boolean;
  }) {
    this.#options = options;
  }

  /** `due`: the clock's time; absent: now. An object that is already waiting for an earlier time keeps that. */
  add(key: string, due = 0): void {
    if (due > performance.now()) {
      const next = Math.min(due, this.#due.get(key) ?? NEVER);
      if (next === NEVER) return;
      this.#due.set(key, next);
      this.#setTimer(next);
      return;
    }
    this.#due.delete(key);
    if (this.#underWay.has(key)) this.#underWay.set(key, true);
    else getOrInsert(this.#waiting, namespaceOf(key), () => new Set()).add(key);
    this.#begin();
  }

  enable(enabled: boolean): void {
    this.#enabled = enabled;
    this.#begin();
  }

  /** Starts nothing more; resolves when the work under way has ended. */
  async close(): Promise<void> {
    this.#enabled = false;
    clearTimeout(this.#timer);
    this.#timerDue = NEVER;
    await Promise.all(this.#running);
  }

  /** Objects that are added together are taken in one turn. */
  #begin(): void {
    if (!this.#enabled || this.#waiting.size === 0 || this.#turn !== undefined) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#looks = MOST_LOOKS;
      this.#fill();
    });
  }

  /** Starts work as long as there are objects and free slots. */
  #fill(): void {
    while (this.#enabled && this.#free > 0 && this.#looks > 0) {
      if (!this.#options.mayWork()) {
        this.#setTimer(performance.now() + PATIENCE);
        return;
      }
      const key = this.#take();
      if (key === undefined) return;
      this.#looks -= 1;
      const running = this.#run(key).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    if (this.#looks === 0) this.#begin();
  }

  /** The next object whose namespace may have another one under way. */
  #take(): string | undefined {
    for (const [namespace, keys] of this.#waiting) {
      const busy = this.#busy.get(namespace) ?? 0;
      const [key] = keys;
      if (busy >= CONCURRENCY || key === undefined) continue;
      keys.delete(key);
      this.#waiting.delete(namespace);
      if (keys.size > 0) this.#waiting.set(namespace, keys);
      this.#busy.set(namespace, busy + 1);
      return key;
    }
    return undefined;
  }

  async #run(key: string): Promise<void> {
    let slots = 1;
    const timer = setTimeout(() => {
      slots = 0;
      this.#free += 1;
      this.#fill();
    }, PATIENCE);
    this.#free -= 1;
    this.#underWay.set(key, false);
    const due = await this.#options.work(key);
    clearTimeout(timer);
    this.#free += slots;
    const namespace = namespaceOf(key);
    const busy = (this.#busy.get(namespace) ?? 0) - 1;
    if (busy > 0) this.#busy.set(namespace, busy);
    else this.#busy.delete(namespace);
    const isAddedAgain = this.#underWay.get(key) === true;
    this.#underWay.delete(key);
    this.add(key, isAddedAgain ? 0 : due);
    this.#fill();
  }

  /** Also ends a pause in which this replica may not work. */
  #setTimer(due: number): void {
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    const wait = Math.max(SHORTEST_WAIT, due - performance.now());
    this.#timer = setTimeout(() => {
      this.#timerDue = NEVER;
      this.#wake();
    }, wait).unref();
  }

  #wake(): void {
    const now = performance.now();
    for (const [key, due] of this.#due) {
      if (due > now) this.#setTimer(due);
      else this.add(key);
    }
    this.#begin();
  }
}

/** The namespace in a key such as `Ingress shop/web`. */
function namespaceOf(key: string): string {
  return key.slice(key.indexOf(" ") + 1, key.indexOf("/"));
}
