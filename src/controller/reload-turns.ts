/**
 * What nginx may load now. While the changes of a namespace wait for a reload (ReloadShares), nginx.conf is made of that namespace's objects
 * as they were loaded last and of everything else as it is; the policy and secrets are the newest. So no other namespace waits.
 */
import type { EndpointSlice } from "../api/wire.js";
import type { ObjectDifference, Resources } from "../input/resources.js";
import type { Applied } from "../output/apply.js";
import type { Draining } from "../output/control-client.js";
import {
  isSameConfiguration,
  needsReload,
  withNewestPolicy,
} from "../output/kept-configuration.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { differInUnreadOnly } from "../status/object-status.js";
import { groupBy } from "../support/collections.js";
import type { Causes, ReloadShares } from "./reload-shares.js";

/** A namespace whose changes wait, as far as they need a reload. */
export interface Waiting {
  readonly namespace: string;
  /** Milliseconds. */
  readonly wait: number;
  /** `patient`: nginx serves as well without the changes. They go along with the next reload, and are no reason for a warning. */
  readonly urgency: keyof Causes;
  readonly changes: readonly ObjectDifference[];
}

export interface Plan<C> {
  readonly files: readonly RenderedFile[];
  /** What nginx.conf is from: its statuses are true once the files are served. */
  readonly loadable: C;
  readonly waiting: readonly Waiting[];
  /** To be called when the files are applied. */
  readonly applied: (applied: Pick<Applied, "replaced">) => void;
  /** To be called if nginx refuses them. True: the next plan is another one, which may succeed at once. */
  readonly refused: () => boolean;
}

interface Compiled {
  readonly files: readonly RenderedFile[];
}

interface Loaded extends Compiled {
  readonly resources: Resources;
}

/** A configuration with the changes of some namespaces. */
interface Choice<C> {
  readonly resources: Resources;
  readonly loadable: C;
  /** Namespaces without their changes. */
  readonly held: readonly string[];
  /** Namespaces because of which it needs a reload. */
  readonly causes: readonly string[];
}

/** Namespaces with changes, and those of them that wait. */
interface Turn {
  readonly changed: readonly Waiting[];
  readonly waiting: readonly Waiting[];
  readonly draining: Draining;
}

const NO_TURN: Turn = { changed: [], waiting: [], draining: { generations: [], most: 0 } };

/** Compilations to find the namespaces that cause a reload. */
const MOST_TESTS = 16;

export class ReloadTurns {
  readonly #shares: ReloadShares;
  readonly #draining: () => Promise<Draining>;
  readonly #isolates: boolean;
  #loaded: Loaded | undefined;
  /** Namespaces whose changes nginx refused together, and how many of them are tried together. */
  readonly #suspects = new Set<string>();
  #mostTried = 1;

  constructor(options: {
    readonly shares: ReloadShares;
    readonly draining: () => Promise<Draining>;
    /** The namespace to blame for a refusal is found by trying, and waits: nothing finds the object. */
    readonly isolates: boolean;
  }) {
    this.#shares = options.shares;
    this.#draining = options.draining;
    this.#isolates = options.isolates;
  }

  /** nginx has loaded this, or nothing is served and it is as good as loaded. */
  start(loaded: Loaded): void {
    this.#loaded = { ...loaded, files: loaded.files.filter(needsReload) };
  }

  /** `newest`: compiled from the resources. `compile`: compiles others. */
  async plan<C extends Compiled>(
    resources: Resources,
    newest: C,
    compile: (resources: Resources) => Promise<C>,
  ): Promise<Plan<C>> {
    const loaded = this.#loaded;
    const whole = { resources, loadable: newest, held: [], causes: [] };
    if (loaded === undefined || isSameConfiguration(newest.files, loaded.files))
      return this.#planned(whole, newest);
    const draining = await this.#draining();
    const changed = [...changesByNamespace(resources, loaded.resources)].map(
      ([namespace, changes]): Waiting => {
        const isPatient = canWait(namespace, changes, resources, loaded.resources);
        const urgency = isPatient ? "patient" : "prompt";
        const wait = this.#shares.wait(namespace, urgency, draining);
        return { namespace, changes, wait, urgency };
      },
    );
    const names = changed.map(({ namespace }) => namespace);
    const without = async (held: readonly string[]): Promise<Choice<C>> => {
      const mixed = resources.keeping(loaded.resources, new Set(held));
      const loadable = held.length === 0 ? newest : await compile(mixed);
      const isReload = !isSameConfiguration(loadable.files, loaded.files);
      const causes = isReload ? names.filter((name) => !held.includes(name)) : [];
      return { resources: mixed, loadable, held, causes };
    };
    const chosen = await this.#choose(changed, without);
    const causes = await culprits(chosen.causes, names, without);
    // What is held may need no reload.
    const isWhole = isSameConfiguration(chosen.loadable.files, newest.files);
    const choice = { ...chosen, ...(isWhole && whole), causes };
    const waiting = changed.filter(({ namespace }) => choice.held.includes(namespace));
    return this.#planned(choice, newest, { waiting, changed, draining });
  }

