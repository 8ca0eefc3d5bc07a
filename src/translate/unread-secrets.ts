/** In a cluster albc reads the Secrets of some namespaces only. */
import type { TranslateContext } from "./context.js";
import type { NamespacedName } from "./reference-grants.js";

/** What to do about a Secret that is absent because albc does not read its namespace; undefined: it is there, or would be read. */
export function hintForUnread(
  { namespace, name }: NamespacedName,
  { resources, options }: Pick<TranslateContext, "resources" | "options">,
): string | undefined {
  if (resources.get("Secret", namespace, name) !== undefined) return undefined;
  if (["*", namespace].some((each) => options.secretNamespaces.includes(each))) return undefined;
  return `namespace ${namespace} is not in the option secretNamespaces: name it there, and let albc read its Secrets; the chart's value secrets.allNamespaces does both for all namespaces`;
}
