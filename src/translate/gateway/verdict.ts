import type { KubernetesObject } from "../../api/wire.js";
import type { Condition } from "../../status/object-status.js";
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

/** What a condition says when its verdict holds. */
export interface Holding {
  readonly reason: string;
  readonly message: string;
}

/** A positive condition of an object: True with what `holding` says, else False with the verdict's reason. */
export function condition(
  type: string,
  verdict: Verdict,
  holding: Holding,
  object: KubernetesObject,
): Condition {
  const { reason, message } = verdict.ok ? holding : verdict;
  return { type, status: verdict.ok ? "True" : "False", reason, message, ...observed(object) };
}

/** One that stands in a status only while it is True. */
export function negativeCondition(
  type: string,
  { reason, message }: Holding,
  object: KubernetesObject,
): Condition {
  return { type, status: "True", reason, message, ...observed(object) };
}

/** Objects from files have no generation. */
function observed({ metadata }: KubernetesObject): Pick<Condition, "observedGeneration"> {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}
