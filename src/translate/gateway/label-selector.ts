import type { LabelSelector } from "../../api/gateway.js";
import { own } from "../../support/own.js";

type Labels = Readonly<Record<string, string>>;
type Expression = NonNullable<LabelSelector["matchExpressions"]>[number];

export const OPERATORS: readonly string[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/**
 * Does the selector choose an object with these labels? An empty one chooses all (Kubernetes, LabelSelector). An operator that is not
 * known chooses nothing: what is shared must not grow by a mistake.
 */
export function selectsLabels(selector: LabelSelector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((expression) => satisfies(expression, labels))
  );
}

/** NotIn also holds for objects without the label. */
function satisfies({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = labelOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return own(labels, key);
}
