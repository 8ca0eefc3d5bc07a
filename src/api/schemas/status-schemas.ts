/** Of the statuses of Services, Gateway API's kinds and AuthPolicy: what is read. What is not of this shape counts as absent. */
import { integer, list, object, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const CONDITIONS = list(
  object(
    {
      type: string(),
      status: string(),
      reason: string(),
      message: string(),
      lastTransitionTime: string(),
      observedGeneration: integer(),
    },
    { required: ["type", "status", "reason", "message"] },
  ),
);

const REFERENCE = object(
  {
    group: string(),
    kind: string(),
    namespace: string(),
    name: string(),
    sectionName: string(),
    port: integer(),
  },
  { required: ["name"] },
);

const LISTENERS = list(
  object(
    {
      name: string(),
      port: integer(),
      attachedRoutes: integer(),
      supportedKinds: list(object({ group: string(), kind: string() }, { required: ["kind"] })),
      conditions: CONDITIONS,
    },
    { required: ["name", "attachedRoutes", "conditions"] },
  ),
);

export const GATEWAY_CLASS_STATUS = object({
  conditions: CONDITIONS,
  supportedFeatures: list(object({ name: string() }, { required: ["name"] })),
});

export const GATEWAY_STATUS = object({
  addresses: list(object({ type: string(), value: string() }, { required: ["value"] })),
  conditions: CONDITIONS,
  listeners: LISTENERS,
  attachedListenerSets: integer(),
});

export const LISTENER_SET_STATUS = object({ conditions: CONDITIONS, listeners: LISTENERS });

function ofControllers(reference: string): JsonSchema {
  return list(
    object(
      { [reference]: REFERENCE, controllerName: string(), conditions: CONDITIONS },
      { required: [reference, "controllerName"] },
    ),
  );
}

export const ROUTE_STATUS = object({ parents: ofControllers("parentRef") });
export const POLICY_STATUS = object({ ancestors: ofControllers("ancestorRef") });

/** One address of a load balancer, of a Service or an Ingress. */
const BALANCER_ADDRESS = object({ ip: string(), hostname: string() });

export const SERVICE_STATUS = object({
  loadBalancer: object({ ingress: list(BALANCER_ADDRESS) }),
});
