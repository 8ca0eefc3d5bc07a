/** gateway.networking.k8s.io TLSRoute, TCPRoute and UDPRoute, v1 (Gateway API v1.7 CRDs, experimental channel). */
import { choice, HOSTNAME, SECTION_NAME } from "./gateway-names.js";
import { BACKEND_FIELDS, PARENT_REFERENCES } from "./gateway-references.js";
import { objectSchema } from "./object-schema.js";
import { WEIGHT } from "./route-schemas.js";
import { list, object } from "./schema.js";

const FIELDS = {
  parentRefs: PARENT_REFERENCES,
  useDefaultGateways: choice(),
  rules: list(
    object(
      {
        name: SECTION_NAME,
        backendRefs: list(object({ ...BACKEND_FIELDS, weight: WEIGHT }, { required: ["name"] }), {
          minItems: 1,
          maxItems: 16,
        }),
      },
      { required: ["backendRefs"] },
    ),
    { minItems: 1, maxItems: 1 },
  ),
} as const;

export const TLS_ROUTE_SCHEMA = objectSchema(
  {
    spec: object(
      // Since v1alpha3 they are required, which is checked by the version (input/rules/stream-route.ts).
      { ...FIELDS, hostnames: list(HOSTNAME, { minItems: 1, maxItems: 1024 }) },
      { required: ["rules"] },
    ),
  },
  ["spec"],
);

/** Of TCPRoute and UDPRoute. */
export const PORT_ROUTE_SCHEMA = objectSchema({ spec: object(FIELDS, { required: ["rules"] }) }, [
  "spec",
]);
