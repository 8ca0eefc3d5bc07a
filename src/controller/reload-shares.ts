/**
 * When a namespace may cause a reload of nginx (docs/adr/reloads.md). A reload leaves a generation of workers behind, which drains until its
 * last connection ends. All namespaces share the few that may drain at once.
 */
import type { Draining } from "../output/control-client.js";

/** Reloads of a namespace whose old workers may drain before it waits: three, but one for what can wait without harm. */
const FREE = { prompt: 3, patient: 1 };
/** Milliseconds since the last reload of the namespace. */
const SHORT_WAIT = 1000;
const LONG_WAIT = 60_000;
/** Milliseconds after which old workers that do not drain are gone: right after a reload they may not know yet that they are old. */
const BEGINNING = 10_000;

/** Namespaces that caused a reload, by changes that can wait without harm and by others. */
export type Causes = Readonly<Record<keyof typeof FREE, readonly string[]>>;

interface Reload {
  /** The generation of workers that it replaced; undefined: nginx refused it. */
  readonly replaced: number | undefined;
  readonly at: number;
  readonly causes: Causes;
  /** It counts until then, although its old workers drain no longer: they were ended before their time, or there are none. */
  countedUntil: number;
}

export class ReloadShares {
  readonly #drainTimeout: number;
  readonly #now: () => number;
  /** Those that may count, oldest first. */
  #reloads: readonly Reload[] = [];

  /** `drainTimeout`, `now`: milliseconds. */
  constructor(drainTimeout: number, now: () => number = () => performance.now()) {
    this.#drainTimeout = drainTimeout;
    this.#now = now;
  }

  /**
   * Milliseconds until the namespace may cause a reload. Its first one never waits. Further ones wait if it has had its own, or as much as
   * is left for all: so a few namespaces that take turns don't end everybody's old workers. Cluster-scoped objects (`""`) belong to the
   * operator and never wait. A reload for what can wait costs nothing of the share for other changes.
   */
  wait(namespace: string, urgency: keyof Causes, { generations, most }: Draining): number {
    if (namespace === "") return 0;
    const own = this.#reloads.filter(
      ({ causes: { prompt, patient } }) =>
        prompt.includes(namespace) || (urgency === "patient" && patient.includes(namespace)),
    );
    const { length } = own.filter((reload) => this.#counts(reload, generations));
    const free = Math.max(1, Math.min(FREE[urgency], most - generations.length));
    const wait = length < free ? SHORT_WAIT : LONG_WAIT;
    return Math.max(0, Math.ceil((own.at(-1)?.at ?? -Infinity) + wait - this.#now()));
  }

  /** nginx was reloaded because of these namespaces. `draining`: before the reload. */
  reloaded(replaced: number, causes: Causes, { generations, most }: Draining): void {
    const now = this.#now();
    const isEnded = generations.length >= most;
    for (const reload of this.#reloads)
      if (isEnded && reload.replaced === generations[0])
        reload.countedUntil = reload.at + this.#drainTimeout;
    const left = this.#reloads.filter(
      (reload) =>
        (this.#counts(reload, generations) || now < reload.at + BEGINNING) &&
        !(
          reload.replaced === undefined &&
          reload.causes.prompt.every((each) => causes.prompt.includes(each))
        ),
    );
    this.#reloads = [...left, { replaced, at: now, causes, countedUntil: now }];
  }

  /** nginx refused a reload because of the namespace, which waits as if workers drained. */
  refused(namespace: string): void {
    const at = this.#now();
    const reload = {
      ...{ replaced: undefined, causes: { prompt: [namespace], patient: [] } },
      ...{ at, countedUntil: at + this.#drainTimeout },
    };
    this.#reloads = [...this.#reloads, reload];
  }

  #counts({ replaced, countedUntil }: Reload, generations: readonly number[]): boolean {
    const drains = replaced !== undefined && generations.includes(replaced);
    return drains || this.#now() < countedUntil;
  }
}
