/** What an API server checks in TLSRoutes, TCPRoutes and UDPRoutes beyond their schemas. IP addresses as hostnames get a condition. */
import type { CommonRouteSpec, StreamRoute } from "../../api/gateway.js";
import { missing } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkBackendReference } from "./backend-reference.js";
import { checkParents } from "./route.js";

export function* checkStreamRoute({ apiVersion, kind, spec }: StreamRoute): Findings {
  const { hostnames }: CommonRouteSpec = spec;
  const isOld = apiVersion.endsWith("/v1alpha2");
  if (kind === "TLSRoute" && !isOld && hostnames === undefined) {
    yield missing(["spec", "hostnames"], "a TLSRoute needs hostnames", "name those that it is for");
  }
  yield* checkParents(spec.parentRefs ?? [], ["spec", "parentRefs"]);
  for (const [i, { backendRefs }] of spec.rules.entries()) {
    for (const [j, backend] of backendRefs.entries()) {
      yield* checkBackendReference(backend, ["spec", "rules", i, "backendRefs", j]);
    }
  }
}
