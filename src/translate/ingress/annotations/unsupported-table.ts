/** Known annotations of ingress-nginx that have no effect here, each with the reason. */
import type { AnnotationGroup, UnsupportedAnnotation } from "../annotation.js";
import { PATH_PREFIXES } from "./prefixes.js";
import { snippetRestricts } from "./snippet.js";
import { BOOLEAN } from "./types.js";

const SNIPPET =
  "Text of users never becomes nginx configuration. Headers are changed by rewrite-request and rewrite-response under the load balancer's own prefix.";
const STREAMED =
  "Bodies are streamed in both directions, without buffering. Use proxy-body-size to limit those of requests.";
const ONE_RETRY_RULE =
  "Failed connections are retried on up to five endpoints, always in the same way. Use proxy-connect-timeout to fail sooner.";
const NO_RATE_LIMIT =
  "Rates are not limited; the limit is not enforced. Limit them in front of the gateway, or in the backend.";
const NO_WAF =
  "There is no web application firewall; requests are not inspected. Put one in front of the gateway.";
const NO_TRACING =
  "There is no tracing. The access log has the time and the route of each request.";
const COOKIE_FIXED =
  "The session cookie has the path /, is HttpOnly, lives as long as the session, and is Secure over https.";
const NO_CLIENT_TLS_SETTINGS =
  "TLS to the backend of an Ingress is not verified and offers no client certificate.";
const PLAIN_ERRORS = "Errors of backends are passed through; let the backend answer with the page.";
const CANARY =
  "It belongs to canary, which is not supported. Use weights in the serviceGroup of a Rule.";
const MIRROR = "Requests of Ingresses are not mirrored.";

type Row = readonly [group: AnnotationGroup, name: string, doc: string, why: string];

