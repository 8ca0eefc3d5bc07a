/**
 * An object because of which nginx refuses its configuration costs only itself: it is found by testing configurations without some of the
 * objects (`nginx -t`), and closed. Meanwhile everything but nginx.conf changes as usual (Applier).
 */
import type { KubernetesObject } from "../api/wire.js";
import {
  BY_KIND,
  type Entry,
  ROUTING_KINDS,
  type RoutingResources,
  entriesOf,
} from "../input/resources.js";
import type { CompileOptions, RefusedObject } from "../model/options.js";
import { NginxRefused } from "../output/reloader.js";
import { failingAmong, searchedInTurns } from "../support/halving.js";
import type { Log } from "../support/log.js";

/** Searches one after another; each closes objects of one kind. An object may need two: its closed form may be refused, too. */
const MOST_SEARCHES = 40;
/** Tries of a search for objects of one kind, besides log2 of the number of objects; each is a compilation and an `nginx -t`. */
const MOST_PARTS = 200;
/** Milliseconds since a refusal in which no further version of an object is tried that was refused twice: others wait for each search. */
const PAUSE = 60_000;

interface Closing {
  readonly refused: RefusedObject;
  /** As nginx refused it: a changed one is tried again. */
  readonly object: KubernetesObject;
  /** The clock's time. */
  readonly at: number;
  /** An earlier version was refused less than PAUSE before. */
  readonly isAgain: boolean;
}

export class NginxRefusals<R extends RoutingResources> {
  readonly #log: Log;
  readonly #test: (resources: R, options: CompileOptions) => Promise<void>;
  readonly #now: () => number;
  #closed: readonly Closing[] = [];

  /** `test`: compiles and tests. Throws NginxRefused. `now`: milliseconds. */
  constructor(
    log: Log,
    test: (resources: R, options: CompileOptions) => Promise<void>,
    now: () => number = () => performance.now(),
  ) {
    this.#log = log;
    this.#test = test;
    this.#now = now;
  }

  /** For CompileOptions. */
  among(resources: R): readonly RefusedObject[] {
    return this.#closed
      .filter((closing) => {
        const object = current(resources, closing);
        return object !== undefined && (object === closing.object || this.#rests(closing));
      })
      .map(({ refused }) => refused);
  }

  /** Milliseconds until a version that was not tried is; undefined: there is none. */
  held(resources: R): number | undefined {
    const waits = this.#closed
      .filter((closing) => closing.object !== current(resources, closing) && this.#rests(closing))
      .map(({ at }) => at + PAUSE - this.#now());
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /** Closes what nginx refuses; false: no object is to blame. Throws what compiling throws. */
  async search(resources: R, options: CompileOptions): Promise<boolean> {
    const entries = entriesOf(resources);
    this.#closed = this.#closed.filter(
      (closing) => closing.object === current(resources, closing) || this.#isRecent(closing),
    );
    if ((await this.#refusal(resources, options, entries, [])) !== undefined) return false;
    for (let count = 0; count < MOST_SEARCHES; count += 1) {
      const reason = await this.#refusal(resources, options, entries);
      if (reason === undefined) return count > 0;
      const search = failingAmong(entries, { ...BY_KIND, mostParts: MOST_PARTS });
      const found = await searchedInTurns(
        search,
        async (kept) => (await this.#refusal(resources, options, entries, kept)) !== undefined,
      );
      for (const { object } of found) this.#close(object, reason);
    }
    return true;
  }

  #close(object: KubernetesObject, reason: string): void {
    const { kind, metadata } = object;
    const { namespace, name } = metadata;
    const before = this.#closed.find(({ refused }) => isOf(refused, object));
    const isLeftOut = before?.object === object;
    const isAgain = before !== undefined && (before.isAgain || !isLeftOut);
    const closing = {
      ...{ refused: { kind, namespace, name, reason, isLeftOut }, object },
      ...{ at: this.#now(), isAgain },
    };
    this.#closed = [...this.#closed.filter((each) => each !== before), closing];
    if (isLeftOut) return;
    this.#log.error(
      { object: `${kind} ${namespace}/${name}`, reason },
      isAgain
        ? "nginx refuses its configuration because of this object again, which stays closed for a minute"
        : "nginx refuses its configuration because of this object, which is closed",
    );
  }

  #isRecent({ at }: Closing): boolean {
    return this.#now() < at + PAUSE;
  }

  #rests(closing: Closing): boolean {
    return closing.isAgain && this.#isRecent(closing);
  }

  /** Why nginx refuses a configuration of the entries that are kept; undefined if it does not. */
  async #refusal(
    resources: R,
    options: CompileOptions,
    entries: readonly Entry[],
    kept: readonly Entry[] = entries,
  ): Promise<string | undefined> {
    const those = new Set(kept);
    const left = entries.filter((entry) => !those.has(entry)).map(leftOut);
    const refusedObjects = [...this.among(resources), ...left];
    try {
      await this.#test(resources, { ...options, refusedObjects });
      return undefined;
    } catch (error: unknown) {
      if (!(error instanceof NginxRefused)) throw error;
      const isPort = error.unavailablePorts.length + error.blockedPorts.length > 0;
      return isPort ? undefined : error.message;
    }
  }
}

function leftOut({ object: { kind, metadata } }: Entry): RefusedObject {
  const { namespace, name } = metadata;
  return { kind, namespace, name, reason: "", isLeftOut: true };
}

function isOf({ kind, namespace, name }: RefusedObject, other: KubernetesObject): boolean {
  const { metadata } = other;
  return kind === other.kind && namespace === metadata.namespace && name === metadata.name;
}

/** The object's version of now. */
function current(
  resources: RoutingResources,
  { refused: { kind, namespace, name } }: Closing,
): KubernetesObject | undefined {
  const routing = ROUTING_KINDS.find((each) => each === kind);
  return routing && resources.get(routing, namespace, name);
}
