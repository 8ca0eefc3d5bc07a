import type { FromNamespaces } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import { OPERATORS, selectsLabels } from "./label-selector.js";

/** What a namespace is chosen by. */
export type NamespaceFilter = (namespace: string) => boolean;

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
