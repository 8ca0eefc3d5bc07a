/**
 * AuthPolicy ({alb_api_group}/v1alpha1): the Auth object for Gateway API. API servers refuse more than we do: what is broken closes
 * its paths here, so that it is told where requests are answered, too.
 */
import { BASIC_AUTH_SCHEMA, FORWARD_AUTH_SCHEMA } from "./auth.js";
import type { Auth } from "./auth.js";
import type { PolicyStatus, PolicyTargetReference } from "./gateway.js";
import { GATEWAY_SPECS } from "./schemas/gateway-schemas.js";
import { GATEWAY_GROUP, objectSchema } from "./schemas/object-schema.js";
import { object } from "./schemas/schema.js";
import type { KubernetesObject } from "./wire.js";

/** Kinds of Gateway API that it can be for. */
export const AUTH_TARGETS = ["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute"] as const;

/** Named by an ExtensionRef filter, or attached to the Gateways, listeners (sectionName) and HTTPRoutes that it names. */
export interface AuthPolicy extends KubernetesObject {
  readonly spec: Auth & { readonly targetRefs?: readonly PolicyTargetReference[] };
  readonly status?: PolicyStatus;
}

const SAME_TARGET =
  "a.group == b.group && a.kind == b.kind && a.name == b.name && (has(a.sectionName) ? a.sectionName : '') == (has(b.sectionName) ? b.sectionName : '')";

export const AUTH_POLICY_SCHEMA = objectSchema(
  {
    spec: object(
      {
        basic: {
          ...BASIC_AUTH_SCHEMA,
          "x-kubernetes-validations": [
            {
              rule: "has(self.secret) && size(self.secret) > 0",
              message: "basic needs the secret with the credentials",
            },
          ],
        },
        forward: {
          ...FORWARD_AUTH_SCHEMA,
          "x-kubernetes-validations": [
            {
              rule: "has(self.url) && size(self.url) > 0",
              message: "forward needs the url of the authentication service",
            },
          ],
        },
        targetRefs: {
          ...GATEWAY_SPECS.BackendTLSPolicy.properties.targetRefs,
          minItems: 0,
          description:
            "Gateways, their listeners (sectionName), ListenerSets, HTTPRoutes and GRPCRoutes of the same namespace whose requests it covers; what an ExtensionRef filter names needs none.",
          "x-kubernetes-validations": [
            {
              rule: `self.all(a, self.exists_one(b, ${SAME_TARGET}))`,
              message: "a target must not stand twice",
            },
            {
              rule: `self.all(a, a.group == '${GATEWAY_GROUP}' && a.kind in ${JSON.stringify(AUTH_TARGETS)})`,
              message: `a target is a ${AUTH_TARGETS.join(", ")} of ${GATEWAY_GROUP}`,
            },
          ],
        },
      },
      {
        description:
          "Authentication of requests: basic first, then forward. The most specific policy replaces the others as a whole; one without basic and forward switches authentication off.",
      },
    ),
  },
  ["spec"],
);
