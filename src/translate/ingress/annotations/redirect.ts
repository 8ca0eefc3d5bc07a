/** Answers with a Location. */
import type { Redirect } from "../../../model/filters.js";
import { present } from "../../../support/json-object.js";
import type { Result } from "../../../support/result.js";
import type { Groups } from "../../pattern/regex.js";
import {
  type Annotation,
  BOOLEAN,
  DNS_NAME,
  INGRESS_PREFIXES,
  OWN_PREFIXES,
  PORT,
  REDIRECT_STATUS,
  TEXT,
  rowsOf,
} from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";
import { ROUTING_ROWS } from "./routing.js";
import {
  LOCATION,
  ROOT,
  type WrittenText,
  isRedirecting,
  readLocation,
  readReplacement,
} from "./written-texts.js";

const row = rowsOf("redirect");
/** Without the redirect a backend would answer that was never to. */
const CLOSING = { fallback: "closed" } as const;
const OWN = { prefixes: OWN_PREFIXES };
const OWN_CLOSING = { ...OWN, ...CLOSING };

export const REDIRECT_ROWS = {
  appRoot: row(
    "app-root",
    ROOT,
    "Redirects requests for `/` to this path with 302; may contain variables. A wrong value closes only `/`.",
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
  permanent: row(
    "permanent-redirect",
    LOCATION,
    "Redirects to this URL or path with 301; `$1` … and `$name` are captures of the path on hosts with use-regex.",
    CLOSING,
  ),
  permanentStatus: row("permanent-redirect-code", REDIRECT_STATUS, "Status of permanent-redirect."),
  temporal: row(
    "temporal-redirect",
    LOCATION,
    "The same with 302; wins over permanent-redirect.",
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
 * temporal-redirect, else permanent-redirect, else a rewrite-target that is a URL, else the origin's parts, else what the port has
 * (`inherited`), else the redirect to https. `groups`: of the path. `hasTls`: an Ingress wants TLS for the host. `httpsPort`: of Ingresses; absent when there is none.
 */
export function readRedirect(
  reader: AnnotationReader,
  at: {
    readonly path: string;
    readonly groups: Groups;
    readonly hasTls: boolean;
    readonly httpsPort: number | undefined;
    readonly inherited: Redirect | undefined;
  },
): { readonly redirect?: Redirect } {
  const toHttps = redirectToHttps(reader, at);
  const { temporal, temporalStatus, permanent, permanentStatus } = REDIRECT_ROWS;
  const redirect =
    redirectToUrl(reader, temporal, reader.get(temporalStatus) ?? 302, at) ??
    redirectToUrl(reader, permanent, reader.get(permanentStatus) ?? 301, at) ??
    redirectToTarget(reader, at) ??
    redirectOfParts(reader, toHttps) ??
    at.inherited ??
    toHttps;
  return present("redirect", redirect);
}

type PathOf = Pick<Parameters<typeof readRedirect>[1], "path" | "groups">;

function redirectToUrl(
  reader: AnnotationReader,
  row: Annotation<string>,
  status: Redirect["status"],
  { path, groups }: PathOf,
): Redirect | undefined {
  const written = reader.resolve(row, (text) => readLocation(text, groups));
  if (written === undefined) return undefined;
  const { text: url } = written;
  const hasCaptures = url.some((part) => typeof part[0] === "number");
  return { status, url, ...(hasCaptures && { captures: [path, "i"] }) };
}

/** nginx's `rewrite` appends the client's query unless the text ends with `?`. */
function redirectToTarget(reader: AnnotationReader, at: PathOf): Redirect | undefined {
  const target = reader.get(ROUTING_ROWS.rewriteTarget);
  if (target === undefined || !isRedirecting(target)) return undefined;
  const redirect = redirectToUrl(reader, ROUTING_ROWS.rewriteTarget, 302, at);
  return redirect && { ...redirect, ...(!target.endsWith("?") && { keepsQuery: true }) };
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
 * where the host has TLS. None does it for a challenge's path, which must stay reachable by http to get a certificate at all.
 */
function redirectToHttps(
  reader: AnnotationReader,
  { path, hasTls, httpsPort }: Parameters<typeof readRedirect>[1],
): Redirect | undefined {
  const isForced = reader.get(REDIRECT_ROWS.toHttpsAlways) ?? false;
  const isWanted = reader.get(REDIRECT_ROWS.toHttps) ?? true;
  const isByTls = isWanted && hasTls && httpsPort !== undefined;
  if ((!isForced && !isByTls) || path.startsWith(ACME_CHALLENGE)) return undefined;
  const port = httpsPort === 443 ? undefined : httpsPort;
  return { status: 308, unlessScheme: "https", scheme: "https", ...present("port", port) };
}

/** Annotations of a path whose texts may use its captures. */
export const TEXT_ROWS = [
  REDIRECT_ROWS.temporal,
  REDIRECT_ROWS.permanent,
  ROUTING_ROWS.rewriteTarget,
] as const;

/** A text as it holds for a path; undefined if there is none, or if it is malformed whatever the path. */
export function readText(
  row: Annotation<string>,
  reader: AnnotationReader,
  { path, groups }: PathOf,
): Result<WrittenText> | undefined {
  const text = reader.get(row);
  if (text === undefined) return undefined;
  if (row !== ROUTING_ROWS.rewriteTarget || isRedirecting(text)) return readLocation(text, groups);
  return text === path ? undefined : readReplacement(text, groups);
}
