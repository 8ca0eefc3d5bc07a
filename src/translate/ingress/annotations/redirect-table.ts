/** Answers with a Location. */
import type { Annotation, AnyAnnotation } from "../annotation.js";
import { OWN_PREFIXES, PATH_PREFIXES } from "./prefixes.js";
import { BOOLEAN, DNS_NAME, PORT, REDIRECT_STATUS, TEXT, URL_TEXT } from "./types.js";

function row<T>(name: string, type: Annotation<T>["type"], doc: string): Annotation<T> {
  return {
    name,
    group: "redirect",
    prefixes: PATH_PREFIXES,
    fallback: "ignored",
    supported: true,
    type,
    doc,
  };
}

function own<T>(name: string, type: Annotation<T>["type"], doc: string): Annotation<T> {
  return { ...row(name, type, doc), prefixes: OWN_PREFIXES };
}

/** Without the redirect a backend would answer that was never to. */
function closing<T>(annotation: Annotation<T>): Annotation<T> {
  return { ...annotation, fallback: "closed" };
}

export const SSL_REDIRECT = row(
  "ssl-redirect",
  BOOLEAN,
  "Redirects to https with 308 where the host has TLS; true by default.",
);
export const FORCE_SSL_REDIRECT = closing(
  row(
    "force-ssl-redirect",
    BOOLEAN,
    "Redirects to https with 308, also where the host has no TLS here.",
  ),
);
export const PERMANENT_REDIRECT = closing(
  row("permanent-redirect", URL_TEXT, "Redirects to this URL with 301."),
);
export const PERMANENT_REDIRECT_CODE = row(
  "permanent-redirect-code",
  REDIRECT_STATUS,
  "Status of permanent-redirect.",
);
export const TEMPORAL_REDIRECT = closing(
  row(
    "temporal-redirect",
    URL_TEXT,
    "Redirects to this URL with 302; wins over permanent-redirect.",
  ),
);
export const TEMPORAL_REDIRECT_CODE = row(
  "temporal-redirect-code",
  REDIRECT_STATUS,
  "Status of temporal-redirect.",
);
export const REDIRECT_HOST = closing(
  own("redirect-host", DNS_NAME, "Redirects to the same URL on this host."),
);
export const REDIRECT_PORT = closing(
  own("redirect-port", PORT, "Redirects to the same URL on this port."),
);
export const REDIRECT_PREFIX_MATCH = closing(
  own("redirect-prefix-match", TEXT, "Redirects to the path with this prefix replaced."),
);
export const REDIRECT_REPLACE_PREFIX = own(
  "redirect-replace-prefix",
  TEXT,
  "What replaces redirect-prefix-match; nothing by default.",
);
export const REDIRECT_CODE = own(
  "redirect-code",
  REDIRECT_STATUS,
  "Status of the redirect that redirect-host, -port or -prefix-match make; 302 by default.",
);

export const REDIRECT_ANNOTATIONS: readonly AnyAnnotation[] = [
  SSL_REDIRECT,
  FORCE_SSL_REDIRECT,
  PERMANENT_REDIRECT,
  PERMANENT_REDIRECT_CODE,
  TEMPORAL_REDIRECT,
  TEMPORAL_REDIRECT_CODE,
  REDIRECT_HOST,
  REDIRECT_PORT,
  REDIRECT_PREFIX_MATCH,
  REDIRECT_REPLACE_PREFIX,
  REDIRECT_CODE,
];
