import { own } from "./json-object.js";
import { type Result, ok, problem } from "./result.js";

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Parses a size such as `512k`, `8m` or `1g`; in bytes. */
export function parseByteSize(text: string): Result<number> {
  const [, count, unit = ""] = /^(\d{1,15})([kmg]?)$/i.exec(text) ?? [];
  const bytes = own(UNITS, unit.toLowerCase());
  const size = Number(count) * (bytes ?? NaN);
  return Number.isSafeInteger(size) ? ok(size) : problem("must be a size such as 512k, 8m or 1g");
}

/** A percentage such as `5` or `0.125`; undefined for other text. */
export function percentage(text: string): number | undefined {
  const value = /^\d{1,3}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Infinity;
  return value <= 100 ? value : undefined;
}

const PART = /(\d+)(h|ms|m|s)/g;
const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
]);

/** A valid duration such as `1h30m` or `500ms` (GEP-2257), in milliseconds. */
export function durationMilliseconds(text: string): number {
  return [...text.matchAll(PART)].reduce(
    (sum, [, count = "0", unit = ""]) => sum + Number(count) * (MILLISECONDS.get(unit) ?? 0),
    0,
  );
}

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const DAYS_PER_400_YEARS = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_468;

/** Whole seconds since 1970-01-01T00:00:00Z of an RFC 3339 timestamp; undefined for other text. */
export function epochSeconds(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const at = (group: number): number => Number(match[group] ?? 0);
  const offset = (match[7] === "-" ? -1 : 1) * (at(8) * 60 + at(9));
  const days = daysSinceEpoch(at(1), at(2), at(3));
  return ((days * 24 + at(4)) * 60 + at(5) - offset) * 60 + at(6);
}

/** In the proleptic Gregorian calendar. Years that begin in March have the leap day last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_400_YEARS + dayOfEra - DAYS_TO_EPOCH;
}

const NO_AGE = "9".repeat(12);
/** Dates before 1970 sort below it. */
const AGE_ZERO = 10 ** 11;

/** A text of twelve digits that sorts older first, without a timestamp last. */
export function ageKey(timestamp: string | undefined): string {
  const seconds = timestamp === undefined ? undefined : epochSeconds(timestamp);
  if (seconds === undefined) return NO_AGE;
  const bounded = Math.min(Math.max(Math.trunc(AGE_ZERO + seconds), 0), 10 ** 12 - 1);
  return String(bounded).padStart(12, "0");
}
