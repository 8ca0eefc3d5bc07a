import type { Alb2 } from "../../api/alb.js";
import type { ObjectStatus } from "../../status/object-status.js";
import type { LoadBalancer } from "../load-balancer.js";

/** The state and reason of each ALB2 that is served: Running when it has ports, Warning when every port it wants is another's. */
export function albStatuses(balancers: readonly LoadBalancer[]): readonly ObjectStatus[] {
  return balancers.flatMap(({ alb, ports }) =>
    alb === undefined ? [] : statusOf(alb, ports.length),
  );
}

function statusOf(alb: Alb2, ports: number): ObjectStatus {
  const { apiVersion, kind, metadata } = alb;
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: metadata.namespace },
    status:
      ports > 0
        ? { state: "Running", reason: "" }
        : { state: "Warning", reason: "no port is served" },
  };
}
