/** The Auth object of ALB2, Frontend and Rule (`spec.config.auth`) and of AuthPolicy (`spec`), and its parts. */
import { boolean, list, object, string } from "./schemas/schema.js";
import type { SchemaOf, Static } from "./schemas/schema.js";

export const AUTH_TYPES = ["basic"] as const;
export const SECRET_TYPES = ["auth-file", "auth-map"] as const;
/** The methods of RFC 9110 and RFC 5789, as ingress-nginx takes them; names of methods are case-sensitive. */
export const AUTH_METHODS = "GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE".split(" ");

/** A text that is empty is as one that is absent. */
const oneOrNone = (values: readonly string[]) => ({ admission: { enum: ["", ...values] } });
const REFERENCE = "\\s*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\\s*";
const reference = { admission: { pattern: `^(${REFERENCE})?$` } };

export const BASIC_AUTH_SCHEMA = object(
  {
    auth_type: string({
      description: "Scheme of the credentials; only `basic`, the default, is supported.",
      ...oneOrNone(AUTH_TYPES),
    }),
    realm: string({
      description: "Realm of the WWW-Authenticate header of a 401; empty by default.",
    }),
    secret: string({
      description:
        "Secret with the credentials, as `<namespace>/<name>`. Only apr1 hashes are supported.",
      ...reference,
    }),
    secret_type: string({
      description:
        "Layout of the secret: `auth-file` (default; htpasswd lines under the key `auth`) or `auth-map` (each key a user, its value the hash).",
      ...oneOrNone(SECRET_TYPES),
    }),
  },
  { description: "Checks user name and password of the request (RFC 7617)." },
);

export const FORWARD_AUTH_SCHEMA = object(
  {
    url: string({
      description: "Authentication service that is asked before each request; may hold variables.",
      admission: { pattern: "^([hH][tT][tT][pP][sS]?://[!-~]+)?$" },
    }),
    method: string({
      description: "HTTP method of the question; GET by default.",
      ...oneOrNone(AUTH_METHODS),
    }),
    auth_headers_cm_ref: string({
      description:
        "Config map with further headers for the authentication service, as `<namespace>/<name>`; values may hold variables.",
      ...reference,
    }),
    auth_request_redirect: string({
      description:
        "Value of the X-Auth-Request-Redirect header; the request URI by default; may hold variables.",
    }),
    upstream_headers: list(string(), {
      description:
        "Headers of the authentication service's answer that are copied into the request to the backend.",
    }),
    signin: string({
      description:
        "Page that a client is redirected to when the authentication service answers 401.",
    }),
    signin_redirect_param: string({
      description:
        "Query parameter of the sign-in page that takes the original URL; `rd` by default.",
    }),
    always_set_cookie: boolean({
      description:
        "Pass the authentication service's cookies on with every response, not only with successful ones.",
    }),
  },
  { description: "Asks an authentication service whether the request may pass." },
);

export type BasicAuthSpec = Static<typeof BASIC_AUTH_SCHEMA>;
export type ForwardAuthSpec = Static<typeof FORWARD_AUTH_SCHEMA>;

/** Absent parts are not configured. */
export interface Auth {
  /**
   * Set by decoding when what the user wrote is not an Auth object (a wrong type, an unknown field): one sentence on
   * why. Nobody can say what was meant, so the paths that it protects answer 503; `basic` and `forward` are absent.
   */
  readonly invalid?: string;
  readonly basic?: BasicAuthSpec;
  readonly forward?: ForwardAuthSpec;
}

export const AUTH_SCHEMA: SchemaOf<Auth> = object(
  { basic: BASIC_AUTH_SCHEMA, forward: FORWARD_AUTH_SCHEMA },
  {
    description:
      "Authentication of requests. A Rule's replaces its Frontend's, which replaces the ALB2's; an empty object switches authentication off.",
  },
);
