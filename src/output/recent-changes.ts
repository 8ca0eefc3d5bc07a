/** The changes that a run applied last, in changes.json of its run folder, where `albc status` and the status page find them. */
import { join } from "node:path";
import { isObject, isTexts, parseObject, present } from "../support/json-object.js";
import { readIfThere, writeChanged } from "./files.js";

export type ChangeCause =
  | "all objects" // the first configuration of a run
  | "certificate expired"
  | "nginx restarted"
  | "port became free"
  | "postponed reload";

export interface RecentChange {
  /** When it was applied, or failed: ISO 8601, UTC. */
  readonly at: string;
  /** As of `albc_config_applies_total`, without `unchanged`. */
  readonly outcome: string;
  /** From the start of compiling until every worker served it, or until it failed. */
  readonly milliseconds: number;
  /** What caused it, besides changed objects. */
  readonly cause?: ChangeCause;
  /** `<kind> <namespace>/<name>` of objects that changed since the last change that was served; none for the first configuration of a run. */
  readonly objects: readonly string[];
  /** Number of further objects. */
  readonly more: number;
  /** Of the policy that is served since then; absent if it is still the previous one. */
  readonly version?: string;
  /** Why nginx refused it, or what failed. */
  readonly reason?: string;
}

/** Changes of a namespace that wait for a reload. */
export interface WaitingChange {
  readonly namespace: string;
  /** ISO 8601, UTC. */
  readonly until: string;
  /** As in RecentChange. */
  readonly objects: readonly string[];
}

/** Which albc runs. */
export interface RunIdentity {
  readonly version: string;
  readonly pod?: string;
  readonly namespace?: string;
}

/** `variables`: of the environment, as the chart sets them. */
export function runIdentity(
  version: string,
  { POD_NAME: pod, POD_NAMESPACE: namespace }: Readonly<Record<string, string | undefined>>,
): RunIdentity {
  return { version, ...present("pod", pod), ...present("namespace", namespace) };
}

/** What of the input is not served as it is now. */
interface InputState {
  readonly waiting: readonly WaitingChange[];
  /** Files that can't be read, and those of them whose objects were never known. */
  readonly broken: readonly string[];
  readonly unreadable: readonly string[];
}

const FILE = "changes.json";
/** Each change may name objects of 300 characters, so the file stays below 150 KB. */
const MOST_KEPT = 50;
const MOST_OBJECTS = 5;
const LONGEST_REASON = 500;
/** Outcomes after which the changed objects are served. */
const SERVED = ["started", "swapped", "reloaded", "unchanged"];

/** A run folder outlives its run, so the list starts with the changes of the previous run. A file that can't be written is left out: the run goes on. */
export class RecentChanges {
  readonly #folder: string;
  readonly #mode: 0o600 | 0o640;
  readonly #changed = new Set<string>();
  #cause: ChangeCause | undefined = "all objects";
  #list: readonly RecentChange[];
  #writing: Promise<void> = Promise.resolve();
  #isDue = false;
  #input: InputState = { waiting: [], broken: [], unreadable: [] };
  readonly #run: RunIdentity;

  private constructor(
    folder: string,
    isShared: boolean,
    run: RunIdentity,
    list: readonly RecentChange[],
  ) {
    this.#folder = folder;
    this.#run = run;
    this.#mode = isShared ? 0o640 : 0o600;
    this.#list = list;
  }

  /** `isShared`: members of our group may read the list. */
  static async open(folder: string, isShared: boolean, run: RunIdentity): Promise<RecentChanges> {
    return new RecentChanges(folder, isShared, run, (await readChanges(folder)).changes);
  }

  /** These objects differ from those of the last compilation. */
  note(objects: readonly string[]): void {
    for (const object of objects) this.#changed.add(object);
  }

  /** The next change has this cause, unless one is known already. */
  because(cause: ChangeCause): void {
    this.#cause ??= cause;
  }

  /** A configuration was applied, or could not be. A failure that is repeated is one change. */
  record({
    outcome,
    reason,
    ...rest
  }: Pick<RecentChange, "outcome" | "milliseconds" | "version" | "reason">): void {
    const objects = [...this.#changed].sort((a, b) => Number(isSlice(a)) - Number(isSlice(b)));
    const change: RecentChange = {
      ...{ at: new Date().toISOString(), outcome, ...rest },
      ...(this.#cause !== undefined && { cause: this.#cause }),
      objects: objects.slice(0, MOST_OBJECTS),
      more: Math.max(0, objects.length - MOST_OBJECTS),
      ...(reason !== undefined && { reason: reason.slice(0, LONGEST_REASON) }),
    };
    const isServed = SERVED.includes(outcome);
    if (isServed) {
      this.#changed.clear();
      this.#cause = undefined;
    }
    const [last] = this.#list;
    if (outcome === "unchanged" || (!isServed && last && isSame(last, change))) return;
    this.#list = [change, ...this.#list].slice(0, MOST_KEPT);
    this.#writeLater();
  }

  /** What of the input is not served now. */
  know(input: InputState): void {
    const isSame = JSON.stringify(input) === JSON.stringify(this.#input);
    this.#input = input;
    if (!isSame) this.#writeLater();
  }

  #writeLater(): void {
    // A write that has not begun writes this change, too.
    if (this.#isDue) return;
    this.#isDue = true;
    this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    this.#isDue = false;
    const state = { run: this.#run, changes: this.#list, ...this.#input };
    const contents = `${JSON.stringify(state, null, 1)}\n`;
    const file = { path: FILE, contents, mode: this.#mode };
    await writeChanged(this.#folder, [file], { sync: false }).catch(() => undefined);
  }
}

/** Endpoints change most often, and are rarely the reason why someone looks. */
function isSlice(object: string): boolean {
  return object.startsWith("EndpointSlice ");
}

function isSame(a: RecentChange, b: RecentChange): boolean {
  const [first, second] = [a, b].map(({ outcome, reason, objects, more }) =>
    JSON.stringify([outcome, reason, objects, more]),
  );
  return first === second;
}

export interface KnownChanges extends InputState {
  readonly run?: RunIdentity;
  readonly changes: readonly RecentChange[];
}

/**
 * `changes`: newest first. None if there is no file, or if it has another form. `folder`: the run folder, or nginx's, which has a link.
 */
export async function readChanges(folder: string): Promise<KnownChanges> {
  const text = await readIfThere(join(folder, FILE)).catch(() => undefined);
  const { run, changes, waiting, broken, unreadable } = parseObject(text ?? "") ?? {};
  return {
    ...present("run", isIdentity(run) ? run : undefined),
    changes: Array.isArray(changes) ? changes.filter(isChange) : [],
    waiting: Array.isArray(waiting) ? waiting.filter(isWaiting) : [],
    broken: isTexts(broken) ? broken : [],
    unreadable: isTexts(unreadable) ? unreadable : [],
  };
}

function isIdentity(value: unknown): value is RunIdentity {
  const { version, pod = "", namespace = "" } = isObject(value) ? value : {};
  return isTexts([version, pod, namespace]);
}

function isWaiting(value: unknown): value is WaitingChange {
  const { namespace, until, objects } = isObject(value) ? value : {};
  return typeof namespace === "string" && typeof until === "string" && isTexts(objects);
}

function isChange(value: unknown): value is RecentChange {
  const { at, outcome, milliseconds, objects, more } = isObject(value) ? value : {};
  return (
    [at, outcome].every((text) => typeof text === "string") &&
    [milliseconds, more].every((number) => typeof number === "number") &&
    isTexts(objects)
  );
}
