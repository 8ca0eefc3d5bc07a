import { isFree } from "../output/port-probe.js";

/** The ports that nginx could not listen on, for CompileOptions; they are left out until they are free. */
export class UnavailablePorts {
  #places: readonly string[] = [];

  get places(): readonly string[] {
    return this.#places;
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
    for (const place of this.#places) if (!(await isFree(place))) taken.push(place);
    const isFewer = taken.length < this.#places.length;
    this.#places = taken;
    return isFewer;
  }
}
