import type { FromNamespaces, LabelSelector } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { own } from "../../support/json-object.js";

/** Every namespace has this label, even if no file has the Namespace. */
const NAME_LABEL = "kubernetes.io/metadata.name";

/**
 * Whether a rule of `from` (All, Same, Selector, None) selects a namespace; Same is the namespace `own`. An unknown value selects none.
 * `fallback` is the default of `from`.
 */
export function namespaceFilter(
  rule: FromNamespaces | undefined,
  fallback: "Same" | "None",
  own: string,
  resources: RoutingResources,
): (namespace: string) => boolean {
  switch (rule?.from ?? fallback) {
    case "All":
      return () => true;
    case "Same":
      return (namespace) => namespace === own;
    case "Selector": {
      const selector = rule?.selector;
      if (selector === undefined) return () => false;
      return (namespace) => selectsLabels(selector, labelsOf(namespace, resources));
    }
    default:
      return () => false;
  }
}

/**
 * Names an unknown value of `from` or an unknown operator of its selector; neither makes the filter select more. An API server accepts
 * any operator, because CRDs do not list them.
 */
export function unknownInNamespaces(
  { from, selector }: FromNamespaces,
  known: readonly string[],
): string | undefined {
  if (from !== undefined && !known.includes(from)) {
    return `from ${JSON.stringify(from)} is none of ${known.join(", ")}`;
  }
  if (from !== "Selector") return undefined;
  const unknown = selector?.matchExpressions?.find(({ operator }) => !OPERATORS.includes(operator));
  return (
    unknown &&
    `the selector's operator ${JSON.stringify(unknown.operator)} is none of ${OPERATORS.join(", ")}`
  );
}

function labelsOf(namespace: string, resources: RoutingResources): Labels {
  const labels = resources.get("Namespace", "", namespace)?.metadata.labels;
  return { [NAME_LABEL]: namespace, ...labels };
}

type Labels = Readonly<Record<string, string>>;

const OPERATORS: readonly string[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/**
 * Whether the selector selects an object with these labels. An empty one selects all (Kubernetes, LabelSelector). An unknown operator
 * selects nothing, so a mistake never selects more.
 */
export function selectsLabels(selector: LabelSelector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => own(labels, key) === value) &&
    matchExpressions.every((expression) => satisfies(expression, labels))
  );
}

/** NotIn also holds for objects without the label. */
function satisfies(
  { key, operator, values = [] }: NonNullable<LabelSelector["matchExpressions"]>[number],
  labels: Labels,
): boolean {
  const value = own(labels, key);
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
