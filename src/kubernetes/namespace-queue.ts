import { getOrInsert } from "../support/collections.js";

/** An object to be looked at. */
interface Waiting {
  readonly namespace: string;
  readonly key: string;
}

/** Keys of objects, each once. Namespaces take turns, and one with too many objects under way waits. */
export class NamespaceQueue {
  readonly #most: number;
  readonly #waiting = new Map<string, Set<string>>();
  /** By namespace: how many objects are under way. */
  readonly #busy = new Map<string, number>();

  /** `most`: objects of a namespace that are under way at once. */
  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add({ namespace, key }: Waiting): void {
    getOrInsert(this.#waiting, namespace, () => new Set()).add(key);
  }

  /** The next one, which is under way until `done`; undefined: nothing waits, or it has to go on waiting. */
  take(): Waiting | undefined {
    for (const [namespace, keys] of this.#waiting) {
      const busy = this.#busy.get(namespace) ?? 0;
      const [key] = keys;
      if (busy >= this.#most || key === undefined) continue;
      keys.delete(key);
      this.#waiting.delete(namespace);
      if (keys.size > 0) this.#waiting.set(namespace, keys);
      this.#busy.set(namespace, busy + 1);
      return { namespace, key };
    }
    return undefined;
  }

  done({ namespace }: Pick<Waiting, "namespace">): void {
    const busy = (this.#busy.get(namespace) ?? 0) - 1;
    if (busy > 0) this.#busy.set(namespace, busy);
    else this.#busy.delete(namespace);
  }
}
