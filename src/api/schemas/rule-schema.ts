/** Rule: which requests of a Frontend go where. */
import { DSLX_OPERATORS, DSLX_TYPES } from "../alb.js";
import {
  CERTIFICATE_SCHEMA,
  EXTENSION_SCHEMAS,
  SERVICE_GROUP_SCHEMA,
  SOURCE_SCHEMA,
} from "./alb-extensions.js";
import { objectSchema } from "./object-schema.js";
import { boolean, integer, list, object, string } from "./schema.js";

/** API servers refuse rules in CEL whose cost they can't bound. */
const MOST_TERMS = 64;
const MOST_ROWS = 4096;

const DSLX = list(
  object(
    {
      type: string({
        description: "What is compared.",
        admission: { enum: DSLX_TYPES },
      }),
      key: string({ description: "Name of the header, parameter or cookie." }),
      values: list(list(string()), {
        description: `Rows \`[operator, argument…]\`, of which one has to hold; operators are ${DSLX_OPERATORS.join(", ")}.`,
        admission: { maxItems: MOST_ROWS },
        "x-kubernetes-validations": [
          {
            rule: `self.all(row, size(row) > 0 && row[0] in ${JSON.stringify(DSLX_OPERATORS)})`,
            message: "each row begins with an operator",
          },
        ],
      }),
    },
    { required: ["type", "values"] },
  ),
  {
    description: "Terms that all have to hold for the rule to match.",
    admission: { maxItems: MOST_TERMS },
  },
);

export const RULE_SCHEMA = objectSchema(
  {
    spec: object(
      {
        dslx: DSLX,
        dsl: string({ description: "Printable form of dslx; not read." }),
        domain: string({ description: "Host name that certificate_name is for." }),
        url: string({ description: "Path that rewrite_target replaces if rewrite_base is empty." }),
        priority: integer({ description: "Smaller numbers are tried first." }),
        serviceGroup: SERVICE_GROUP_SCHEMA,
        certificate_name: CERTIFICATE_SCHEMA,
        rewrite_base: string({ description: "Regular expression on the path." }),
        rewrite_target: string({ description: "What replaces its first match." }),
        redirectURL: string({ description: "Deprecated: config.redirect.url." }),
        redirectCode: integer({ description: "Deprecated: config.redirect.code." }),
        enableCORS: boolean({ description: "Answer cross-origin preflight requests." }),
        corsAllowHeaders: string({ description: "Headers that may be sent, separated by commas." }),
        corsAllowOrigin: string({ description: "Origins that may ask, separated by commas." }),
        vhost: string({ description: "Host header of requests to the backend." }),
        backendProtocol: string({ description: "`http`, `https` or `grpc`." }),
        description: string(),
        type: string({ description: "Deprecated, not read." }),
        source: SOURCE_SCHEMA,
        config: object(EXTENSION_SCHEMAS),
      },
      { description: "A rule of the Frontend named by the object's label." },
    ),
  },
  ["spec"],
);
