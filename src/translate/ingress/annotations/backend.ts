/** How requests reach the backend. */
import type { HeaderChanges } from "../../../model/filters.js";
import {
  DEFAULT_TIMEOUTS,
  type Route,
  type Timeouts,
  routeTimeouts,
} from "../../../model/route.js";
import type { BackendProtocol } from "../../../model/upstream.js";
import { SHARED_SHAPE, present } from "../../../support/json-object.js";
import { HEADER_REWRITES } from "../../http/headers.js";
import { MOST_HEADERS } from "../../size-limits.js";
import {
  AUTHORITY,
  BOOLEAN,
  BUFFERING,
  type AnnotationType,
  DURATION,
  NATURAL,
  OWN_PREFIXES,
  SIZE,
  choiceOf,
  rowsOf,
} from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("backend");
/** ingress-nginx's default of two of them is in the profile. */
const WITH_UNITS = { otherwise: "takes units; sending and reading have 60 s there by default" };

function headerRewrite(
  name: keyof typeof HEADER_REWRITES,
): AnnotationType<HeaderChanges | undefined> {
  return {
    description: `JSON object with \`headers\`, \`headers_remove\`, \`headers_add\`: at most ${String(MOST_HEADERS)} names`,
    parse: HEADER_REWRITES[name],
  };
}

export const BACKEND_ROWS = {
  protocol: row(
    "backend-protocol",
    choiceOf(["HTTP", "HTTPS", "GRPC", "GRPCS"], (text) => text.toUpperCase()),
    "Protocol of the backend; HTTP by default.",
    { otherwise: "AUTO_HTTP, FCGI and AJP are not supported" },
  ),
  connectTimeout: row(
    "proxy-connect-timeout",
    DURATION,
    "Timeout for connecting to the backend; 5 s by default.",
    WITH_UNITS,
  ),
  sendTimeout: row(
    "proxy-send-timeout",
    DURATION,
    "Timeout between two writes to the backend; 120 s by default.",
    WITH_UNITS,
  ),
  readTimeout: row(
    "proxy-read-timeout",
    DURATION,
    "Timeout between two reads from the backend; 120 s by default.",
    WITH_UNITS,
  ),
  outageErrors: row(
    "outage-errors",
    NATURAL,
    "Answers 502, 503 or 504, one after another, for which an endpoint is [left out](operations.md#endpoints-that-cant-be-reached), instead of the option outageErrors; `0`: none are.",
    { prefixes: OWN_PREFIXES },
  ),
  host: row(
    "upstream-vhost",
    AUTHORITY,
    "Host header of requests to the backend; the client's by default.",
  ),
  requestHeaders: row(
    "rewrite-request",
    headerRewrite("rewrite-request"),
    "Changes headers of the request to the backend. Invalid parts are reported and left out. If `headers` has an invalid value for a name, or the unsupported `headers_var` has the name, the client's own header is removed. What backends learn of a request (operations.md) can't be changed.",
    { prefixes: OWN_PREFIXES },
  ),
  responseHeaders: row(
    "rewrite-response",
    headerRewrite("rewrite-response"),
    "Changes headers of the response to the client. Invalid parts are reported and left out.",
    { prefixes: OWN_PREFIXES },
  ),
  buffering: row(
    "proxy-buffering",
    BUFFERING,
    "`off` streams every response of the paths; `on`, the default, only those that [need it](operations.md#buffered-and-streamed-responses).",
    { otherwise: "there, `off` is the default" },
  ),
  byService: row(
    "service-upstream",
    BOOLEAN,
    "`true`: requests go to the Service's cluster IP instead of its endpoints. A Service without one has its endpoints.",
    { otherwise: "holds for the path, there for all paths of the Service's port" },
  ),
  bufferSize: row(
    "proxy-buffer-size",
    SIZE,
    "Above 16k, headers of responses may have 256 KiB instead of 16 KiB, and responses are streamed.",
    { otherwise: "no size is exact" },
  ),
};

/** Bytes of response headers that every path may have. */
const USUAL_HEADERS = 16_384;

const PROTOCOLS = { HTTP: "http", HTTPS: "https", GRPC: "grpc", GRPCS: "grpcs" } as const;

export function readProtocol(reader: AnnotationReader): BackendProtocol | undefined {
  const protocol = reader.get(BACKEND_ROWS.protocol);
  return protocol && PROTOCOLS[protocol];
}

export function isByService(reader: AnnotationReader): boolean {
  return reader.get(BACKEND_ROWS.byService) === true;
}

/** `inherited`: the timeouts of a path without annotations about them. */
export function readBackend(
  reader: AnnotationReader,
  inherited: Timeouts,
): Pick<
  Route,
  "host" | "requestHeaders" | "responseHeaders" | "timeouts" | "streamed" | "largeHeaders"
> {
  return {
    ...SHARED_SHAPE,
    ...present("host", reader.get(BACKEND_ROWS.host)),
    ...present("requestHeaders", reader.get(BACKEND_ROWS.requestHeaders)),
    ...present("responseHeaders", reader.get(BACKEND_ROWS.responseHeaders)),
    ...routeTimeouts(readTimeouts(reader) ?? inherited),
    ...(reader.get(BACKEND_ROWS.buffering) === "off" && { streamed: true }),
    ...((reader.get(BACKEND_ROWS.bufferSize) ?? 0) > USUAL_HEADERS && { largeHeaders: true }),
  };
}

/** Any of the three makes a whole object, whose other parts have the defaults. */
function readTimeouts(reader: AnnotationReader): Timeouts | undefined {
  const connect = reader.get(BACKEND_ROWS.connectTimeout);
  const send = reader.get(BACKEND_ROWS.sendTimeout);
  const read = reader.get(BACKEND_ROWS.readTimeout);
  if (connect === undefined && send === undefined && read === undefined) return undefined;
  return {
    connect: connect ?? DEFAULT_TIMEOUTS.connect,
    send: send ?? DEFAULT_TIMEOUTS.send,
    read: read ?? DEFAULT_TIMEOUTS.read,
  };
}
