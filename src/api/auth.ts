/** The Auth object of ALB2, Frontend and Rule (`spec.config.auth`) and of AuthPolicy (`spec`), and its parts. */
import { GATEWAY_GROUP } from "./wire.js";
import type { PolicyStatus, PolicyTargetReference } from "./gateway.js";
import { GATEWAY_SPECS } from "./schemas/gateway-schemas.js";
import type { SchemaOf, Static } from "./schemas/schema.js";
import { boolean, list, object, objectSchema, string } from "./schemas/schema.js";
import type { KubernetesObject } from "./wire.js";

const AUTH_TYPES = ["basic"] as const;
export const SECRET_TYPES = ["auth-file", "auth-map"] as const;
/** The methods of RFC 9110 and RFC 5789, as ingress-nginx takes them; names of methods are case-sensitive. */
export const AUTH_METHODS = "GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE".split(" ");

/** A text that is empty is as one that is absent. */
const oneOrNone = (values: readonly string[]) => ({ admission: { enum: ["", ...values] } });
const REFERENCE = "\\s*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\\s*";
const reference = { admission: { pattern: `^(${REFERENCE})?$` } };

const BASIC_AUTH_SCHEMA = object(
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

/**
 * AuthPolicy ({alb_api_group}/v1alpha1): the Auth object for Gateway API. API servers refuse more than we do: what is broken closes
 * its paths here, so that it is told where requests are answered, too.
 */

/** Kinds of Gateway API that it can be for. */
export const AUTH_TARGETS = ["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute"] as const;

/** Named by an ExtensionRef filter, or attached to the Gateways, listeners (sectionName) and HTTPRoutes that it names. */
export interface AuthPolicy extends KubernetesObject {
  readonly spec: Auth & { readonly targetRefs?: readonly PolicyTargetReference[] };
  readonly status?: PolicyStatus;
}

const SAME_TARGET =
  "a.group == b.group && a.kind == b.kind && a.name == b.name && (has(a.sectionName) ? a.sectionName : '') == (has(b.sectionName) ? b.sectionName : '')";

export const AUTH_POLICY_SCHEMA = objectSchema(
  {
    spec: object(
      {
        basic: {
          ...BASIC_AUTH_SCHEMA,
          "x-kubernetes-validations": [
            {
              rule: "has(self.secret) && size(self.secret) > 0",
              message: "basic needs the secret with the credentials",
            },
          ],
        },
        forward: {
          ...FORWARD_AUTH_SCHEMA,
          "x-kubernetes-validations": [
            {
              rule: "has(self.url) && size(self.url) > 0",
              message: "forward needs the url of the authentication service",
            },
          ],
        },
        targetRefs: {
          ...GATEWAY_SPECS.BackendTLSPolicy.properties.targetRefs,
          minItems: 0,
          description:
            "Gateways, their listeners (sectionName), ListenerSets, HTTPRoutes and GRPCRoutes of the same namespace whose requests it covers; what an ExtensionRef filter names needs none.",
          "x-kubernetes-validations": [
            {
              rule: `self.all(a, self.exists_one(b, ${SAME_TARGET}))`,
              message: "a target must not stand twice",
            },
            {
              rule: `self.all(a, a.group == '${GATEWAY_GROUP}' && a.kind in ${JSON.stringify(AUTH_TARGETS)})`,
              message: `a target is a ${AUTH_TARGETS.join(", ")} of ${GATEWAY_GROUP}`,
            },
          ],
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
