/** Which requests a path gets, and who may send them. */
import type { Annotation, AnnotationGroup, AnyAnnotation } from "../annotation.js";
import { INGRESS_PREFIXES, PATH_PREFIXES } from "./prefixes.js";
import { BOOLEAN, CIDRS, DNS_NAMES, oneOf, PATH, SIZE, TEXT } from "./types.js";

function row<T>(
  group: AnnotationGroup,
  name: string,
  type: Annotation<T>["type"],
  doc: string,
): Annotation<T> {
  return { name, group, prefixes: PATH_PREFIXES, fallback: "ignored", supported: true, type, doc };
}

export const ALLOWLIST: Annotation<readonly string[]> = {
  ...row(
    "access",
    "allowlist-source-range",
    CIDRS,
    "Only these clients may send requests; others get 403.",
  ),
  fallback: "closed",
};
export const WHITELIST: Annotation<readonly string[]> = {
  ...row(
    "access",
    "whitelist-source-range",
    CIDRS,
    "Older name of allowlist-source-range, which wins over it.",
  ),
  fallback: "closed",
};
export const DENYLIST: Annotation<readonly string[]> = {
  ...row("access", "denylist-source-range", CIDRS, "These clients get 403."),
  fallback: "closed",
};
export const SATISFY = row(
  "access",
  "satisfy",
  oneOf(["all", "any"], (text) => text.toLowerCase()),
  "`any`: source ranges and authentication are alternatives; `all`, the default: both are needed.",
);
export const PROXY_BODY_SIZE = row(
  "access",
  "proxy-body-size",
  SIZE,
  "Largest request body; above it 413.",
);

export const USE_REGEX: Annotation<boolean> = {
  ...row(
    "routing",
    "use-regex",
    BOOLEAN,
    "Paths are regular expressions, without case, anchored at the start; this holds for every path of the Ingress's hosts, also in other Ingresses of the namespace.",
  ),
  prefixes: INGRESS_PREFIXES,
};
export const SERVER_ALIAS: Annotation<readonly string[]> = {
  ...row(
    "routing",
    "server-alias",
    DNS_NAMES,
    "Further hosts for all rules that have a host; a host that a rule of the namespace names, or an older Ingress of another namespace, is not taken.",
  ),
  prefixes: INGRESS_PREFIXES,
};
export const REWRITE_TARGET = row(
  "rewrite",
  "rewrite-target",
  TEXT,
  "New path for the backend; `$1` … are captures of the path, which thereby is a regular expression (see use-regex).",
);
export const APP_ROOT: Annotation<string> = {
  ...row("redirect", "app-root", PATH, "Where requests for `/` are redirected to, with 302."),
  prefixes: INGRESS_PREFIXES,
};

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
