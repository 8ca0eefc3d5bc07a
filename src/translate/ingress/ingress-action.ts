import { filled } from "../../support/json-object.js";
import type { Cors, PathRewrite } from "../../model/filters.js";
import type { Affinity, Route, Timeouts } from "../../model/route.js";
import { DEFAULT_TIMEOUTS, routeTimeouts } from "../../model/route.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { Inherited } from "../load-balancer.js";
import { CORS_HEADERS, CORS_MAX_AGE, CORS_METHODS } from "../http/headers.js";
import type { AnnotationReader } from "./annotation-reader.js";
import {
  AFFINITY,
  BACKEND_PROTOCOL,
  PROXY_CONNECT_TIMEOUT,
  PROXY_READ_TIMEOUT,
  PROXY_SEND_TIMEOUT,
  REWRITE_REQUEST,
  REWRITE_RESPONSE,
  SESSION_COOKIE_NAME,
  UPSTREAM_VHOST,
} from "./annotations/backend-table.js";
import {
  CORS_ALLOW_CREDENTIALS,
  CORS_ALLOW_HEADERS,
  CORS_ALLOW_METHODS,
  CORS_ALLOW_ORIGIN,
  CORS_EXPOSE_HEADERS,
  CORS_MAX_AGE_SECONDS,
  ENABLE_CORS,
} from "./annotations/cors-table.js";
import {
  ALLOWLIST,
  DENYLIST,
  PROXY_BODY_SIZE,
  REWRITE_TARGET,
  SATISFY,
  WHITELIST,
} from "./annotations/routing-table.js";

/** The parts of a route that annotations alone decide, but for redirect and auth. */
export type IngressAction = Pick<
  Route,
  | "cors"
  | "bodyLimit"
  | "allow"
  | "deny"
  | "satisfy"
  | "rewrite"
  | "host"
  | "requestHeaders"
  | "responseHeaders"
  | "timeouts"
  | "affinity"
>;

const DEFAULT_COOKIE = "INGRESSCOOKIE";

/** `path` is the pattern of the path where it is one; without it nothing is rewritten. */
export function readAction(
  reader: AnnotationReader,
  path: string | undefined,
  inherited: Inherited,
): IngressAction {
  const cors = readCors(reader);
  const bodyLimit = reader.get(PROXY_BODY_SIZE);
  const rewrite = path === undefined ? undefined : readRewrite(reader, path);
  const upstreamHost = reader.get(UPSTREAM_VHOST);
  const requestHeaders = reader.get(REWRITE_REQUEST);
  const responseHeaders = reader.get(REWRITE_RESPONSE);
  const affinity = readAffinity(reader);
  return {
    ...(cors && { cors }),
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...readSourceRanges(reader),
    ...(reader.get(SATISFY) === "any" && { satisfy: "any" }),
    ...(rewrite && { rewrite }),
    ...(upstreamHost !== undefined && { host: upstreamHost }),
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
    ...routeTimeouts(readTimeouts(reader) ?? inherited.timeouts),
    ...(affinity && { affinity }),
  };
}

export function readProtocol(reader: AnnotationReader, inherited: Inherited): BackendProtocol {
  switch (reader.get(BACKEND_PROTOCOL)) {
    case "HTTP":
      return "http";
    case "HTTPS":
      return "https";
    case "GRPC":
      return "grpc";
    case "GRPCS":
      return "grpcs";
    case undefined:
      return inherited.protocol;
  }
}

/** The whole request path becomes the target; the pattern is the path's, without case, as ingress-nginx has it. */
function readRewrite(reader: AnnotationReader, path: string): PathRewrite | undefined {
  const target = reader.get(REWRITE_TARGET);
  if (target === undefined || target === path) return undefined;
  return ["regex", path, "i", target, true];
}

function readCors(reader: AnnotationReader): Cors | undefined {
  if (reader.get(ENABLE_CORS) !== true) return undefined;
  return {
    origins: nonEmpty(reader.get(CORS_ALLOW_ORIGIN)) ?? ["*"],
    methods: nonEmpty(reader.get(CORS_ALLOW_METHODS)) ?? CORS_METHODS,
    headers: nonEmpty(reader.get(CORS_ALLOW_HEADERS)) ?? CORS_HEADERS,
    ...filled("expose", reader.get(CORS_EXPOSE_HEADERS)),
    credentials: reader.get(CORS_ALLOW_CREDENTIALS) ?? true,
    maxAge: reader.get(CORS_MAX_AGE_SECONDS) ?? CORS_MAX_AGE,
  };
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function readSourceRanges(reader: AnnotationReader): Pick<Route, "allow" | "deny"> {
  const whitelist = reader.get(WHITELIST);
  const allow = reader.get(ALLOWLIST) ?? whitelist ?? [];
  return { ...filled("allow", allow), ...filled("deny", reader.get(DENYLIST)) };
}

/** Any of the three makes a whole object, whose other parts have the defaults. */
function readTimeouts(reader: AnnotationReader): Timeouts | undefined {
  const connect = reader.get(PROXY_CONNECT_TIMEOUT);
  const send = reader.get(PROXY_SEND_TIMEOUT);
  const read = reader.get(PROXY_READ_TIMEOUT);
  if (connect === undefined && send === undefined && read === undefined) return undefined;
  return {
    connect: connect ?? DEFAULT_TIMEOUTS.connect,
    send: send ?? DEFAULT_TIMEOUTS.send,
    read: read ?? DEFAULT_TIMEOUTS.read,
  };
}

function readAffinity(reader: AnnotationReader): Affinity | undefined {
  const name = reader.get(SESSION_COOKIE_NAME) ?? DEFAULT_COOKIE;
  return reader.get(AFFINITY) === undefined ? undefined : ["cookie", name];
}
