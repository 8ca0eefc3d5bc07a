/** The Auth object for Gateway API: AuthPolicy ({alb_api_group}/v1alpha1). */
import type { Auth } from "./auth.js";
import type { PolicyStatus, PolicyTargetReference } from "./gateway.js";
import type { KubernetesObject } from "./wire.js";

/** Named by an ExtensionRef filter, or attached to the Gateways, listeners (sectionName) and HTTPRoutes that it names. */
export interface AuthPolicy extends KubernetesObject {
  readonly spec: Auth & { readonly targetRefs?: readonly PolicyTargetReference[] };
  readonly status?: PolicyStatus;
}
