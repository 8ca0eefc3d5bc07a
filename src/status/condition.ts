/** One entry of a status' conditions (Gateway API, metav1.Condition), without lastTransitionTime: the writer adds that. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** CamelCase, never empty. */
  readonly reason: string;
  /** For people: what is wrong, where, and what to do. */
  readonly message: string;
  /** metadata.generation of the object that was looked at; absent for objects without one. */
  readonly observedGeneration?: number;
}