const ROWS: readonly Row[] = [
  [
    "affinity",
    "affinity-mode",
    "Whether sessions move when endpoints are added.",
    "A session moves only when the hash of its cookie does.",
  ],
  ["affinity", "affinity-canary-behavior", "Whether sessions stay on a canary.", CANARY],
  ["affinity", "session-cookie-path", "Path of the session cookie.", COOKIE_FIXED],
  ["affinity", "session-cookie-domain", "Domain of the session cookie.", COOKIE_FIXED],
  ["affinity", "session-cookie-expires", "Expiry of the session cookie.", COOKIE_FIXED],
  ["affinity", "session-cookie-max-age", "Age of the session cookie.", COOKIE_FIXED],
  ["affinity", "session-cookie-samesite", "SameSite of the session cookie.", COOKIE_FIXED],
  [
    "affinity",
    "session-cookie-conditional-samesite-none",
    "Leaves SameSite out for old browsers.",
    COOKIE_FIXED,
  ],
  ["affinity", "session-cookie-secure", "Secure of the session cookie.", COOKIE_FIXED],
  ["affinity", "session-cookie-partitioned", "Partitioned of the session cookie.", COOKIE_FIXED],
  [
    "affinity",
    "session-cookie-change-on-failure",
    "Moves a session whose endpoint fails.",
    "A session whose endpoint fails goes to another one for that request.",
  ],
  ["backend", "client-body-buffer-size", "Memory for a request body.", STREAMED],
  ["backend", "proxy-buffering", "Buffers responses.", STREAMED],
  ["backend", "proxy-buffers-number", "Number of response buffers.", STREAMED],
  ["backend", "proxy-buffer-size", "Size of the buffer for response headers.", STREAMED],
  ["backend", "proxy-busy-buffers-size", "Size of buffers that are being sent.", STREAMED],
  ["backend", "proxy-max-temp-file-size", "Size of response files.", STREAMED],
  ["backend", "proxy-request-buffering", "Buffers request bodies.", STREAMED],
  [
    "backend",
    "proxy-http-version",
    "HTTP version to the backend.",
    "HTTP/1.1 is used, or HTTP/2 for gRPC.",
  ],
  [
    "backend",
    "proxy-cookie-domain",
    "Changes the domain of the backend's cookies.",
    "Cookies of backends are passed through; let the backend set them as clients are to see them.",
  ],
  [
    "backend",
    "proxy-cookie-path",
    "Changes the path of the backend's cookies.",
    "Cookies of backends are passed through; let the backend set them as clients are to see them.",
  ],
  ["backend", "proxy-next-upstream", "When a request is sent to another endpoint.", ONE_RETRY_RULE],
  ["backend", "proxy-next-upstream-timeout", "How long that is tried.", ONE_RETRY_RULE],
  ["backend", "proxy-next-upstream-tries", "How often that is tried.", ONE_RETRY_RULE],
  [
    "backend",
    "proxy-redirect-from",
    "Location of the backend that is changed.",
    "Redirects of backends are passed through; let the backend make them from X-Forwarded-Host and X-Forwarded-Proto.",
  ],
  [
    "backend",
    "proxy-redirect-to",
    "What it is changed to.",
    "Redirects of backends are passed through; let the backend make them from X-Forwarded-Host and X-Forwarded-Proto.",
  ],
  [
    "backend",
    "proxy-ssl-secret",
    "Client certificate and CA for the backend.",
    NO_CLIENT_TLS_SETTINGS,
  ],
  ["backend", "proxy-ssl-ciphers", "Ciphers to the backend.", NO_CLIENT_TLS_SETTINGS],
  ["backend", "proxy-ssl-name", "Name that is verified.", NO_CLIENT_TLS_SETTINGS],
  ["backend", "proxy-ssl-protocols", "TLS versions to the backend.", NO_CLIENT_TLS_SETTINGS],
  ["backend", "proxy-ssl-server-name", "Whether SNI is sent to the backend.", "It is always sent."],
  ["backend", "proxy-ssl-verify", "Verifies the backend's certificate.", NO_CLIENT_TLS_SETTINGS],
  ["backend", "proxy-ssl-verify-depth", "Longest chain of the backend.", NO_CLIENT_TLS_SETTINGS],
  [
    "backend",
    "connection-proxy-header",
    "Connection header to the backend.",
    "nginx manages connections to backends itself.",
  ],
  [
    "backend",
    "custom-headers",
    "ConfigMap with response headers.",
    "Use rewrite-response under the load balancer's own prefix.",
  ],
  [
    "backend",
    "x-forwarded-prefix",
    "Value of X-Forwarded-Prefix.",
    "Use rewrite-request under the load balancer's own prefix.",
  ],
  [
    "backend",
    "service-upstream",
    "Sends requests to the Service's address.",
    "Requests always go to endpoints.",
  ],
  [
    "backend",
    "load-balance",
    "Algorithm for choosing an endpoint.",
    "Endpoints are chosen in turn, or by affinity.",
  ],
  [
    "backend",
    "upstream-hash-by",
    "Value that chooses the endpoint.",
    "Use affinity, or session_affinity_policy of a Rule.",
  ],
  [
    "backend",
    "upstream-hash-by-subset",
    "Chooses from a subset of endpoints.",
    "It belongs to upstream-hash-by, which is not supported.",
  ],
  [
    "backend",
    "upstream-hash-by-subset-size",
    "Size of that subset.",
    "It belongs to upstream-hash-by, which is not supported.",
  ],
  [
    "backend",
    "http2-push-preload",
    "Pushes resources.",
    "HTTP/2 push is gone from nginx and from browsers.",
  ],
  [
    "backend",
    "fastcgi-index",
    "Index file of FastCGI.",
    "FastCGI backends are not supported. Put a web server in front of them that speaks HTTP.",
  ],
  [
    "backend",
    "fastcgi-params-configmap",
    "Parameters of FastCGI.",
    "FastCGI backends are not supported. Put a web server in front of them that speaks HTTP.",
  ],
  ["backend", "secure-backends", "Old name for HTTPS backends.", "Use backend-protocol: HTTPS."],
  ["backend", "custom-http-errors", "Statuses that the default backend answers.", PLAIN_ERRORS],
  ["backend", "default-backend", "Service for requests without a healthy backend.", PLAIN_ERRORS],
  [
    "backend",
    "disable-proxy-intercept-errors",
    "Passes errors of the backend through.",
    PLAIN_ERRORS,
  ],
  ["backend", "mirror-target", "Where requests are mirrored to.", MIRROR],
  ["backend", "mirror-host", "Host header of mirrored requests.", MIRROR],
  ["backend", "mirror-request-body", "Whether bodies are mirrored.", MIRROR],
  ["canary", "canary-by-header", "Header that chooses the canary.", CANARY],
  ["canary", "canary-by-header-value", "Value of that header.", CANARY],
  ["canary", "canary-by-header-pattern", "Pattern for that header.", CANARY],
  ["canary", "canary-by-cookie", "Cookie that chooses the canary.", CANARY],
  ["canary", "canary-weight", "Share of the canary.", CANARY],
  ["canary", "canary-weight-total", "Whole that the share is of.", CANARY],
  ["access", "limit-burst-multiplier", "How far a burst may go.", NO_RATE_LIMIT],
  ["access", "limit-rate-after", "Bytes before limit-rate holds.", NO_RATE_LIMIT],
  ["access", "limit-allowlist", "Clients without a limit.", NO_RATE_LIMIT],
  ["access", "limit-whitelist", "Older name of limit-allowlist.", NO_RATE_LIMIT],
  ["access", "global-rate-limit-window", "That window.", NO_RATE_LIMIT],
  ["access", "global-rate-limit-key", "What is counted.", NO_RATE_LIMIT],
  ["access", "global-rate-limit-ignored-cidrs", "Clients that are not counted.", NO_RATE_LIMIT],
  ["waf", "modsecurity-transaction-id", "Names transactions.", NO_WAF],
  [
    "observability",
    "enable-access-log",
    "Whether requests are logged.",
    "The access log is on or off for the whole gateway: see the option accessLog.",
  ],
  [
    "observability",
    "enable-rewrite-log",
    "Whether rewrites are logged.",
    "`albc explain` shows what a request would be rewritten to.",
  ],
  ["observability", "enable-opentelemetry", "Traces requests.", NO_TRACING],
  ["observability", "opentelemetry-operation-name", "Names the span.", NO_TRACING],
  ["observability", "opentelemetry-trust-incoming-span", "Trusts the client's span.", NO_TRACING],
  ["observability", "opentelemetry-trust-incoming-spans", "Trusts the client's span.", NO_TRACING],
  ["observability", "enable-opentracing", "Traces requests.", NO_TRACING],
  ["observability", "opentracing-trust-incoming-span", "Trusts the client's span.", NO_TRACING],
  ["observability", "otel", "Tracing of the origin.", NO_TRACING],
  [
    "observability",
    "enable-influxdb",
    "Sends metrics to InfluxDB.",
    "There is no exporter for InfluxDB.",
  ],
  ["observability", "influxdb-measurement", "Measurement.", "There is no exporter for InfluxDB."],
  ["observability", "influxdb-port", "Port.", "There is no exporter for InfluxDB."],
  ["observability", "influxdb-host", "Host.", "There is no exporter for InfluxDB."],
  [
    "observability",
    "influxdb-server-name",
    "Name of the server.",
    "There is no exporter for InfluxDB.",
  ],
  ["snippet", "stream-snippet", "nginx configuration of TCP and UDP.", SNIPPET],
  [
    "redirect",
    "from-to-www-redirect",
    "Redirects between the name with and without `www.`.",
    "Use an Ingress for the other name with permanent-redirect.",
  ],
  [
    "redirect",
    "preserve-trailing-slash",
    "Keeps the slash at the end in redirects to https.",
    "It is always kept.",
  ],
  [
    "redirect",
    "use-port-in-redirects",
    "Puts the port into redirects to https.",
    "The port is there whenever it is not 443.",
  ],
  [
    "redirect",
    "relative-redirects",
    "Redirects without scheme and host.",
    "Redirects are absolute.",
  ],
  [
    "tls",
    "ssl-passthrough",
    "Passes TLS to the backend unopened.",
    "TLS always ends at the gateway.",
  ],
  ["tls", "ssl-ciphers", "Ciphers of the hosts.", "Ciphers are the same for every host."],
  [
    "tls",
    "ssl-prefer-server-ciphers",
    "Whose order of ciphers counts.",
    "Ciphers are the same for every host.",
  ],
];

