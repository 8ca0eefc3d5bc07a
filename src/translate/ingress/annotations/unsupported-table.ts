/** Known annotations of ingress-nginx that have no effect here, each with the reason. */
import { BOOLEAN, PATH_PREFIXES, type UnsupportedAnnotation } from "./annotation.js";
import { restricts, snippetRestrictions } from "../snippets/restrictions.js";

const NO_TEXT = "Text of users never becomes nginx configuration.";
const SNIPPET = `${NO_TEXT} The option snippets: translate does what its directives say, one by one.`;
const OWN_BUFFERS =
  "Sizes of buffers are fixed, and no response goes to disk. Bodies of requests are streamed, but for short ones; use proxy-body-size to limit them.";
const ONE_RETRY_RULE =
  "Failed connections are retried on up to five endpoints, always in the same way. Use proxy-connect-timeout to fail sooner.";
const NO_RATE_LIMIT =
  "The limit is not enforced. Use limit-rps or limit-rpm, or limit in front of the gateway.";
const NO_WAF =
  "There is no web application firewall; requests are not inspected. Put one in front of the gateway.";
const ONE_TRACING =
  "Tracing is configured for the whole gateway (docs/tracing.md); of a path, only trace-rate can be chosen.";
const NO_CLIENT_TLS_SETTINGS =
  "TLS to the backend of an Ingress is not verified and offers no client certificate.";
const PAGES_OF_BOTH =
  "A status that has an error page has it for errors of the backend, too; leave the status out of custom-http-errors.";
const CANARY =
  "It belongs to canary, which is not supported. Use weights in the serviceGroup of a Rule.";
const COOKIES_PASS =
  "Cookies of backends are passed through; let the backend set them as clients are to see them.";
const REDIRECTS_PASS =
  "Redirects of backends are passed through; let the backend make them from X-Forwarded-Host and X-Forwarded-Proto.";
const NO_FASTCGI =
  "FastCGI backends are not supported. Put a web server in front of them that speaks HTTP.";
const NO_CLIENT_CERTIFICATES =
  "Client certificates are not verified for Ingresses. Use basic auth (auth-type) or forward auth (auth-url).";
const ONE_LOG = "The access log is on or off for the whole gateway: see the option accessLog.";

/** Rows of one reason: what each annotation does, by its name. */
function rowsOf(effect: Pick<UnsupportedAnnotation, "fallback" | "acts">) {
  return (
    group: UnsupportedAnnotation["group"],
    why: string,
    docs: Readonly<Record<string, string>>,
  ): readonly UnsupportedAnnotation[] =>
    Object.entries(docs).map(([name, doc]) => {
      return { name, group, prefixes: PATH_PREFIXES, supported: false, doc, why, ...effect };
    });
}

/** A switch whose value can't be read may be meant to be on. */
function isOn(text: string): boolean {
  const value = BOOLEAN.parse(text);
  return !value.ok || value.value;
}

/** Clients see no difference, whatever the value. */
export const neverActs = (): boolean => false;

const ignored = rowsOf({ fallback: "ignored", acts: () => true });
const same = rowsOf({ fallback: "ignored", acts: neverActs });
const ignoredBySwitch = rowsOf({ fallback: "ignored", acts: isOn });
/** `values`: what happens anyway. */
const ignoredUnless = (...values: readonly string[]) =>
  rowsOf({ fallback: "ignored", acts: (text) => !values.includes(text.toLowerCase()) });
const unenforced = rowsOf({ fallback: "unenforced", acts: (text) => text !== "0" });
const closed = rowsOf({ fallback: "closed", acts: () => true });
const closedBySwitch = rowsOf({ fallback: "closed", acts: isOn });
/** nginx configuration that may restrict access. */
const closedBySnippet = rowsOf({
  fallback: "closed",
  acts: (text) => restricts(snippetRestrictions(text)),
});

