import type { KubernetesObject } from "../../api/wire.js";
import type { Condition } from "../../status/object-status.js";
import type { Place } from "../place.js";

/** A condition before it is written into a status: it holds, or the reason why not. */
export type Verdict = { readonly ok: true } | Refused;

export interface Refused {
  readonly ok: false;
  /** CamelCase, one of Gateway API's where it has one. */
  readonly reason: string;
  /** What is wrong, with the value. */
  readonly message: string;
  /** The wrong field, if it is not the one that the condition is about. */
  readonly place?: Place;
  /** What to do about it, for the diagnostic. */
  readonly hint?: string;
}

export const HOLDS: Verdict = { ok: true };

export function refused(reason: string, message: string, place?: Place): Refused {
  return { ok: false, reason, message, ...(place && { place }) };
}

/** The first verdict that does not hold. */
export function firstRefused(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ ok }) => !ok) ?? HOLDS;
}

/** A positive condition of an object: True with the reason of `holding`, or False with that of the verdict. */
export function condition(
  type: string,
  verdict: Verdict,
  holding: Pick<Refused, "reason" | "message">,
  object: KubernetesObject,
): Condition {
  const { reason, message } = verdict.ok ? holding : verdict;
  return { type, status: verdict.ok ? "True" : "False", reason, message, ...observed(object) };
}

/** A condition that is in the status only while it is True. */
export function negativeCondition(
  type: string,
  { reason, message }: Pick<Refused, "reason" | "message">,
  object: KubernetesObject,
): Condition {
  return { type, status: "True", reason, message, ...observed(object) };
}

/** Objects from files have no generation. */
function observed({ metadata }: KubernetesObject): Pick<Condition, "observedGeneration"> {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}
