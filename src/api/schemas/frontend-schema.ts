/** Frontend: a port of a load balancer. */
import {
  CERTIFICATE_SCHEMA,
  EXTENSION_SCHEMAS,
  SERVICE_GROUP_SCHEMA,
  SOURCE_SCHEMA,
} from "./alb-extensions.js";
import { objectSchema } from "./object-schema.js";
import { anyObject, object, port, string } from "./schema.js";

export const FRONTEND_SCHEMA = objectSchema(
  {
    spec: object(
      {
        port: port({ description: "Port that is listened on." }),
        protocol: string({ description: "`http`, `https`, `grpc`, `tcp` or `udp`." }),
        serviceGroup: SERVICE_GROUP_SCHEMA,
        source: SOURCE_SCHEMA,
        certificate_name: CERTIFICATE_SCHEMA,
        backendProtocol: string({ description: "`http`, `https` or `grpc`." }),
        config: object({
          ...EXTENSION_SCHEMAS,
          keepalive: anyObject({ description: "Kept, without effect." }),
        }),
      },
      {
        required: ["port"],
        description: "A port of the load balancer named by the object's label.",
      },
    ),
  },
  ["spec"],
);
