/** gateway.networking.k8s.io HTTPRoute, v1 and v1beta1 (Gateway API v1.7 CRDs, experimental channel). */
import { choice, DURATION, TOKEN_NAME } from "./gateway-names.js";
import { objectSchema } from "./object-schema.js";
import { HTTP_FILTERS } from "./route-filter-schemas.js";
import { HEADER_MATCHES, routeSpec, ruleFields } from "./route-schemas.js";
import { integer, list, object, string } from "./schema.js";

const ANY_PATH = { type: "PathPrefix", value: "/" } as const;

const MATCH = object({
  path: object(
    { type: choice(ANY_PATH.type), value: string({ maxLength: 1024, default: ANY_PATH.value }) },
    { default: ANY_PATH },
  ),
  headers: HEADER_MATCHES,
  queryParams: list(
    object(
      {
        type: choice("Exact"),
        name: TOKEN_NAME,
        value: string({ minLength: 1, maxLength: 1024 }),
      },
      { required: ["name", "value"] },
    ),
    { maxItems: 16 },
  ),
  method: choice(),
});

const RULE = object({
  ...ruleFields(HTTP_FILTERS),
  matches: list(MATCH, { maxItems: 64, default: [{ path: ANY_PATH }] }),
  timeouts: object({ request: DURATION, backendRequest: DURATION }),
  retry: object({
    codes: list(integer({ minimum: 400, maximum: 599 })),
    attempts: integer({ minimum: 0, default: 1 }),
    backoff: DURATION,
  }),
});

export const HTTP_ROUTE_SCHEMA = objectSchema(
  {
    spec: routeSpec(
      list(RULE, { minItems: 1, maxItems: 16, default: [{ matches: [{ path: ANY_PATH }] }] }),
    ),
  },
  ["spec"],
);
