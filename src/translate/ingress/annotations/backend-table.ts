/** How requests reach the backend. */
import { HEADER_REWRITES } from "../../http/header-rewrites.js";
import type { HeaderChanges } from "../../../model/filters.js";
import type { AnnotationType, AnyAnnotation } from "./annotation.js";
import { AUTHORITY, COOKIE, DURATION, OWN_PREFIXES, choiceOf, rowsOf } from "./annotation.js";

const row = rowsOf("backend");
const affinity = rowsOf("affinity");

function headerRewrite(
  name: keyof typeof HEADER_REWRITES,
): AnnotationType<HeaderChanges | undefined> {
  return {
    description: "JSON object with `headers`, `headers_remove`, `headers_add`",
    parse: HEADER_REWRITES[name],
  };
}

export const BACKEND_PROTOCOL = row(
  "backend-protocol",
  choiceOf(["HTTP", "HTTPS", "GRPC", "GRPCS"], (text) => text.toUpperCase()),
  "Protocol of the backend; HTTP by default. AUTO_HTTP, FCGI and AJP are not supported.",
);
export const PROXY_CONNECT_TIMEOUT = row(
  "proxy-connect-timeout",
  DURATION,
  "Timeout for connecting to the backend; 5 s by default.",
);
export const PROXY_SEND_TIMEOUT = row(
  "proxy-send-timeout",
  DURATION,
  "Timeout between two writes to the backend; 120 s by default.",
);
export const PROXY_READ_TIMEOUT = row(
  "proxy-read-timeout",
  DURATION,
  "Timeout between two reads from the backend; 120 s by default.",
);
export const UPSTREAM_VHOST = row(
  "upstream-vhost",
  AUTHORITY,
  "Host header of requests to the backend; the client's by default.",
);
export const REWRITE_REQUEST = row(
  "rewrite-request",
  headerRewrite("rewrite-request"),
  "Changes headers of the request to the backend. Invalid parts are reported and left out. If `headers` has an invalid value for a name, or the unsupported `headers_var` has the name, the client's own header is removed. What backends learn of a request (operations.md) can't be changed.",
  { prefixes: OWN_PREFIXES },
);
export const REWRITE_RESPONSE = row(
  "rewrite-response",
  headerRewrite("rewrite-response"),
  "Changes headers of the response to the client. Invalid parts are reported and left out.",
  { prefixes: OWN_PREFIXES },
);
export const AFFINITY = affinity(
  "affinity",
  choiceOf(["cookie"]),
  "`cookie` keeps a client on one endpoint.",
);
export const SESSION_COOKIE_NAME = affinity(
  "session-cookie-name",
  COOKIE,
  "Name of the affinity cookie; INGRESSCOOKIE by default.",
);

export const BACKEND_ANNOTATIONS: readonly AnyAnnotation[] = [
  BACKEND_PROTOCOL,
  PROXY_CONNECT_TIMEOUT,
  PROXY_SEND_TIMEOUT,
  PROXY_READ_TIMEOUT,
  UPSTREAM_VHOST,
  REWRITE_REQUEST,
  REWRITE_RESPONSE,
  AFFINITY,
  SESSION_COOKIE_NAME,
];
