/** Cross-origin resource sharing. */
import type { AnyAnnotation } from "./annotation.js";
import { BOOLEAN, HEADER_NAMES, METHOD_LIST, NATURAL, ORIGINS, rowsOf } from "./annotation.js";

const row = rowsOf("cors");

export const ENABLE_CORS = row(
  "enable-cors",
  BOOLEAN,
  "Answers preflight requests and adds the CORS headers to responses.",
);
export const CORS_ALLOW_ORIGIN = row(
  "cors-allow-origin",
  ORIGINS,
  "Allowed origins; a leading `*.` in the host stands for one label. Every origin by default.",
);
export const CORS_ALLOW_METHODS = row(
  "cors-allow-methods",
  METHOD_LIST,
  "Allowed methods; GET, PUT, POST, DELETE, PATCH, OPTIONS by default.",
);
export const CORS_ALLOW_HEADERS = row(
  "cors-allow-headers",
  HEADER_NAMES,
  "Allowed request headers.",
);
export const CORS_EXPOSE_HEADERS = row(
  "cors-expose-headers",
  HEADER_NAMES,
  "Response headers that scripts may read.",
);
export const CORS_ALLOW_CREDENTIALS = row(
  "cors-allow-credentials",
  BOOLEAN,
  "Whether cookies may be sent; true by default, but never if every origin is allowed.",
);
export const CORS_MAX_AGE_SECONDS = row(
  "cors-max-age",
  NATURAL,
  "Seconds for which clients may cache a preflight response; 1728000 by default.",
);

export const CORS_ANNOTATIONS: readonly AnyAnnotation[] = [
  ENABLE_CORS,
  CORS_ALLOW_ORIGIN,
  CORS_ALLOW_METHODS,
  CORS_ALLOW_HEADERS,
  CORS_EXPOSE_HEADERS,
  CORS_ALLOW_CREDENTIALS,
  CORS_MAX_AGE_SECONDS,
];
