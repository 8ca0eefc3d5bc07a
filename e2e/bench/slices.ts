/** Many short slices in random order: the subject of a slice runs, all others are stopped. */
import { setTimeout as delay } from "node:timers/promises";
import { residentMemory } from "../harness/processes.js";
import { cpuTime } from "./cpu-time.js";
import type { Load } from "./loads.js";
import { processorTime } from "./processors.js";
import { type Estimate, lowMean, ratio } from "./statistics.js";
import { type Subject, pause, resume } from "./subject.js";
import type { Traffic } from "./traffic.js";

/** A subject and what it is called. */
export interface Entry {
  readonly name: string;
  /** Rules that it was configured with, and that the requests are spread over. */
  readonly rules: number;
  readonly subject: Subject;
}

export interface Plan {
  /** Of each subject and load. */
  readonly slices: number;
  /** Length of a slice. */
  readonly seconds: number;
  /** Slices of the first entry before all others, and after them. */
  readonly edge: number;
}

export interface Sample {
  /** Microseconds of CPU for one request, or for a part of it if the load has parts. */
  readonly cpu: number;
  /** Microseconds from one request, or part, to the next. */
  readonly interval: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of the proxy's processor that other processes had. */
  readonly foreign: number;
  /** Share of it that other virtual machines had. */
  readonly stolen: number;
}

export interface Measurement {
  readonly name: string;
  readonly rules: number;
  readonly load: string;
  readonly samples: readonly Sample[];
  /** Resident memory of the measured processes at the end, bytes. */
  readonly memory: number;
}

export interface Measured {
  readonly rows: readonly Measurement[];
  /** Of the first entry, to see whether the machine has changed meanwhile. */
  readonly first: readonly Sample[];
  readonly last: readonly Sample[];
}

export function cpuOf({ samples }: Measurement): Estimate {
  return lowMean(samples.map(({ cpu }) => cpu));
}

/** Of the same suite: over the first row, which is bare nginx, with the same load. */
export function overBare({ rows }: Pick<Measured, "rows">, row: Measurement): Estimate {
  const bare = rows.find(({ load }) => load === row.load) ?? row;
  return row === bare ? { value: 1, error: 0 } : ratio(cpuOf(row), cpuOf(bare));
}

/** As many rules, and the same load. */
export function isLike(
  row: Pick<Measurement, "rules" | "load">,
  other: Pick<Measurement, "rules" | "load">,
): boolean {
  return row.rules === other.rules && row.load === other.load;
}

/** Milliseconds in which a subject that runs again does what it was kept from. */
const SETTLING = 30;

export async function measure(
  entries: readonly Entry[],
  loads: readonly Load[],
  options: {
    readonly plan: Plan;
    readonly traffic: Traffic;
    readonly signal: AbortSignal;
    /** Called before each round of slices, with the part of the time that has passed. */
    readonly onRound?: (done: number) => void;
  },
): Promise<Measured> {
  const { plan, traffic, signal, onRound } = options;
  const cases = entries.flatMap((entry) =>
    loads.map((load) => ({ ...entry, load, samples: [] as Sample[] })),
  );
  const slice = async (one: Entry & { readonly load: Load }): Promise<Sample> => {
    signal.throwIfAborted();
    return running(one.subject, () => sample(one, { traffic, seconds: plan.seconds }));
  };
  const edge = async (): Promise<Sample[]> => {
    const samples: Sample[] = [];
    for (const one of cases.slice(0, 1)) {
      for (let i = 0; i < plan.edge; i += 1) samples.push(await slice(one));
    }
    return samples;
  };
  const subjects = entries.map(({ subject }) => subject);
  subjects.forEach(pause);
  try {
    // The first requests of all decode, compile and connect.
    for (const one of cases) await slice(one);
    const first = await edge();
    for (let i = 0; i < plan.slices; i += 1) {
      onRound?.(i / plan.slices);
      for (const one of shuffled(cases)) one.samples.push(await slice(one));
    }
    const last = await edge();
    const rows: Measurement[] = [];
    for (const { name, rules, subject, load, samples } of cases) {
      let memory = 0;
      for (const pid of subject.pids) memory += await residentMemory(pid);
      rows.push({ name, rules, load: load.name, samples, memory });
    }
    return { rows, first, last };
  } finally {
    subjects.forEach(resume);
  }
}

async function running<T>(subject: Subject, action: () => Promise<T>): Promise<T> {
  resume(subject);
  try {
    await delay(SETTLING);
    return await action();
  } finally {
    pause(subject);
  }
}

async function sample(
  { name, rules, subject, load }: Entry & { readonly load: Load },
  options: { readonly traffic: Traffic; readonly seconds: number },
): Promise<Sample> {
  const { pids } = subject;
  const now = async () => ({
    at: performance.now() * 1e6,
    used: await cpuTime(pids),
    ...(await processorTime()),
  });
  let before = await now();
  const result = await load.run({
    ...{ ...options, subject, rules },
    begin: async () => {
      before = await now();
    },
  });
  const after = await now();
  const { requests, failures, seconds, p50, p99 } = result;
  if (failures > 0 || requests === 0) {
    throw new Error(`${name}: ${failures} of ${requests} requests failed`);
  }
  const used = after.used - before.used;
  const parts = requests * (load.parts ?? 1);
  const elapsed = after.at - before.at;
  return {
    cpu: used / 1000 / parts,
    interval: (1e6 * seconds) / parts,
    p50,
    p99,
    foreign: Math.max(0, after.busy - before.busy - used) / elapsed,
    stolen: (after.stolen - before.stolen) / elapsed,
  };
}

/** By Fisher and Yates. */
function shuffled<T>(values: readonly T[]): T[] {
  const list = [...values];
  for (let i = list.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    const [a, b] = [list[i] as T, list[j] as T];
    [list[i], list[j]] = [b, a];
  }
  return list;
}
