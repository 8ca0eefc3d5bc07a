/** What is known of the objects that were made: as our last write left them, and what a watch has told since. */
import type { FoundObject } from "./owned-object-client.js";

export interface Made {
  /** What was applied; empty when it was only found. */
  readonly text: string;
  readonly found: FoundObject;
  /** Those that our own writes gave. */
  readonly versions: ReadonlySet<string>;
}

/** A version; undefined when it is gone, or nothing is sure. */
interface News {
  readonly version: string | undefined;
  /** The clock's time when it is looked into. */
  readonly due: number;
}

export class MadeObjects {
  readonly #made = new Map<string, Made>();
  readonly #news = new Map<string, News>();

  get(key: string): Made | undefined {
    return this.#made.get(key);
  }

  /** A copy: entries may go while it is walked. */
  get entries(): readonly (readonly [string, Made])[] {
    return [...this.#made];
  }

  set(key: string, made: Made): void {
    this.#made.set(key, made);
    if (!this.isStale(key)) this.#news.delete(key);
  }

  delete(key: string): void {
    this.#made.delete(key);
    this.#news.delete(key);
  }

  /** These and no others. */
  reset(found: ReadonlyMap<string, FoundObject>): void {
    this.#made.clear();
    this.#news.clear();
    for (const [key, one] of found)
      this.#made.set(key, { text: "", found: one, versions: new Set([one.version]) });
  }

  /** False when it is a version that we have written. What is told again and again is due no later for it. */
  hear(key: string, version: string | undefined, due: number): boolean {
    this.#news.set(key, { version, due: Math.min(this.#news.get(key)?.due ?? due, due) });
    const isNews = this.isStale(key);
    if (!isNews) this.#news.delete(key);
    return isNews;
  }

  /** It is looked at now. */
  looked(key: string): void {
    this.#news.delete(key);
  }

  /** Somebody else has changed or removed it since. */
  isStale(key: string): boolean {
    const news = this.#news.get(key);
    if (news === undefined) return false;
    return news.version === undefined || this.#made.get(key)?.versions.has(news.version) !== true;
  }

  isDue(key: string, now: number): boolean {
    return this.isStale(key) && (this.#news.get(key)?.due ?? now) <= now;
  }

  /** When what is stale is to be looked into. */
  get stale(): readonly (readonly [key: string, due: number])[] {
    return [...this.#news].flatMap(([key, { due }]) => (this.isStale(key) ? [[key, due]] : []));
  }

  /** News of others is forgotten. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#news.keys()) if (!keys.has(key)) this.#news.delete(key);
  }
}
