/** Answers with a Location. */
import type { Redirect } from "../../../model/filters.js";
import { present } from "../../../support/json-object.js";
import {
  type Annotation,
  BOOLEAN,
  DNS_NAME,
  INGRESS_PREFIXES,
  OWN_PREFIXES,
  PATH,
  PORT,
  REDIRECT_STATUS,
  TEXT,
  URL_TEXT,
  rowsOf,
} from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("redirect");
/** Without the redirect a backend would answer that was never to. */
const CLOSING = { fallback: "closed" } as const;
const OWN = { prefixes: OWN_PREFIXES };
const OWN_CLOSING = { ...OWN, ...CLOSING };

export const REDIRECT_ROWS = {
  appRoot: row(
    "app-root",
    PATH,
    "Redirects requests for `/` to this path with 302. A wrong value closes only `/`.",
    { prefixes: INGRESS_PREFIXES, ...CLOSING },
  ),
  toHttps: row(
    "ssl-redirect",
    BOOLEAN,
    "Redirects to https with 308 if the host has TLS; true by default.",
  ),
  toHttpsAlways: row(
    "force-ssl-redirect",
    BOOLEAN,
    "Redirects to https with 308, even if the host has no TLS here.",
    CLOSING,
  ),
  permanent: row("permanent-redirect", URL_TEXT, "Redirects to this URL with 301.", CLOSING),
  permanentStatus: row("permanent-redirect-code", REDIRECT_STATUS, "Status of permanent-redirect."),
  temporal: row(
    "temporal-redirect",
    URL_TEXT,
    "Redirects to this URL with 302; wins over permanent-redirect.",
    CLOSING,
  ),
  temporalStatus: row("temporal-redirect-code", REDIRECT_STATUS, "Status of temporal-redirect."),
  host: row("redirect-host", DNS_NAME, "Redirects to the same URL on this host.", OWN_CLOSING),
  port: row("redirect-port", PORT, "Redirects to the same URL on this port.", OWN_CLOSING),
  prefix: row(
    "redirect-prefix-match",
    TEXT,
    "Redirects to the same URL with this path prefix replaced.",
    OWN_CLOSING,
  ),
  replacement: row(
    "redirect-replace-prefix",
    TEXT,
    "Replacement for redirect-prefix-match; empty by default.",
    OWN,
  ),
  status: row(
    "redirect-code",
    REDIRECT_STATUS,
    "Status of redirects by redirect-host, -port or -prefix-match; 302 by default.",
    OWN,
  ),
};

/** Where a certificate authority looks for the answer to its challenge, by http (RFC 8555, 8.3). */
const ACME_CHALLENGE = "/.well-known/acme-challenge";

/**
 * temporal-redirect, else permanent-redirect, else the origin's parts, else what the port has (`inherited`), else the redirect to https.
 * `hasTls`: an Ingress names the host in its TLS, and something answers there. `httpsPort`: of Ingresses; absent when there is none.
 */
export function readRedirect(
  reader: AnnotationReader,
  at: {
    readonly path: string;
    readonly hasTls: boolean;
    readonly httpsPort: number | undefined;
    readonly inherited: Redirect | undefined;
  },
): { readonly redirect?: Redirect } {
  const toHttps = redirectToHttps(reader, at);
  const redirect =
    redirectToUrl(
      reader,
      REDIRECT_ROWS.temporal,
      reader.get(REDIRECT_ROWS.temporalStatus) ?? 302,
    ) ??
    redirectToUrl(
      reader,
      REDIRECT_ROWS.permanent,
      reader.get(REDIRECT_ROWS.permanentStatus) ?? 301,
    ) ??
    redirectOfParts(reader, toHttps) ??
    at.inherited ??
    toHttps;
  return present("redirect", redirect);
}

function redirectToUrl(
  reader: AnnotationReader,
  row: Annotation<string>,
  status: Redirect["status"],
): Redirect | undefined {
  const url = reader.get(row);
  return url === undefined ? undefined : { status, url };
}

/** The origin's redirect-* annotations; one that also leads to https does both at once. */
function redirectOfParts(
  reader: AnnotationReader,
  toHttps: Redirect | undefined,
): Redirect | undefined {
  const host = reader.get(REDIRECT_ROWS.host);
  const port = reader.get(REDIRECT_ROWS.port);
  const prefix = reader.get(REDIRECT_ROWS.prefix)?.replace(/\/+$/, "");
  if (host === undefined && port === undefined && prefix === undefined) return undefined;
  return {
    status: reader.get(REDIRECT_ROWS.status) ?? 302,
    ...present("scheme", toHttps?.scheme),
    ...present("host", host),
    ...present("port", port),
    ...(prefix !== undefined && {
      path: ["prefix", prefix, reader.get(REDIRECT_ROWS.replacement) ?? ""],
    }),
  };
}

/**
 * To https with 308, for clients that did not come by it. force-ssl-redirect does it always; ssl-redirect, which is on by default,
 * where the host has TLS, and never for a challenge's path, which must stay reachable by http to get a certificate at all.
 */
function redirectToHttps(
  reader: AnnotationReader,
  { path, hasTls, httpsPort }: Parameters<typeof readRedirect>[1],
): Redirect | undefined {
  const isForced = reader.get(REDIRECT_ROWS.toHttpsAlways) ?? false;
  const isWanted = reader.get(REDIRECT_ROWS.toHttps) ?? true;
  const isByTls = isWanted && hasTls && httpsPort !== undefined && !path.startsWith(ACME_CHALLENGE);
  if (!isForced && !isByTls) return undefined;
  const port = httpsPort === 443 ? undefined : httpsPort;
  return { status: 308, unlessScheme: "https", scheme: "https", ...present("port", port) };
}
