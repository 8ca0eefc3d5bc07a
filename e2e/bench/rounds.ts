/** Interleaved rounds: every subject in turn, in another order each time, so that a busy moment hits them alike. */
import { cpuTime } from "./cpu-time.js";
import { busyTime } from "./processors.js";
import type { Subject } from "./subject.js";
import { wrk } from "./wrk.js";

export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  /** Further rounds, if others were busy on the machine during the first. */
  readonly extraRounds: number;
}

export interface Sample {
  /** Microseconds of CPU for one request. */
  readonly cpu: number;
  /** Requests a second. */
  readonly rate: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of the proxy's processor that other processes had. */
  readonly foreign: number;
}

export interface Measurement {
  readonly name: string;
  readonly rules: number;
  readonly samples: readonly Sample[];
}

const CONNECTIONS = 32;
/** A sample with more of `foreign` is not a calm one. */
const CALM = 0.05;
const WANTED_CALM = 3;

/** `requests`: file of requests by number of rules. */
export async function measure(
  subjects: readonly Subject[],
  requests: ReadonlyMap<number, string>,
  plan: Plan,
): Promise<Measurement[]> {
  const samples = new Map(subjects.map((subject) => [subject, [] as Sample[]]));
  // The first requests of all decode, compile and connect.
  for (const subject of subjects) await sample(subject, requests, 1);
  for (let round = 0; round < plan.rounds + plan.extraRounds; round += 1) {
    if (round >= plan.rounds && [...samples.values()].every(isCalm)) break;
    for (const subject of reordered(subjects, round)) {
      samples.get(subject)?.push(await sample(subject, requests, plan.seconds));
    }
  }
  return subjects.map((subject) => ({
    name: subject.name,
    rules: subject.rules,
    samples: samples.get(subject) ?? [],
  }));
}

function isCalm(samples: readonly Sample[]): boolean {
  return samples.filter(({ foreign }) => foreign <= CALM).length >= WANTED_CALM;
}

async function sample(
  subject: Subject,
  requests: ReadonlyMap<number, string>,
  seconds: number,
): Promise<Sample> {
  const file = requests.get(subject.rules);
  if (file === undefined) throw new Error(`no requests for ${subject.rules} rules`);
  const [started, busyBefore, cpuBefore] = [
    performance.now(),
    await busyTime(),
    await cpuTime(subject.pids),
  ];
  const result = await wrk({
    port: subject.port,
    connections: CONNECTIONS,
    seconds,
    script: "spread",
    words: [file, ...(subject.authorization === undefined ? [] : [subject.authorization])],
  });
  const used = (await cpuTime(subject.pids)) - cpuBefore;
  const busy = (await busyTime()) - busyBefore;
  const elapsed = (performance.now() - started) * 1e6;
  if (result.failures > 0 || result.requests === 0) {
    throw new Error(`${subject.name}: ${result.failures} of ${result.requests} requests failed`);
  }
  return {
    cpu: used / 1000 / result.requests,
    rate: result.requests / seconds,
    p50: result.p50,
    p99: result.p99,
    foreign: Math.max(0, busy - used) / elapsed,
  };
}

/** Another one first in each round, and other neighbours. */
function reordered<T>(values: readonly T[], round: number): readonly T[] {
  const first = round % values.length;
  const list = [...values.slice(first), ...values.slice(0, first)];
  return round % 2 === 0 ? list : list.reverse();
}
