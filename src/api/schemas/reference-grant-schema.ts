/** gateway.networking.k8s.io ReferenceGrant, v1 and v1beta1 (Gateway API v1.7 CRDs). */
import { objectSchema } from "./object-schema.js";
import { list, object, string } from "./schema.js";

const GROUP = string({
  maxLength: 253,
  pattern: "^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
});
const KIND = string({
  minLength: 1,
  maxLength: 63,
  pattern: "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$",
});
const NAMESPACE = string({
  minLength: 1,
  maxLength: 63,
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
});

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
          object(
            { group: GROUP, kind: KIND, name: string({ minLength: 1, maxLength: 253 }) },
            { required: ["group", "kind"] },
          ),
          { minItems: 1, maxItems: 16 },
        ),
      },
      { required: ["from", "to"] },
    ),
  },
  ["spec"],
);
