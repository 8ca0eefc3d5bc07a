/** The ExternalAuth filter (GEP-1494) of routes and listeners. */
import { choice, PATH_PATTERN } from "./gateway-names.js";
import { BACKEND_REFERENCE } from "./gateway-references.js";
import { integer, list, object, string } from "./schema.js";

const HEADER_NAMES = list(string(), { maxItems: 64 });

export const EXTERNAL_AUTH = object(
  {
    protocol: choice(),
    backendRef: BACKEND_REFERENCE,
    grpc: object({ allowedHeaders: HEADER_NAMES }),
    http: object({
      path: string({ maxLength: 1024, pattern: PATH_PATTERN }),
      allowedHeaders: HEADER_NAMES,
      allowedResponseHeaders: HEADER_NAMES,
    }),
    forwardBody: object({ maxSize: integer({ minimum: 0, maximum: 2 ** 31 - 1 }) }),
  },
  { required: ["protocol", "backendRef"] },
);
