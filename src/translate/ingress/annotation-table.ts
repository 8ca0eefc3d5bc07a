/** Every known annotation below the own and the compatible domain. */
import { AUTH_METHODS } from "../../api/auth.js";
import { METHODS, methodAnnotations } from "../auth/methods.js";
import type { AnyAnnotation, UnsupportedAnnotation } from "./annotations/annotation.js";
import { OWN_PREFIXES, PATH_PREFIXES, choiceOf, rowsOf } from "./annotations/annotation.js";
import { BACKEND_ANNOTATIONS } from "./annotations/backend-table.js";
import { CORS_ANNOTATIONS } from "./annotations/cors-table.js";
import { REDIRECT_ANNOTATIONS } from "./annotations/redirect-table.js";
import { CANARY, ROUTING_ANNOTATIONS } from "./annotations/routing-table.js";
import { UNSUPPORTED_ANNOTATIONS } from "./annotations/unsupported-table.js";

function unsupportedAuth(name: string, doc: string, why: string): UnsupportedAnnotation {
  return {
    name,
    group: "auth",
    prefixes: PATH_PREFIXES,
    fallback: "ignored",
    supported: false,
    acts: () => true,
    doc,
    why,
  };
}

const NO_CACHE = "Every request is checked: a cached answer would outlive a revoked session.";
const POOLED = "Connections to auth services are always kept alive.";
const NO_CLIENT_CERTIFICATES =
  "Client certificates are not verified for Ingresses. Use basic auth (auth-type) or forward auth (auth-url).";

/** Authentication. translate/auth reads those of its methods itself: a problem of their values closes the path. */
export const AUTH_ANNOTATIONS: readonly AnyAnnotation[] = [
  rowsOf("auth")(
    "auth-enable",
    choiceOf(["true", "false"]),
    "`false` switches authentication off, including inherited authentication; any other value leaves it on.",
    { prefixes: OWN_PREFIXES },
  ),
  ...METHODS.flatMap((method) => methodAnnotations(method).map(([, annotation]) => annotation)),
  {
    name: "auth-tls-secret",
    group: "auth",
    prefixes: PATH_PREFIXES,
    fallback: "closed",
    supported: false,
    acts: () => true,
    doc: "Secret with the CA of client certificates.",
    why: "Client certificates are not verified for Ingresses, and without them the path would be open. Use basic auth (auth-type) or forward auth (auth-url).",
  },
  unsupportedAuth(
    "auth-tls-verify-client",
    "How client certificates are verified.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupportedAuth(
    "auth-tls-verify-depth",
    "Maximum chain length of client certificates.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupportedAuth(
    "auth-tls-error-page",
    "URL to which clients without a valid certificate are redirected.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupportedAuth(
    "auth-tls-match-cn",
    "Pattern that the name in client certificates must match.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupportedAuth(
    "auth-tls-pass-certificate-to-upstream",
    "Sends client certificates to the backend.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupportedAuth(
    "auth-snippet",
    "nginx configuration for the request to the auth service.",
    "Text of users never becomes nginx configuration. Use auth-proxy-set-headers for more headers.",
  ),
  unsupportedAuth("auth-cache-key", "Key by which auth responses are cached.", NO_CACHE),
  unsupportedAuth("auth-cache-duration", "How long auth responses are cached.", NO_CACHE),
  unsupportedAuth("auth-keepalive", "Number of idle connections to the auth service.", POOLED),
  unsupportedAuth("auth-keepalive-requests", "Maximum requests on one such connection.", POOLED),
  unsupportedAuth("auth-keepalive-timeout", "How long an idle connection is kept.", POOLED),
  unsupportedAuth(
    "auth-keepalive-share-vars",
    "Shares nginx's variables with the request to the service.",
    POOLED,
  ),
  unsupportedAuth(
    "enable-global-auth",
    "Switches off authentication that is configured for all Ingresses.",
    "Use auth-enable under the load balancer's own prefix; this one leaves authentication on.",
  ),
];

/** Without these there is no authentication; the others only say how it is done. */
export const AUTH_SWITCHES: readonly string[] = [
  ...METHODS.flatMap((method) => {
    const [needed] = AUTH_METHODS[method.field].needs;
    return methodAnnotations(method).flatMap(([field, { name }], i) =>
      i === 0 || field === needed ? [name] : [],
    );
  }),
  "auth-tls-secret",
];

export const ANNOTATIONS: readonly AnyAnnotation[] = [
  ...AUTH_ANNOTATIONS,
  ...ROUTING_ANNOTATIONS,
  ...REDIRECT_ANNOTATIONS,
  ...CORS_ANNOTATIONS,
  ...BACKEND_ANNOTATIONS,
  CANARY,
  ...UNSUPPORTED_ANNOTATIONS,
];

const BY_NAME: ReadonlyMap<string, AnyAnnotation> = new Map(
  ANNOTATIONS.map((annotation) => [annotation.name, annotation]),
);

export function findAnnotation(name: string): AnyAnnotation | undefined {
  return BY_NAME.get(name);
}
