/** How objects of Gateway API name others. */
import {
  GATEWAY_GROUP,
  GROUP,
  KIND,
  NAMESPACE,
  OBJECT_NAME,
  SECTION_NAME,
} from "./gateway-names.js";
import { list, object, port } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const withDefault = (schema: JsonSchema, value: string): JsonSchema => ({
  ...schema,
  default: value,
});

/** In the namespace of who refers. */
export const OBJECT_REFERENCE = object(
  { group: GROUP, kind: KIND, name: OBJECT_NAME },
  { required: ["group", "kind", "name"] },
);

export const NAMESPACED_REFERENCE = object(
  { group: GROUP, kind: KIND, name: OBJECT_NAME, namespace: NAMESPACE },
  { required: ["group", "kind", "name"] },
);

/** A Secret unless it says otherwise. */
export const SECRET_REFERENCE = object(
  {
    group: withDefault(GROUP, ""),
    kind: withDefault(KIND, "Secret"),
    name: OBJECT_NAME,
    namespace: NAMESPACE,
  },
  { required: ["name"] },
);

/** Fields of what names a backend: a Service unless it says otherwise. */
export const BACKEND_FIELDS = {
  group: withDefault(GROUP, ""),
  kind: withDefault(KIND, "Service"),
  name: OBJECT_NAME,
  namespace: NAMESPACE,
  port: port(),
} as const;

export const BACKEND_REFERENCE = object(BACKEND_FIELDS, { required: ["name"] });

const PARENT_FIELDS = {
  group: withDefault(GROUP, GATEWAY_GROUP),
  kind: withDefault(KIND, "Gateway"),
  name: OBJECT_NAME,
  namespace: NAMESPACE,
} as const;

/** Of a ListenerSet. */
export const PARENT_GATEWAY = object(PARENT_FIELDS, { required: ["name"] });

export const PARENT_REFERENCES = list(
  object({ ...PARENT_FIELDS, sectionName: SECTION_NAME, port: port() }, { required: ["name"] }),
  { maxItems: 32 },
);

/** What a policy is attached to. */
export const TARGET_REFERENCES = list(
  object(
    { group: GROUP, kind: KIND, name: OBJECT_NAME, sectionName: SECTION_NAME },
    { required: ["group", "kind", "name"] },
  ),
  { minItems: 1, maxItems: 16 },
);

export const ROUTE_KINDS = list(
  object({ group: withDefault(GROUP, GATEWAY_GROUP), kind: KIND }, { required: ["kind"] }),
  { maxItems: 8 },
);
