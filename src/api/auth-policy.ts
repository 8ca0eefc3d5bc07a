/** The Auth object for Gateway API: AuthPolicy ({alb_api_group}/v1alpha1). */
import type { Auth } from "./auth.js";
import type { PolicyStatus, PolicyTargetReference } from "./gateway.js";
import type { KubernetesObject } from "./wire.js";

/** Kinds of Gateway API that it can be for. */
export const AUTH_TARGETS = ["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute"] as const;

/** Named by an ExtensionRef filter, or attached to the Gateways, listeners (sectionName) and HTTPRoutes that it names. */
export interface AuthPolicy extends KubernetesObject {
  readonly spec: Auth & { readonly targetRefs?: readonly PolicyTargetReference[] };
  readonly status?: PolicyStatus;
}
