/** What `GET /counters` of the control socket says (docs/policy-format.md). */
import { isObject, parseObject } from "../support/json-object.js";

/** Since nginx was started; a reload changes nothing. */
export interface DataPlaneCounters {
  /** Responses by status. */
  readonly responses: Readonly<Record<string, number>>;
  /** Checks of access by outcome: `passed`, `signin`, or the name of a reason of lua/alb/reasons.lua. */
  readonly auth: Readonly<Record<string, number>>;
  readonly durations: DurationCounts;
  /** Of nginx as a whole, by state; empty when it was built without what counts them. */
  readonly connections: Readonly<Record<string, number>>;
}

/** Times until the response header, in seconds. */
export interface DurationCounts {
  /** Upper ends of the buckets, ascending; the last bucket has none. */
  readonly bounds: readonly number[];
  /** Of each bucket by itself. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Undefined when it is none. */
export function readCounters(text: string): DataPlaneCounters | undefined {
  const { responses, auth, durations, connections } = fieldsOf(parseObject(text));
  const { bounds, counts, sum } = fieldsOf(durations);
  const read = {
    responses: numbersByName(responses),
    auth: numbersByName(auth),
    connections: numbersByName(connections),
  };
  if (!isNumbers(bounds) || !isNumbers(counts) || typeof sum !== "number") return undefined;
  return counts.length === bounds.length + 1
    ? { ...read, durations: { bounds, counts, sum } }
    : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

function numbersByName(value: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    ),
  );
}
