/** Which requests a path gets, and who may send them. */
import type { Annotation, AnyAnnotation } from "./annotation.js";
import {
  BOOLEAN,
  CIDRS,
  DNS_NAMES,
  INGRESS_PREFIXES,
  PATH,
  SIZE,
  TEXT,
  choiceOf,
  rowsOf,
} from "./annotation.js";

const access = rowsOf("access");
const routing = rowsOf("routing");
const CLOSING = { fallback: "closed" } as const;
const OF_INGRESS = { prefixes: INGRESS_PREFIXES } as const;

export const ALLOWLIST = access(
  "allowlist-source-range",
  CIDRS,
  "Only these clients may send requests; others get 403.",
  CLOSING,
);
export const WHITELIST = access(
  "whitelist-source-range",
  CIDRS,
  "Older name of allowlist-source-range, which overrides it.",
  CLOSING,
);
export const DENYLIST = access("denylist-source-range", CIDRS, "These clients get 403.", CLOSING);
export const SATISFY = access(
  "satisfy",
  choiceOf(["all", "any"], (text) => text.toLowerCase()),
  "`any`: source ranges or authentication must pass; `all`, the default: both must pass.",
);
export const PROXY_BODY_SIZE = access(
  "proxy-body-size",
  SIZE,
  "Largest request body; larger ones get 413.",
);

export const USE_REGEX = routing(
  "use-regex",
  BOOLEAN,
  "Paths are case-insensitive regular expressions, anchored at the start. This applies to every path of the Ingress's hosts, including those in other Ingresses of the namespace.",
  OF_INGRESS,
);
export const SERVER_ALIAS = routing(
  "server-alias",
  DNS_NAMES,
  "More hosts for all rules that have a host. A host is skipped if a rule of the namespace or an older Ingress of another namespace names it.",
  { ...OF_INGRESS, fallback: "closed" },
);
export const REWRITE_TARGET = rowsOf("rewrite")(
  "rewrite-target",
  TEXT,
  "New path for the backend; `$1` … are captures of the path, which becomes a regular expression (see use-regex).",
);
export const APP_ROOT = rowsOf("redirect")(
  "app-root",
  PATH,
  "Redirects requests for `/` to this path with 302. A wrong value closes only `/`.",
  { ...OF_INGRESS, ...CLOSING },
);

export const ROUTING_ANNOTATIONS: readonly AnyAnnotation[] = [
  ALLOWLIST,
  WHITELIST,
  DENYLIST,
  SATISFY,
  PROXY_BODY_SIZE,
  USE_REGEX,
  SERVER_ALIAS,
  REWRITE_TARGET,
  APP_ROOT,
];

/** A canary Ingress adds a second backend to another Ingress's paths. */

/** Serving its rules by themselves would send all requests to the canary. */
export const CANARY: Annotation<boolean> = {
  name: "canary",
  group: "canary",
  prefixes: INGRESS_PREFIXES,
  fallback: "unserved",
  supported: true,
  type: BOOLEAN,
  doc: "Canaries are not supported. An Ingress with `true` is not served, and its main Ingress gets all requests.",
};
