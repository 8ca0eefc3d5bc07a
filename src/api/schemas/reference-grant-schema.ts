/** gateway.networking.k8s.io ReferenceGrant, v1 and v1beta1 (Gateway API v1.7 CRDs). */
import { GROUP, KIND, NAMESPACE, OBJECT_NAME } from "./gateway-names.js";
import { objectSchema } from "./object-schema.js";
import { list, object } from "./schema.js";

export const REFERENCE_GRANT_SCHEMA = objectSchema(
  {
    spec: object(
      {
        from: list(
          object(
            { group: GROUP, kind: KIND, namespace: NAMESPACE },
            { required: ["group", "kind", "namespace"] },
          ),
          { minItems: 1, maxItems: 16 },
        ),
        to: list(
          object({ group: GROUP, kind: KIND, name: OBJECT_NAME }, { required: ["group", "kind"] }),
          { minItems: 1, maxItems: 16 },
        ),
      },
      { required: ["from", "to"] },
    ),
  },
  ["spec"],
);
