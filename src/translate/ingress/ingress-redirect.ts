import type { Redirect } from "../../model/filters.js";
import { routeTimeouts } from "../../model/route.js";
import type { EntryPort } from "../load-balancer.js";
import { annotationField, placeOf, sourceRef } from "../place.js";
import { closedRule } from "../reasons.js";
import { AnnotationReader } from "./annotation-reader.js";
import {
  FORCE_SSL_REDIRECT,
  PERMANENT_REDIRECT,
  PERMANENT_REDIRECT_CODE,
  REDIRECT_CODE,
  REDIRECT_HOST,
  REDIRECT_PORT,
  REDIRECT_PREFIX_MATCH,
  REDIRECT_REPLACE_PREFIX,
  SSL_REDIRECT,
  TEMPORAL_REDIRECT,
  TEMPORAL_REDIRECT_CODE,
} from "./annotations/redirect-table.js";
import { APP_ROOT } from "./annotations/routing-table.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { matchPath } from "./path-match.js";
import type { IngressHost, PreparedIngress } from "./prepared-ingress.js";

/** Where a path stands. */
interface RedirectScope {
  /** Whether an Ingress names the host in its TLS, and something answers there. */
  readonly hasTls: boolean;
  /** The HTTPS port of Ingresses; absent when there is none. */
  readonly https?: EntryPort;
  /** Of the port that the path is bound to. */
  readonly inherited?: Redirect;
}

/** Where a certificate authority looks for the answer to its challenge, by http (RFC 8555, 8.3). */
const ACME_CHALLENGE = "/.well-known/acme-challenge";

/** temporal-redirect, else permanent-redirect, else the origin's parts, else the redirect to https. */
export function ingressRedirect(
  reader: AnnotationReader,
  path: string,
  scope: RedirectScope,
): Redirect | undefined {
  const ssl = sslRedirect(reader, path, scope);
  return (
    temporalRedirect(reader) ??
    permanentRedirect(reader) ??
    redirectOfParts(reader, ssl) ??
    scope.inherited ??
    ssl
  );
}

function temporalRedirect(reader: AnnotationReader): Redirect | undefined {
  const status = reader.get(TEMPORAL_REDIRECT_CODE) ?? 302;
  const url = reader.get(TEMPORAL_REDIRECT);
  return url === undefined ? undefined : { status, url };
}

function permanentRedirect(reader: AnnotationReader): Redirect | undefined {
  const status = reader.get(PERMANENT_REDIRECT_CODE) ?? 301;
  const url = reader.get(PERMANENT_REDIRECT);
  return url === undefined ? undefined : { status, url };
}

/** The origin's redirect-* annotations; one that also leads to https does both at once. */
function redirectOfParts(
  reader: AnnotationReader,
  ssl: Redirect | undefined,
): Redirect | undefined {
  const host = reader.get(REDIRECT_HOST);
  const port = reader.get(REDIRECT_PORT);
  const prefix = reader.get(REDIRECT_PREFIX_MATCH);
  const replacement = reader.get(REDIRECT_REPLACE_PREFIX) ?? "";
  const status = reader.get(REDIRECT_CODE) ?? 302;
  if (host === undefined && port === undefined && prefix === undefined) return undefined;
  return {
    status,
    ...(ssl?.scheme && { scheme: ssl.scheme }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(prefix !== undefined && { path: ["prefix", prefix.replace(/\/+$/, ""), replacement] }),
  };
}

/**
 * To https with 308, for clients that did not come by it. force-ssl-redirect does it always; ssl-redirect, which is on by default,
 * where the host has TLS, and never for a challenge's path, which must stay reachable by http to get a certificate at all.
 */
function sslRedirect(
  reader: AnnotationReader,
  path: string,
  { hasTls, https }: RedirectScope,
): Redirect | undefined {
  const isForced = reader.get(FORCE_SSL_REDIRECT) ?? false;
  const isWanted = reader.get(SSL_REDIRECT) ?? true;
  const isByTls = isWanted && hasTls && https !== undefined && !path.startsWith(ACME_CHALLENGE);
  if (!isForced && !isByTls) return undefined;
  const port = https === undefined || https.port === 443 ? undefined : https.port;
  return {
    status: 308,
    unlessScheme: "https",
    scheme: "https",
    ...(port !== undefined && { port }),
  };
}

/** Redirects `/` of the hosts to the application's path, before any rule of the namespace for `/`. */
export function bindAppRoot(
  prepared: PreparedIngress,
  { rule, host }: IngressHost,
  scope: IngressScope,
): void {
  const { config, options } = scope.context;
  const { ingress, lookup } = prepared;
  const { metadata } = ingress;
  const reader = new AnnotationReader(lookup);
  const url = reader.get(APP_ROOT);
  const isClosed = reader.closedBy !== undefined && options.unsupportedRestrictions === "close";
  if (url === undefined && !isClosed) return;
  const key = lookup.get(APP_ROOT.name, APP_ROOT.prefixes)?.key ?? "";
  const match = matchPath(host, { path: "/", pathType: "Exact", isRegex: false });
  const { complexity, length } = match.specificity;
  for (const port of portsFor(prepared, host, scope)) {
    const route = config.addRoute(
      {
        id: `ingress/${metadata.namespace}/${metadata.name}/app-root`,
        source: sourceRef(placeOf(ingress, ...annotationField(key))),
        ...(url === undefined
          ? { refuse: closedRule(APP_ROOT.name) }
          : { redirect: { status: 302, url } }),
        ...routeTimeouts(port.inherited.timeouts),
      },
      port.port,
    );
    scope.claims.push({
      ...{ listener: port.listener, route, object: ingress },
      hosts: withAliases(prepared, host, scope),
      path: match.path,
      specificity: { complexity: complexity + 1, length },
      position: [rule, 0],
    });
  }
}
