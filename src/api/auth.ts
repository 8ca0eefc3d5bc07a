/** Authentication as users write it: the Auth object of ALB2, Frontend and Rule (`spec.config.auth`), and AuthPolicy (`spec`). */
import { GATEWAY_GROUP, type KubernetesObject } from "./wire.js";
import type { PolicyStatus, PolicyTargetReference } from "./gateway.js";
import { GATEWAY_SPECS } from "./schemas/gateway-schemas.js";
import {
  type JsonSchema,
  type SchemaOf,
  type Static,
  boolean,
  list,
  object,
  objectSchema,
  string,
} from "./schemas/schema.js";

const AUTH_TYPES = ["basic"] as const;
export const SECRET_TYPES = ["auth-file", "auth-map"] as const;
/** The methods of RFC 9110 and RFC 5789, as ingress-nginx accepts them; names of methods are case-sensitive. */
export const REQUEST_METHODS = "GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE".split(" ");

/** An empty text counts as absent. */
const oneOrNone = (values: readonly string[]) => ({ admission: { enum: ["", ...values] } });
const REFERENCE = "\\s*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\\s*";
/** `<namespace>/<name>` */
const reference = { admission: { pattern: `^(${REFERENCE})?$` } };

/**
 * The methods of authentication, in the order in which they are checked, with their settings. Types, schemas,
 * CustomResourceDefinitions and the names that typos are compared with are derived from this table.
 * `needs`: a field that the method can't work without, and what it holds; API servers refuse an AuthPolicy without it.
 */
export const AUTH_METHODS = {
  basic: {
    needs: ["secret", "the secret with the credentials"],
    schema: object(
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
    ),
  },
  forward: {
    needs: ["url", "the url of the authentication service"],
    schema: object(
      {
        url: string({
          description:
            "Authentication service that is asked before each request; may hold variables.",
          admission: { pattern: "^([hH][tT][tT][pP][sS]?://[!-~]+)?$" },
        }),
        method: string({
          description: "HTTP method of the question; GET by default.",
          ...oneOrNone(REQUEST_METHODS),
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
    ),
  },
} as const satisfies Readonly<
  Record<string, { readonly schema: JsonSchema; readonly needs?: readonly [string, string] }>
>;

export type AuthMethodName = keyof typeof AUTH_METHODS;
export const AUTH_METHOD_NAMES: readonly string[] = Object.keys(AUTH_METHODS);

/** Settings of one method. */
export type AuthSpec<M extends AuthMethodName = AuthMethodName> = Static<
  (typeof AUTH_METHODS)[M]["schema"]
>;

/** An absent method is not configured. `Auth` without any switches authentication off. */
export type Auth = { readonly [M in AuthMethodName]?: AuthSpec<M> } & {
  /**
   * Decoding sets it, and removes the methods, if the user did not write an Auth object (a wrong type, an unknown field): one sentence
   * on why. What was meant is unknown, so the protected paths answer 503.
   */
  readonly invalid?: string;
};

/** The schema of each method, with what `facets` adds to it. */
function methodSchemas(
  facets: (name: string, needs: readonly [string, string] | undefined) => Partial<JsonSchema>,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(AUTH_METHODS).map(([name, { schema, needs }]) => [
      name,
      { ...schema, ...facets(name, needs) },
    ]),
  );
}

export const AUTH_SCHEMA: SchemaOf<Auth> = {
  type: "object",
  properties: methodSchemas(() => ({})),
  description:
    "Authentication of requests. A Rule's replaces its Frontend's, which replaces the ALB2's; an empty object switches authentication off.",
};

/** Kinds of Gateway API that an AuthPolicy can target. */
export const AUTH_TARGETS = ["Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute"] as const;

/**
 * The Auth object for Gateway API ({alb_api_group}/v1alpha1). An ExtensionRef filter names it, or it names Gateways, listeners
 * (sectionName) and routes itself.
 */
export interface AuthPolicy extends KubernetesObject {
  readonly spec: Auth & { readonly targetRefs?: readonly PolicyTargetReference[] };
  readonly status?: PolicyStatus;
}

const SAME_TARGET =
  "a.group == b.group && a.kind == b.kind && a.name == b.name && (has(a.sectionName) ? a.sectionName : '') == (has(b.sectionName) ? b.sectionName : '')";

/** API servers refuse more than decoding does, which closes the paths of a broken policy so that its problem is noticed. */
export const AUTH_POLICY_SCHEMA = objectSchema(
  {
    spec: object(
      {
        ...methodSchemas((name, needs) => {
          if (needs === undefined) return {};
          const [field, what] = needs;
          const rule = `has(self.${field}) && size(self.${field}) > 0`;
          return { "x-kubernetes-validations": [{ rule, message: `${name} needs ${what}` }] };
        }),
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
        description: `Authentication of requests, in this order: ${AUTH_METHOD_NAMES.join(", ")}. The most specific policy replaces the others as a whole; one without a method switches authentication off.`,
      },
    ),
  },
  ["spec"],
);
