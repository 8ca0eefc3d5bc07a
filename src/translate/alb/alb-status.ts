import type { Alb2 } from "../../api/alb.js";
import type { ObjectStatus } from "../../status/object-status.js";
import type { LoadBalancer } from "../load-balancer.js";

/**
 * The state and reason of each ALB2 that is served: Running when it has its ports, Warning when every port it wants is another's, or some
 * get no sockets. `refused`: listeners without.
 */
export function albStatuses(
  balancers: readonly LoadBalancer[],
  refused: ReadonlySet<string>,
): readonly ObjectStatus[] {
  return balancers.flatMap(({ alb, ports }) => {
    const lost = ports.filter(({ listener }) => refused.has(listener)).length;
    const warning =
      lost > 0
        ? `${String(lost)} ports are not served: no sockets are left`
        : ports.length === 0 && NO_PORT;
    return alb === undefined ? [] : statusOf(alb, warning);
  });
}

const NO_PORT = "no port is served";

function statusOf(alb: Alb2, warning: string | false): ObjectStatus {
  const { apiVersion, kind, metadata } = alb;
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: metadata.namespace },
    status:
      warning === false ? { state: "Running", reason: "" } : { state: "Warning", reason: warning },
  };
}
