/** Answers with a Location. */
import type { AnyAnnotation } from "./annotation.js";
import {
  BOOLEAN,
  DNS_NAME,
  OWN_PREFIXES,
  PORT,
  REDIRECT_STATUS,
  TEXT,
  URL_TEXT,
  rowsOf,
} from "./annotation.js";

const row = rowsOf("redirect");
/** Without the redirect a backend would answer that was never to. */
const CLOSING = { fallback: "closed" } as const;
const OWN = { prefixes: OWN_PREFIXES };
const OWN_CLOSING = { ...OWN, ...CLOSING };

export const SSL_REDIRECT = row(
  "ssl-redirect",
  BOOLEAN,
  "Redirects to https with 308 if the host has TLS; true by default.",
);
export const FORCE_SSL_REDIRECT = row(
  "force-ssl-redirect",
  BOOLEAN,
  "Redirects to https with 308, even if the host has no TLS here.",
  CLOSING,
);
export const PERMANENT_REDIRECT = row(
  "permanent-redirect",
  URL_TEXT,
  "Redirects to this URL with 301.",
  CLOSING,
);
export const PERMANENT_REDIRECT_CODE = row(
  "permanent-redirect-code",
  REDIRECT_STATUS,
  "Status of permanent-redirect.",
);
export const TEMPORAL_REDIRECT = row(
  "temporal-redirect",
  URL_TEXT,
  "Redirects to this URL with 302; wins over permanent-redirect.",
  CLOSING,
);
export const TEMPORAL_REDIRECT_CODE = row(
  "temporal-redirect-code",
  REDIRECT_STATUS,
  "Status of temporal-redirect.",
);
export const REDIRECT_HOST = row(
  "redirect-host",
  DNS_NAME,
  "Redirects to the same URL on this host.",
  OWN_CLOSING,
);
export const REDIRECT_PORT = row(
  "redirect-port",
  PORT,
  "Redirects to the same URL on this port.",
  OWN_CLOSING,
);
export const REDIRECT_PREFIX_MATCH = row(
  "redirect-prefix-match",
  TEXT,
  "Redirects to the same URL with this path prefix replaced.",
  OWN_CLOSING,
);
export const REDIRECT_REPLACE_PREFIX = row(
  "redirect-replace-prefix",
  TEXT,
  "Replacement for redirect-prefix-match; empty by default.",
  OWN,
);
export const REDIRECT_CODE = row(
  "redirect-code",
  REDIRECT_STATUS,
  "Status of redirects by redirect-host, -port or -prefix-match; 302 by default.",
  OWN,
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
