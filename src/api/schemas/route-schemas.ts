/** What HTTPRoute and GRPCRoute have in common. */
import {
  choice,
  DURATION,
  HEADER_VALUE,
  HOSTNAME,
  SECTION_NAME,
  TOKEN_NAME,
} from "./gateway-names.js";
import { BACKEND_FIELDS, PARENT_REFERENCES } from "./gateway-references.js";
import { integer, list, object, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

export const HEADER_MATCHES = list(
  object(
    { type: choice("Exact"), name: TOKEN_NAME, value: HEADER_VALUE },
    { required: ["name", "value"] },
  ),
  { maxItems: 16 },
);

/** With the fields of v1.6 that have gone since: sessionName, cookieConfig and idleTimeout. */
const SESSION_PERSISTENCE = object({
  type: choice("Cookie"),
  absoluteTimeout: DURATION,
  idleTimeout: DURATION,
  cookie: object({
    name: TOKEN_NAME,
    path: string({ maxLength: 1024, default: "/" }),
    lifetimeType: choice("Session"),
  }),
  header: object({ name: TOKEN_NAME }, { required: ["name"] }),
  sessionName: string({ maxLength: 128 }),
  cookieConfig: object({ lifetimeType: choice("Session") }),
});

/** Of a backendRef. */
export const WEIGHT = integer({ minimum: 0, maximum: 1_000_000, default: 1 });

/** Fields of rules of both kinds. */
export function ruleFields(filters: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return {
    name: SECTION_NAME,
    filters,
    backendRefs: list(
      object(
        {
          ...BACKEND_FIELDS,
          weight: WEIGHT,
          filters,
        },
        { required: ["name"] },
      ),
      { maxItems: 16 },
    ),
    sessionPersistence: SESSION_PERSISTENCE,
  };
}

export function routeSpec(rules: JsonSchema): JsonSchema {
  return object({
    parentRefs: PARENT_REFERENCES,
    useDefaultGateways: choice(),
    hostnames: list(HOSTNAME, { maxItems: 16 }),
    rules,
  });
}
