/** Settings that ALB2, Frontend and Rule share. */
import { AUTH_SCHEMA } from "./auth-schema.js";
import { anyObject, integer, list, object, port, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

const milliseconds = (description: string): JsonSchema => integer({ minimum: 0, description });

export const TIMEOUT_SCHEMA = object(
  {
    proxy_connect_timeout_ms: milliseconds("For the connection to a backend, in milliseconds."),
    proxy_send_timeout_ms: milliseconds("Between two writes to a backend, in milliseconds."),
    proxy_read_timeout_ms: milliseconds("Between two reads from a backend, in milliseconds."),
  },
  { description: "Timeouts towards the backend." },
);

export const REDIRECT_SCHEMA = object(
  {
    code: integer({ description: "HTTP status code; 302 by default." }),
    url: string({
      description: "Whole target; without it the target is put together from the rest.",
    }),
    scheme: string({ description: "Scheme of the target; the request's by default." }),
    host: string({ description: "Host of the target; the request's by default." }),
    port: port({ description: "Port of the target." }),
    prefix_match: string({ description: "Prefix of the request's path that is replaced." }),
    replace_prefix: string({ description: "What replaces it." }),
  },
  { description: "Answers with a redirect instead of forwarding." },
);

export const EXTENSION_SCHEMAS = {
  auth: AUTH_SCHEMA,
  timeout: TIMEOUT_SCHEMA,
  redirect: REDIRECT_SCHEMA,
  otel: anyObject({ description: "Tracing; kept, without effect." }),
  modsecurity: anyObject({ description: "Web application firewall; kept, without effect." }),
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const SERVICE_GROUP_SCHEMA = object(
  {
    session_affinity_policy: string({
      description: "Keeps a client on one backend: empty, `sip-hash`, `cookie` or `header`.",
    }),
    session_affinity_attribute: string({ description: "Name of that cookie or header." }),
    services: list(
      object(
        {
          name: string(),
          namespace: string({ description: "The object's own by default." }),
          port: port({ description: "Port of the Service, not of its pods." }),
          weight: integer({
            minimum: 0,
            description: "Share of the traffic among the group's Services; 0 means none.",
          }),
        },
        { required: ["name", "port"] },
      ),
      { description: "The Services, by name." },
    ),
  },
  { description: "Services that the traffic goes to." },
);

export const SOURCE_SCHEMA = object(
  { name: string(), namespace: string(), type: string() },
  { description: "Object that this one was made from." },
);

export const CERTIFICATE_SCHEMA = string({
  description: "TLS secret, as `<namespace>/<name>` or `<namespace>_<name>`.",
});
