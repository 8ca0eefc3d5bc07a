/** AuthPolicy: an Auth object for Gateway API. */
import { AUTH_SCHEMA } from "./auth-schema.js";
import { TARGET_REFERENCES } from "./gateway-references.js";
import { objectSchema } from "./object-schema.js";
import { object } from "./schema.js";

export const AUTH_POLICY_SCHEMA = objectSchema(
  {
    spec: object(
      {
        ...AUTH_SCHEMA.properties,
        targetRefs: {
          ...TARGET_REFERENCES,
          minItems: 0,
          description:
            "Gateways, their listeners (sectionName) and HTTPRoutes of the same namespace whose requests it covers; what an ExtensionRef filter names needs none.",
        },
      },
      {
        description:
          "Authentication of requests: basic first, then forward. The most specific policy replaces the others as a whole; one without basic and forward switches authentication off.",
      },
    ),
  },
  ["spec"],
);
