import type { FromNamespaces, LabelSelector } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { own } from "../../support/json-object.js";

/** What a namespace is chosen by. */
type NamespaceFilter = (namespace: string) => boolean;

/** Every namespace has it, also where files leave the Namespace out. */
const NAME_LABEL = "kubernetes.io/metadata.name";

/**
 * The namespaces that `from` lets in: All, Same (that of `own`), Selector, None. A value that is not known lets in none. `fallback`
 * holds where nothing is said.
 */
export function namespaceFilter(
  rule: FromNamespaces | undefined,
  fallback: "Same" | "None",
  own: string,
  resources: RoutingResources,
): NamespaceFilter {
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
 * A value of `from` or an operator of its selector that nothing is known of; such a filter lets in no more than the rest says. CRDs do
 * not list the operators of selectors, so an API server takes any.
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

function labelsOf(
  namespace: string,
  resources: RoutingResources,
): Readonly<Record<string, string>> {
  const labels = resources.get("Namespace", "", namespace)?.metadata.labels;
  return { [NAME_LABEL]: namespace, ...labels };
}

type Labels = Readonly<Record<string, string>>;
type Expression = NonNullable<LabelSelector["matchExpressions"]>[number];

const OPERATORS: readonly string[] = ["In", "NotIn", "Exists", "DoesNotExist"];

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
