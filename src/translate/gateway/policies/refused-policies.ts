import type { ResourceRef } from "../../../diagnostics/diagnostic.js";
import type { TranslateContext } from "../../context.js";
import { refusedObjects } from "../../refused-objects.js";

/**
 * A policy of the namespace that can't be read, so that nobody knows what it is for: it could be for anything of its namespace.
 * Reports it as what closes that.
 */
export function refusedPolicyOf(
  kind: "AuthPolicy" | "BackendTLSPolicy",
  namespace: string,
  { resources, diagnostics }: TranslateContext,
): ResourceRef | undefined {
  const [resource] = refusedObjects(resources, kind, namespace);
  if (resource === undefined) return undefined;
  const message =
    kind === "AuthPolicy"
      ? `what it is for can't be told: routes, listeners and Gateways of namespace ${namespace} that inherit auth are closed`
      : `what it is for can't be told: Services of namespace ${namespace} without another policy are closed`;
  diagnostics.report({ code: "POLICY_UNREADABLE", message, resource });
  return resource;
}
