/** Authentication. src/translate/auth reads these itself, with the fallback that any problem closes the path. */
import { SECRET_TYPES } from "../../../api/auth.js";
import type { AnyAnnotation, Annotation, UnsupportedAnnotation } from "./annotation.js";
import {
  BOOLEAN,
  HEADER_NAMES,
  OWN_PREFIXES,
  PATH_PREFIXES,
  TEXT,
  choiceOf,
  rowsOf,
} from "./annotation.js";

const row = rowsOf("auth");

function auth<T>(name: string, type: Annotation<T>["type"], doc: string): Annotation<T> {
  return row(name, type, doc, { fallback: "closed" });
}

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
  row(
    "auth-enable",
    choiceOf(["true", "false"]),
    "`false` switches authentication off, including inherited authentication; any other value leaves it on.",
    { prefixes: OWN_PREFIXES },
  ),
  auth(
    "auth-type",
    choiceOf(["basic"]),
    "`basic` asks for a user and password; `digest` is not supported.",
  ),
  auth(
    "auth-secret",
    TEXT,
    "Secret with the users: `<namespace>/<name>`, or a name in the Ingress's namespace.",
  ),
  auth(
    "auth-secret-type",
    choiceOf(SECRET_TYPES),
    "Layout of that secret: `auth-file`, the default, is one key `auth` with htpasswd lines; `auth-map` is a key for each user.",
  ),
  auth("auth-realm", TEXT, "Realm of the WWW-Authenticate header; empty by default."),
  auth(
    "auth-url",
    TEXT,
    "URL of the auth service that decides about each request; may contain variables.",
  ),
  auth("auth-method", TEXT, "Method of the request to the auth service; GET by default."),
  auth(
    "auth-signin",
    TEXT,
    "URL to which clients are redirected when the auth service answers 401; may contain variables.",
  ),
  auth(
    "auth-signin-redirect-param",
    TEXT,
    "Query parameter of the sign-in URL for the original URL; `rd` by default.",
  ),
  auth(
    "auth-response-headers",
    HEADER_NAMES,
    "Headers of the auth response that the backend gets; the client's own are removed. What backends learn of a request (operations.md) can't be changed: such names are reported and left out.",
  ),
  auth(
    "auth-proxy-set-headers",
    TEXT,
    "ConfigMap `<namespace>/<name>` with more headers for the auth service.",
  ),
  auth(
    "auth-request-redirect",
    TEXT,
    "Value of X-Auth-Request-Redirect; the request URI by default.",
  ),
  auth(
    "auth-always-set-cookie",
    BOOLEAN,
    "Adds cookies of the auth service to every response, not only to successful ones.",
  ),
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
