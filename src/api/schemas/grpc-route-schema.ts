/** gateway.networking.k8s.io GRPCRoute, v1 (Gateway API v1.7 CRDs, experimental channel). */
import { choice } from "./gateway-names.js";
import { objectSchema } from "./object-schema.js";
import { GRPC_FILTERS } from "./route-filter-schemas.js";
import { HEADER_MATCHES, routeSpec, ruleFields } from "./route-schemas.js";
import { list, object, string } from "./schema.js";

const MATCH = object({
  method: object({
    type: choice("Exact"),
    service: string({ maxLength: 1024 }),
    method: string({ maxLength: 1024 }),
  }),
  headers: HEADER_MATCHES,
});

const RULE = object({ ...ruleFields(GRPC_FILTERS), matches: list(MATCH, { maxItems: 64 }) });

export const GRPC_ROUTE_SCHEMA = objectSchema({ spec: routeSpec(list(RULE, { maxItems: 16 })) }, [
  "spec",
]);
