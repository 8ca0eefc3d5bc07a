import { isFree } from "../output/port-probe.js";

/** The ports that nginx could not listen on, for CompileOptions; they are left out until they are free. */
export class UnavailablePorts {
  #places: readonly string[] = [];
  /** Left out of one reload only: it closes a socket of nginx itself that is in their way. */
  #blocked: readonly string[] = [];
  /** Where nginx listens. */
  #own: readonly string[] = [];

  get places(): readonly string[] {
    return [...new Set([...this.#places, ...this.#blocked])].sort();
  }

  /** Some are left out that the next reload has. */
  get isInterim(): boolean {
    return this.#blocked.length > 0;
  }

  block(places: readonly string[]): void {
    this.#blocked = places;
  }

  listens(places: readonly string[]): void {
    this.#own = places;
  }

  /** False when all of them were known: leaving them out did not help. */
  add(places: readonly string[]): boolean {
    const all = [...new Set([...this.#places, ...places])].sort();
    const grew = all.length > this.#places.length;
    this.#places = all;
    return grew;
  }

  /** Forgets those that are free now; true when there are some. */
  async release(): Promise<boolean> {
    const taken: string[] = [];
    for (const place of this.#places) if (!(await isFree(place, this.#own))) taken.push(place);
    const isFewer = taken.length < this.#places.length;
    this.#places = taken;
    return isFewer;
  }
}