const FIREWALL_ROWS: readonly Row[] = [
  ["waf", "enable-modsecurity", "Inspects requests by ModSecurity.", NO_WAF],
  ["waf", "enable-owasp-core-rules", "Uses the OWASP rules.", NO_WAF],
];

const FIREWALL_RULES: readonly Row[] = [
  ["waf", "modsecurity-snippet", "Rules of ModSecurity.", NO_WAF],
];

/** nginx configuration that may restrict access. */
const SNIPPET_ROWS: readonly Row[] = [
  ["snippet", "configuration-snippet", "nginx configuration of the paths.", SNIPPET],
  ["snippet", "server-snippet", "nginx configuration of the hosts.", SNIPPET],
];

const LIMIT_ROWS: readonly Row[] = [
  ["access", "limit-connections", "Connections of one client at a time.", NO_RATE_LIMIT],
  ["access", "limit-rps", "Requests of one client in a second.", NO_RATE_LIMIT],
  ["access", "limit-rpm", "Requests of one client in a minute.", NO_RATE_LIMIT],
  ["access", "limit-rate", "Bytes of a response in a second.", NO_RATE_LIMIT],
  ["access", "global-rate-limit", "Requests in a window, over all instances.", NO_RATE_LIMIT],
];

type Effect = Pick<UnsupportedAnnotation, "fallback" | "acts">;

function unsupported(rows: readonly Row[], effect: Effect): readonly UnsupportedAnnotation[] {
  return rows.map(([group, name, doc, why]) => {
    return { name, group, prefixes: PATH_PREFIXES, supported: false, doc, why, ...effect };
  });
}

/** A switch whose value can't be read may be meant to be on. */
function isOn(text: string): boolean {
  const value = BOOLEAN.parse(text);
  return !value.ok || value.value;
}

const always = (): boolean => true;

export const UNSUPPORTED_ANNOTATIONS: readonly UnsupportedAnnotation[] = [
  ...unsupported(ROWS, { fallback: "ignored", acts: always }),
  ...unsupported(LIMIT_ROWS, { fallback: "unenforced", acts: (text) => text !== "0" }),
  ...unsupported(FIREWALL_ROWS, { fallback: "closed", acts: isOn }),
  ...unsupported(FIREWALL_RULES, { fallback: "closed", acts: always }),
  ...unsupported(SNIPPET_ROWS, { fallback: "closed", acts: snippetRestricts }),
];
