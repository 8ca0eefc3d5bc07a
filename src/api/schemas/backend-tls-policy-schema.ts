/** gateway.networking.k8s.io BackendTLSPolicy, v1 and v1alpha3 (Gateway API v1.7 CRDs). */
import { ANNOTATION_VALUE, choice, HOSTNAME, PRECISE_HOSTNAME } from "./gateway-names.js";
import { OBJECT_REFERENCE, TARGET_REFERENCES } from "./gateway-references.js";
import { objectSchema } from "./object-schema.js";
import { list, map, object, string } from "./schema.js";

const SUBJECT_ALT_NAME = object(
  {
    type: choice(),
    hostname: HOSTNAME,
    uri: string({
      minLength: 1,
      maxLength: 253,
      pattern: "^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\\?([^#]*))?(#(.*))?",
    }),
  },
  { required: ["type"] },
);

const VALIDATION = object(
  {
    // The standard channel allows an empty list beside wellKnownCACertificates.
    caCertificateRefs: list(OBJECT_REFERENCE, { maxItems: 8 }),
    wellKnownCACertificates: string({ minLength: 1, maxLength: 253 }),
    hostname: PRECISE_HOSTNAME,
    subjectAltNames: list(SUBJECT_ALT_NAME, { maxItems: 5 }),
  },
  { required: ["hostname"] },
);

export const BACKEND_TLS_POLICY_SCHEMA = objectSchema(
  {
    spec: object(
      {
        targetRefs: TARGET_REFERENCES,
        validation: VALIDATION,
        options: map(ANNOTATION_VALUE, { maxProperties: 16 }),
      },
      { required: ["targetRefs", "validation"] },
    ),
  },
  ["spec"],
);
