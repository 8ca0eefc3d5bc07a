/** A listener of a Gateway or a ListenerSet. */
import { EXTERNAL_AUTH } from "./external-auth-schema.js";
import { ANNOTATION_VALUE, choice, HOSTNAME, SECTION_NAME } from "./gateway-names.js";
import { OBJECT_REFERENCE, ROUTE_KINDS, SECRET_REFERENCE } from "./gateway-references.js";
import { list, map, object, port, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const LABEL_SELECTOR = object({
  matchLabels: map(string()),
  matchExpressions: list(
    object(
      { key: string(), operator: string(), values: list(string()) },
      { required: ["key", "operator"] },
    ),
  ),
});

/** `from` is what holds when nothing is said. */
export function fromNamespaces(from: string): JsonSchema {
  return object({ from: choice(from), selector: LABEL_SELECTOR }, { default: { from } });
}

const LISTENER_TLS = object({
  mode: choice("Terminate"),
  certificateRefs: list(SECRET_REFERENCE, { maxItems: 64 }),
  options: map(ANNOTATION_VALUE, { maxProperties: 16 }),
});

const LISTENER_FILTERS = object({
  requests: list(
    object(
      { type: choice(), externalAuth: EXTERNAL_AUTH, extensionRef: OBJECT_REFERENCE },
      { required: ["type"] },
    ),
    { maxItems: 16 },
  ),
});

const LISTENER = object(
  {
    name: SECTION_NAME,
    hostname: HOSTNAME,
    port: port(),
    protocol: string({ minLength: 1, maxLength: 255 }),
    tls: LISTENER_TLS,
    allowedRoutes: object(
      { namespaces: fromNamespaces("Same"), kinds: ROUTE_KINDS },
      { default: { namespaces: { from: "Same" } } },
    ),
    filters: LISTENER_FILTERS,
  },
  { required: ["name", "port", "protocol"] },
);

export const LISTENERS = list(LISTENER, { minItems: 1, maxItems: 64 });
