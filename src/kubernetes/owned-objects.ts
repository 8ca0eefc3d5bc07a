/**
 * Makes the objects that belong to users' objects as they are to be, and keeps them so: what others set in them stays, what others take
 * away comes back. The API server removes them with their owners.
 */
import type { OwnedObject } from "../status/owned-object.js";
import { MadeObjects } from "./made-objects.js";
import type { MakerPauses, ObjectMakerOptions, Outcome } from "./object-maker.js";
import { keyOf, objectKey, ObjectMaker } from "./object-maker.js";
import type { FoundObject } from "./owned-object-client.js";
import { RetryTimes } from "./retry-times.js";

export interface OwnedObjectsOptions extends ObjectMakerOptions {
  /** Where it may look for what was made; none: everywhere. */
  readonly namespaces: readonly string[];
  /** Asked before each object, see StatusWriter. */
  readonly mayWrite: () => boolean;
  /** For tests. */
  readonly pauses?: Pauses;
}

/** Milliseconds. */
export interface Pauses extends MakerPauses {
  /** Before what somebody has changed is put right: who insists is not raced. */
  readonly changed: number;
  /** No pause gets longer, however often it is doubled. */
  readonly longest: number;
}

const PAUSES: Pauses = { failed: 1000, refused: 10_000, changed: 1000, longest: 300_000 };
/** Milliseconds between two looks, whatever is due. */
const SHORTEST = 50;
/** Stands for the looking for what was made, among the objects. */
const LIST = "what was made before";

export class OwnedObjects {
  readonly #options: OwnedObjectsOptions;
  readonly #pauses: Pauses;
  readonly #made = new MadeObjects();
  readonly #retries: RetryTimes;
  readonly #maker: ObjectMaker;
  /** Undefined until it is known: all else that was made goes. */
  #desired: readonly OwnedObject[] | undefined;
  #enabled = false;
  #listed = false;
  /** Being made, so that not even its first version is known. */
  #underWay = "";
  #running: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OwnedObjectsOptions) {
    this.#options = options;
    this.#pauses = options.pauses ?? PAUSES;
    this.#retries = new RetryTimes(this.#pauses.longest);
    const state = { made: this.#made, retries: this.#retries, pauses: this.#pauses };
    this.#maker = new ObjectMaker(options, state);
  }

  /** All that is to be. What is not among them any more, though its owner lives, goes. */
  update(objects: readonly OwnedObject[]): void {
    this.#desired = objects;
    this.#run();
  }

  /** Whether this replica writes. If so, what was made by whom wrote before is looked for. */
  enable(enabled: boolean): void {
    this.#enabled = enabled;
    this.#listed = false;
    clearTimeout(this.#timer);
    this.#run();
  }

  /** An object as a watch tells of it: its version, undefined when it is gone. */
  observe(kind: string, namespace: string, name: string, version: string | undefined): void {
    if (!this.#enabled) return;
    const key = objectKey(kind, namespace, name);
    const isGone = version === undefined;
    const isAwaited = isGone && this.#retries.has(key);
    if (this.#made.get(key) === undefined && key !== this.#underWay && !isAwaited) return;
    if (!this.#made.hear(key, version, performance.now() + this.#pauses.changed)) return;
    if (isGone) this.#retries.forget(key);
    if (this.#running === undefined) this.#wake();
  }

  /** Whose names are somebody else's. */
  get refused(): readonly OwnedObject[] {
    return this.#maker.refused;
  }

  async close(): Promise<void> {
    this.#enabled = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#again = true;
    if (!this.#enabled || this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = this.#reconcile().finally(() => {
      this.#running = undefined;
      if (this.#again) this.#run();
      else this.#wake();
    });
  }

  /** Runs when the first of what waits is due. */
  #wake(): void {
    clearTimeout(this.#timer);
    if (!this.#enabled || this.#desired === undefined) return;
    let next = this.#retries.next ?? Infinity;
    for (const [key, due] of this.#made.stale)
      if (!this.#retries.has(key)) next = Math.min(next, due);
    if (next === Infinity) return;
    const pause = Math.max(SHORTEST, next - performance.now());
    this.#timer = setTimeout(() => {
      this.#run();
    }, pause);
    this.#timer.unref();
  }

  async #reconcile(): Promise<void> {
    this.#again = false;
    const desired = this.#desired;
    if (desired === undefined || !this.#mayWrite()) return;
    if (!this.#listed) await this.#adopt();
    const outcomes = new Map<string, Outcome>();
    for (const object of desired) {
      if (!this.#mayWrite()) return;
      const key = keyOf(object);
      this.#underWay = key;
      outcomes.set(key, await this.#maker.settle(object, requiredOf(object, outcomes)));
      this.#underWay = "";
    }
    for (const [key, { found }] of this.#made.entries) {
      if (!this.#mayWrite()) return;
      const outcome = outcomes.get(key);
      if (outcome === undefined || outcome === "refused") await this.#maker.remove(key, found);
    }
    const left = this.#made.entries.map(([key]) => key);
    const known = new Set([...outcomes.keys(), ...left, LIST]);
    this.#made.keepOnly(known);
    this.#retries.keepOnly(known);
    this.#maker.keepOnly(known);
  }

  #mayWrite(): boolean {
    return this.#enabled && this.#options.mayWrite();
  }

  /** Takes over what was made before this replica led, for owners that live. */
  async #adopt(): Promise<void> {
    if (this.#retries.mustWait(LIST, "")) return;
    const { client, namespaces, uidOf, onError } = this.#options;
    const ofLiving = ({ controller, namespace }: FoundObject): boolean =>
      controller !== undefined &&
      uidOf(controller.kind, namespace, controller.name) === controller.uid;
    try {
      const found = (await client.list(namespaces)).filter(ofLiving);
      const keyed = found.map(
        (one) => [objectKey(one.kind, one.namespace, one.name), one] as const,
      );
      this.#made.reset(new Map(keyed));
      this.#retries.clear();
      this.#listed = true;
    } catch (error: unknown) {
      this.#retries.failed(LIST, "", this.#pauses.failed);
      onError(error, LIST);
    }
  }
}

/** What became of what the object requires. */
function requiredOf(
  { requires, metadata }: OwnedObject,
  outcomes: ReadonlyMap<string, Outcome>,
): Outcome {
  if (requires === undefined) return "made";
  return outcomes.get(objectKey(requires.kind, metadata.namespace, requires.name)) ?? "failed";
}
