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

interface Closing {
  readonly refused: RefusedObject;
  /** As nginx refused it: a changed one is tried again. */
  readonly object: KubernetesObject;
}

export class NginxRefusals<R extends RoutingResources> {
  readonly #log: Log;
  readonly #test: (resources: R, options: CompileOptions) => Promise<void>;
  #closed: readonly Closing[] = [];

  /** `test`: compiles and tests. Throws NginxRefused. */
  constructor(log: Log, test: (resources: R, options: CompileOptions) => Promise<void>) {
    this.#log = log;
    this.#test = test;
  }

  /** For CompileOptions. */
  among(resources: R): readonly RefusedObject[] {
    return this.#closed
      .filter(({ object }) => isAmong(resources, object))
      .map(({ refused }) => refused);
  }

  /** Closes what nginx refuses; false: no object is to blame. Throws what compiling throws. */
  async search(resources: R, options: CompileOptions): Promise<boolean> {
    const entries = entriesOf(resources);
    this.#closed = this.#closed.filter(({ object }) => isAmong(resources, object));
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
    const before = this.#closed.find((each) => each.object === object);
    const isLeftOut = before !== undefined;
    const refused = { kind, namespace: metadata.namespace, name: metadata.name, reason, isLeftOut };
    this.#closed = [...this.#closed.filter((each) => each !== before), { refused, object }];
    if (before !== undefined) return;
    const name = `${kind} ${metadata.namespace}/${metadata.name}`;
    this.#log.error(
      { object: name, reason },
      "nginx refuses its configuration because of this object, which is closed",
    );
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

function isAmong(resources: RoutingResources, object: KubernetesObject): boolean {
  const kind = ROUTING_KINDS.find((each) => each === object.kind);
  const { namespace, name } = object.metadata;
  return kind !== undefined && resources.get(kind, namespace, name) === object;
}
