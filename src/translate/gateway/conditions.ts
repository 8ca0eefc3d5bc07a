import type { KubernetesObject } from "../../api/wire.js";
import type { Condition } from "../../status/condition.js";
import type { Verdict } from "./verdict.js";

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
