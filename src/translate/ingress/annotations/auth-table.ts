/** Authentication. src/translate/auth reads the annotations of its methods itself; a problem of their values closes the path. */
import { AUTH_METHODS } from "../../../api/auth.js";
import { METHODS, annotationsOf } from "../../auth/methods.js";
import type { AnyAnnotation, UnsupportedAnnotation } from "./annotation.js";
import { OWN_PREFIXES, PATH_PREFIXES, choiceOf, rowsOf } from "./annotation.js";

function unsupported(name: string, doc: string, why: string): UnsupportedAnnotation {
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

export const AUTH_ANNOTATIONS: readonly AnyAnnotation[] = [
  rowsOf("auth")(
    "auth-enable",
    choiceOf(["true", "false"]),
    "`false` switches authentication off, including inherited authentication; any other value leaves it on.",
    { prefixes: OWN_PREFIXES },
  ),
  ...METHODS.flatMap((method) => annotationsOf(method).map(([, annotation]) => annotation)),
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
  unsupported(
    "auth-tls-verify-client",
    "How client certificates are verified.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupported(
    "auth-tls-verify-depth",
    "Maximum chain length of client certificates.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupported(
    "auth-tls-error-page",
    "URL to which clients without a valid certificate are redirected.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupported(
    "auth-tls-match-cn",
    "Pattern that the name in client certificates must match.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupported(
    "auth-tls-pass-certificate-to-upstream",
    "Sends client certificates to the backend.",
    NO_CLIENT_CERTIFICATES,
  ),
  unsupported(
    "auth-snippet",
    "nginx configuration for the request to the auth service.",
    "Text of users never becomes nginx configuration. Use auth-proxy-set-headers for more headers.",
  ),
  unsupported("auth-cache-key", "Key by which auth responses are cached.", NO_CACHE),
  unsupported("auth-cache-duration", "How long auth responses are cached.", NO_CACHE),
  unsupported("auth-keepalive", "Number of idle connections to the auth service.", POOLED),
  unsupported("auth-keepalive-requests", "Maximum requests on one such connection.", POOLED),
  unsupported("auth-keepalive-timeout", "How long an idle connection is kept.", POOLED),
  unsupported(
    "auth-keepalive-share-vars",
    "Shares nginx's variables with the request to the service.",
    POOLED,
  ),
  unsupported(
    "enable-global-auth",
    "Switches off authentication that is configured for all Ingresses.",
    "Use auth-enable under the load balancer's own prefix; this one leaves authentication on.",
  ),
];

/** Without these there is no authentication; the others only say how it is done. */
export const AUTH_SWITCHES: readonly string[] = [
  ...METHODS.flatMap((method) => {
    const [needed] = AUTH_METHODS[method.field].needs;
    return annotationsOf(method).flatMap(([field, { name }], i) =>
      i === 0 || field === needed ? [name] : [],
    );
  }),
  "auth-tls-secret",
];
