/** Filters of HTTPRoutes and GRPCRoutes. */
import { EXTERNAL_AUTH } from "./external-auth-schema.js";
import { choice, HEADER_VALUE, PRECISE_HOSTNAME, TOKEN_NAME } from "./gateway-names.js";
import { BACKEND_REFERENCE, OBJECT_REFERENCE } from "./gateway-references.js";
import { boolean, integer, list, object, port, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const HEADERS = list(
  object({ name: TOKEN_NAME, value: HEADER_VALUE }, { required: ["name", "value"] }),
  { maxItems: 16 },
);
const HEADER_MODIFIER = object({
  set: HEADERS,
  add: HEADERS,
  remove: list(string(), { maxItems: 16 }),
});

const REQUEST_MIRROR = object(
  {
    backendRef: BACKEND_REFERENCE,
    percent: integer({ minimum: 0, maximum: 100 }),
    fraction: object(
      {
        numerator: integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
        denominator: integer({ minimum: 1, maximum: 2 ** 31 - 1, default: 100 }),
      },
      { required: ["numerator"] },
    ),
  },
  { required: ["backendRef"] },
);

const PATH_MODIFIER = object(
  {
    type: choice(),
    replaceFullPath: string({ maxLength: 1024 }),
    replacePrefixMatch: string({ maxLength: 1024 }),
  },
  { required: ["type"] },
);

const REQUEST_REDIRECT = object({
  scheme: choice(),
  hostname: PRECISE_HOSTNAME,
  path: PATH_MODIFIER,
  port: port(),
  statusCode: integer({ default: 302 }),
});

const ORIGIN = string({
  minLength: 1,
  maxLength: 253,
  pattern:
    "(^\\*$)|(^(http(s)?):\\/\\/(((\\*\\.)?([a-zA-Z0-9\\-]+\\.)*[a-zA-Z0-9-]+|\\*)(:([0-9]{1,5}))?)$)",
});

const CORS = object({
  allowOrigins: list(ORIGIN, { maxItems: 64 }),
  allowCredentials: boolean(),
  allowMethods: list(choice(), { maxItems: 9 }),
  allowHeaders: list(TOKEN_NAME, { maxItems: 64 }),
  exposeHeaders: list(TOKEN_NAME, { maxItems: 64 }),
  maxAge: integer({ minimum: 1, maximum: 2 ** 31 - 1, default: 5 }),
});

const GRPC_FILTER_FIELDS = {
  requestHeaderModifier: HEADER_MODIFIER,
  responseHeaderModifier: HEADER_MODIFIER,
  requestMirror: REQUEST_MIRROR,
  extensionRef: OBJECT_REFERENCE,
} as const;

const HTTP_FILTER_FIELDS = {
  ...GRPC_FILTER_FIELDS,
  requestRedirect: REQUEST_REDIRECT,
  urlRewrite: object({ hostname: PRECISE_HOSTNAME, path: PATH_MODIFIER }),
  cors: CORS,
  externalAuth: EXTERNAL_AUTH,
} as const;

function filters(fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return list(object({ type: choice(), ...fields }, { required: ["type"] }), { maxItems: 16 });
}

export const HTTP_FILTERS = filters(HTTP_FILTER_FIELDS);
export const GRPC_FILTERS = filters(GRPC_FILTER_FIELDS);
