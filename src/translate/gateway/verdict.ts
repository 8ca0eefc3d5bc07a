import type { Place } from "../place.js";

/** What one condition of a status says, before it is one: it holds, or why not. */
export type Verdict = { readonly ok: true } | Refused;

export interface Refused {
  readonly ok: false;
  /** CamelCase, one of Gateway API's where it has one. */
  readonly reason: string;
  /** What is wrong, with the value. */
  readonly message: string;
  /** The field that is wrong, where it is not the one that everybody looks at. */
  readonly place?: Place;
}

export const HOLDS: Verdict = { ok: true };

export function refused(reason: string, message: string, place?: Place): Refused {
  return { ok: false, reason, message, ...(place && { place }) };
}

/** The first that does not hold. */
export function firstRefused(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ ok }) => !ok) ?? HOLDS;
}