export const UNSUPPORTED_ANNOTATIONS: readonly UnsupportedAnnotation[] = [
  ...closed(
    "auth",
    "Client certificates are not verified for Ingresses, and without them the path would be open. Use basic auth (auth-type) or forward auth (auth-url).",
    { "auth-tls-secret": "Secret with the CA of client certificates." },
  ),
  ...ignored("auth", NO_CLIENT_CERTIFICATES, {
    "auth-tls-verify-client": "How client certificates are verified.",
    "auth-tls-verify-depth": "Maximum chain length of client certificates.",
    "auth-tls-error-page": "URL to which clients without a valid certificate are redirected.",
    "auth-tls-match-cn": "Pattern that the name in client certificates must match.",
    "auth-tls-pass-certificate-to-upstream": "Sends client certificates to the backend.",
  }),
  ...ignored("auth", `${SNIPPET} auth-proxy-set-headers has more headers, too.`, {
    "auth-snippet": "nginx configuration for the request to the auth service.",
  }),
  ...ignored("auth", "Every request is checked: a cached answer would outlive a revoked session.", {
    "auth-cache-key": "Key by which auth responses are cached.",
    "auth-cache-duration": "How long auth responses are cached.",
  }),
  ...same("auth", "Connections to auth services are always kept alive.", {
    "auth-keepalive": "Number of idle connections to the auth service.",
    "auth-keepalive-requests": "Maximum requests on one such connection.",
    "auth-keepalive-timeout": "How long an idle connection is kept.",
    "auth-keepalive-share-vars": "Shares nginx's variables with the request to the service.",
  }),
  ...same(
    "auth",
    "There is no authentication for all Ingresses. That of an ALB2 or Frontend stays on; auth-enable under the load balancer's own prefix switches it off.",
    {
      "enable-global-auth": "Switches off authentication that is configured for all Ingresses.",
    },
  ),
  ...ignored("affinity", CANARY, {
    "affinity-canary-behavior": "Whether sessions stay on a canary.",
  }),
  ...same("affinity", "The hash is always the same.", {
    "session-cookie-hash": "Hash of the session cookie; ingress-nginx ignores it, too.",
  }),
  ...same("backend", OWN_BUFFERS, {
    "client-body-buffer-size": "Memory for buffering a request body.",
    "proxy-buffers-number": "Number of response buffers.",
    "proxy-busy-buffers-size": "Size of buffers that are being sent.",
    "proxy-max-temp-file-size": "Maximum size of temporary files for a response.",
    "proxy-request-buffering": "Buffers request bodies.",
  }),
  ...ignoredUnless("1.1")("backend", "HTTP/1.1 is used, or HTTP/2 for gRPC.", {
    "proxy-http-version": "HTTP version to the backend.",
  }),
  ...ignoredUnless("off")("backend", COOKIES_PASS, {
    "proxy-cookie-domain": "Changes the domain of the backend's cookies.",
    "proxy-cookie-path": "Changes the path of the backend's cookies.",
  }),
  ...ignoredUnless("error timeout")("backend", ONE_RETRY_RULE, {
    "proxy-next-upstream": "When a request is sent to another endpoint.",
  }),
  ...ignoredUnless("0")("backend", ONE_RETRY_RULE, {
    "proxy-next-upstream-timeout": "How long a request is retried.",
    "proxy-next-upstream-tries": "How often a request is retried.",
  }),
  ...ignoredUnless("off", "default")("backend", REDIRECTS_PASS, {
    "proxy-redirect-from": "Location of the backend that is replaced.",
    "proxy-redirect-to": "Replacement for that Location.",
  }),
  ...ignored("backend", NO_CLIENT_TLS_SETTINGS, {
    "proxy-ssl-secret": "Client certificate and CA for the backend.",
    "proxy-ssl-ciphers": "Ciphers to the backend.",
    "proxy-ssl-name": "Name that the backend's certificate must have.",
    "proxy-ssl-protocols": "TLS versions to the backend.",
  }),
  ...same("backend", "It is always sent.", {
    "proxy-ssl-server-name": "Whether SNI is sent to the backend.",
  }),
  ...ignoredUnless("off")("backend", NO_CLIENT_TLS_SETTINGS, {
    "proxy-ssl-verify": "Verifies the backend's certificate.",
  }),
  ...same("backend", NO_CLIENT_TLS_SETTINGS, {
    "proxy-ssl-verify-depth": "Maximum chain length of the backend's certificate.",
  }),
  ...ignoredUnless("keep-alive")("backend", "nginx manages connections to backends itself.", {
    "connection-proxy-header": "Connection header to the backend.",
  }),
  ...ignored("backend", "Use rewrite-response under the load balancer's own prefix.", {
    "custom-headers": "ConfigMap with response headers.",
  }),
  ...ignored("backend", "Use rewrite-request under the load balancer's own prefix.", {
    "x-forwarded-prefix": "Value of X-Forwarded-Prefix.",
  }),
  ...ignoredUnless("round_robin", "ewma")(
    "backend",
    "Endpoints are chosen in turn, or by affinity; those that can't be reached get no turns.",
    {
      "load-balance": "Algorithm for choosing an endpoint.",
    },
  ),
  ...same("backend", "HTTP/2 push is gone from nginx and from browsers.", {
    "http2-push-preload": "Pushes resources.",
  }),
  ...ignored("backend", NO_FASTCGI, {
    "fastcgi-index": "Index file of FastCGI.",
    "fastcgi-params-configmap": "Parameters of FastCGI.",
  }),
  ...ignoredBySwitch("backend", "Use backend-protocol: HTTPS.", {
    "secure-backends": "Old name for HTTPS backends.",
  }),
  ...ignoredBySwitch("backend", PAGES_OF_BOTH, {
    "disable-proxy-intercept-errors": "Passes errors of the backend through.",
  }),
  ...ignored("backend", "Requests of Ingresses are not mirrored.", {
    "mirror-target": "Where requests are mirrored to.",
    "mirror-host": "Host header of mirrored requests.",
    "mirror-request-body": "Whether bodies are mirrored.",
  }),
  ...ignored("canary", CANARY, {
    "canary-by-header": "Header that chooses the canary.",
    "canary-by-header-value": "Value of that header.",
    "canary-by-header-pattern": "Pattern for that header.",
    "canary-by-cookie": "Cookie that chooses the canary.",
    "canary-weight": "Share of requests for the canary.",
    "canary-weight-total": "Total to which the share relates.",
  }),
  ...ignored("access", NO_RATE_LIMIT, {
    "limit-rate-after": "Bytes before limit-rate applies.",
    "global-rate-limit-window": "Window of global-rate-limit.",
    "global-rate-limit-key": "Key by which global-rate-limit counts.",
    "global-rate-limit-ignored-cidrs": "Clients that global-rate-limit does not count.",
  }),
  ...ignored("waf", NO_WAF, {
    "modsecurity-transaction-id": "Names transactions.",
  }),
  ...ignoredUnless("true")("observability", ONE_LOG, {
    "enable-access-log": "Whether requests are logged.",
  }),
  ...same("observability", "`albc explain` shows what a request would be rewritten to.", {
    "enable-rewrite-log": "Whether rewrites are logged.",
  }),
  ...ignored("observability", ONE_TRACING, {
    "opentelemetry-operation-name": "Name of the span.",
    "opentelemetry-trust-incoming-span": "Trusts the client's span.",
    "opentelemetry-trust-incoming-spans": "Trusts the client's span.",
  }),
  ...ignoredBySwitch("observability", ONE_TRACING, {
    "enable-opentracing": "Traces requests.",
  }),
  ...ignored("observability", ONE_TRACING, {
    "opentracing-trust-incoming-span": "Trusts the client's span.",
    otel: "The origin's own tracing.",
  }),
  ...ignored("observability", "There is no exporter for InfluxDB.", {
    "enable-influxdb": "Sends metrics to InfluxDB.",
    "influxdb-measurement": "Measurement for InfluxDB.",
    "influxdb-port": "Port of InfluxDB.",
    "influxdb-host": "Host of InfluxDB.",
    "influxdb-server-name": "Server name for InfluxDB.",
  }),
  ...ignored("snippet", NO_TEXT, {
    "stream-snippet": "nginx configuration of TCP and UDP.",
  }),
  ...ignoredBySwitch(
    "redirect",
    "Use an Ingress for the other name with alb.ingress.cpaas.io/redirect-host.",
    {
      "from-to-www-redirect": "Redirects between the name with and without `www.`.",
    },
  ),
  ...ignoredUnless("true")("redirect", "It is always kept.", {
    "preserve-trailing-slash": "Keeps the slash at the end in redirects to https.",
  }),
  ...ignoredBySwitch("redirect", "The port is there whenever it is not 443.", {
    "use-port-in-redirects": "Puts the port into redirects to https.",
  }),
  ...ignoredBySwitch("redirect", "Redirects are absolute.", {
    "relative-redirects": "Redirects without scheme and host.",
  }),
  ...ignoredBySwitch("tls", "TLS always ends at the gateway.", {
    "ssl-passthrough": "Forwards TLS to the backend without ending it.",
  }),
  ...ignored("tls", "Ciphers are the same for every host.", {
    "ssl-ciphers": "Ciphers of the hosts.",
    "ssl-prefer-server-ciphers": "Whether the server's order of ciphers counts.",
  }),
  ...unenforced("access", NO_RATE_LIMIT, {
    "limit-connections": "Concurrent connections of one client.",
    "limit-rate": "Bytes per second of a response.",
    "global-rate-limit": "Requests in a window, across all instances.",
  }),
  ...closedBySwitch("waf", NO_WAF, {
    "enable-modsecurity": "Inspects requests with ModSecurity.",
    "enable-owasp-core-rules": "Uses the OWASP rules.",
  }),
  ...closed("waf", NO_WAF, {
    "modsecurity-snippet": "Rules of ModSecurity.",
  }),
  ...closedBySnippet("snippet", SNIPPET, {
    "configuration-snippet": "nginx configuration of the paths.",
    "server-snippet": "nginx configuration of the hosts.",
  }),
];
