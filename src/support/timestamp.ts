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

/** Proleptic Gregorian calendar; counting years from March puts the leap day last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_400_YEARS + dayOfEra - DAYS_TO_EPOCH;
}