  /**
   * Suspects are tried when nothing else needs a reload, so that they spoil no other change. What is patient goes along with any other
   * reload.
   */
  async #choose<C>(
    changed: readonly Waiting[],
    without: (held: readonly string[]) => Promise<Choice<C>>,
  ): Promise<Choice<C>> {
    const isSuspect = ({ namespace }: Waiting): boolean => this.#suspects.has(namespace);
    const held = changed.filter((each) => each.wait > 0 || isSuspect(each)).map(nameOf);
    const chosen = await without(held);
    if (chosen.causes.length > 0) {
      const left = changed.filter(
        (each) => isSuspect(each) || (each.wait > 0 && each.urgency === "prompt"),
      );
      if (left.length === held.length) return chosen;
      return { ...(await without(left.map(nameOf))), causes: chosen.causes };
    }
    const due = changed.filter((each) => each.wait === 0 && isSuspect(each)).map(nameOf);
    if (due.length === 0) return chosen;
    const tried = new Set(due.slice(0, this.#mostTried));
    return without(held.filter((name) => !tried.has(name)));
  }

  #planned<C extends Compiled>(
    { resources, loadable, causes }: Choice<C>,
    newest: C,
    { waiting, changed, draining }: Turn = NO_TURN,
  ): Plan<C> {
    return {
      files: loadable === newest ? newest.files : withNewestPolicy(loadable.files, newest.files),
      ...{ loadable, waiting },
      applied: ({ replaced }) => {
        if (replaced !== undefined)
          this.#shares.reloaded(replaced, byUrgency(changed, causes), draining);
        this.start({ resources, files: loadable.files });
        for (const name of causes) this.#suspects.delete(name);
        if (causes.length > 0) this.#mostTried *= 2;
      },
      refused: () => this.#isolates && this.#refused(causes),
    };
  }

  #refused(causes: readonly string[]): boolean {
    for (const name of causes) this.#suspects.add(name);
    this.#mostTried = Math.max(1, Math.floor(causes.length / 2));
    const [only] = causes;
    if (only !== undefined && causes.length === 1) this.#shares.refused(only);
    return causes.length > 0;
  }
}

function changesByNamespace(
  now: Resources,
  loaded: Resources,
): ReadonlyMap<string, readonly ObjectDifference[]> {
  const changes = now.changesSince(loaded);
  const read = changes.filter(
    (each) => !each.before || !each.now || !differInUnreadOnly(each.kind, each.before, each.now),
  );
  return groupBy(read, ({ namespace }) => namespace);
}

/** Endpoints that nginx can do without for now: see `isKnown`. */
function canWait(
  namespace: string,
  changes: readonly ObjectDifference[],
  now: Resources,
  loaded: Resources,
): boolean {
  return (
    changes.every(({ kind }) => kind === "EndpointSlice") &&
    now.slices
      .differences(loaded.slices)
      .filter((service) => service.namespace === namespace)
      .every(({ name }) =>
        isKnown(now.slices.get(namespace, name) ?? [], loaded.slices.get(namespace, name) ?? []),
      )
  );
}

/**
 * Whether nginx knows all endpoints, or at least two, so that it has one while the other is replaced. Connections go to the next endpoint if
 * one is gone; datagrams don't.
 */
function isKnown(now: readonly EndpointSlice[], loaded: readonly EndpointSlice[]): boolean {
  const ports = [...now, ...loaded].flatMap((slice) => slice.ports ?? []);
  if (ports.some(({ protocol }) => protocol === "UDP")) return false;
  const known = new Set(loaded.flatMap(readyEndpoints));
  const all = now.flatMap(readyEndpoints);
  const still = all.filter((endpoint) => known.has(endpoint)).length;
  return still === all.length || still >= 2;
}

function readyEndpoints({ endpoints, ports }: EndpointSlice): readonly string[] {
  const where = JSON.stringify(ports);
  return endpoints.flatMap(({ addresses: [address = ""], conditions }) =>
    (conditions?.ready ?? true) ? [`${address} ${where}`] : [],
  );
}

/**
 * Those of the causes because of whose changes alone a reload is needed, found by halving; a half that would take too many tests counts as a
 * whole.
 */
async function culprits(
  causes: readonly string[],
  changed: readonly string[],
  without: (held: readonly string[]) => Promise<Pick<Choice<unknown>, "causes">>,
): Promise<readonly string[]> {
  if (causes.length < 2) return causes;
  let tests = 0;
  const among = async (group: readonly string[]): Promise<readonly string[]> => {
    if (group.length === 0 || tests >= MOST_TESTS) return group;
    tests += 1;
    const alone = await without(changed.filter((other) => !group.includes(other)));
    if (alone.causes.length === 0) return [];
    return group.length === 1 ? group : halves(group);
  };
  const halves = async (group: readonly string[]): Promise<readonly string[]> => {
    const middle = Math.ceil(group.length / 2);
    return [...(await among(group.slice(0, middle))), ...(await among(group.slice(middle)))];
  };
  const found = await halves(causes);
  return found.length === 0 ? causes : found;
}

function byUrgency(changed: readonly Waiting[], causes: readonly string[]): Causes {
  const own = changed.filter(({ namespace }) => causes.includes(namespace));
  const of = (wanted: keyof Causes): readonly string[] =>
    own.filter(({ urgency }) => urgency === wanted).map(nameOf);
  return { prompt: of("prompt"), patient: of("patient") };
}

function nameOf({ namespace }: Waiting): string {
  return namespace;
}
