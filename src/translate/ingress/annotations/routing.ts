/** Which requests a path gets, and who may send them. */
import type { Route } from "../../../model/route.js";
import { SHARED_SHAPE, filled, present } from "../../../support/json-object.js";
import type { Groups } from "../../pattern/regex.js";
import {
  BOOLEAN,
  CIDRS,
  DNS_NAMES,
  INGRESS_PREFIXES,
  SIZE,
  TEXT,
  choiceOf,
  rowsOf,
} from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";
import { isRedirecting, readReplacement } from "./written-texts.js";

const access = rowsOf("access");
const routing = rowsOf("routing");
const CLOSING = { fallback: "closed" } as const;
const OF_INGRESS = { prefixes: INGRESS_PREFIXES } as const;

export const ROUTING_ROWS = {
  allowlist: access(
    "allowlist-source-range",
    CIDRS,
    "Only these clients may send requests; others get 403.",
    CLOSING,
  ),
  whitelist: access(
    "whitelist-source-range",
    CIDRS,
    "Older name of allowlist-source-range, which overrides it.",
    CLOSING,
  ),
  denylist: access("denylist-source-range", CIDRS, "These clients get 403.", CLOSING),
  satisfy: access(
    "satisfy",
    choiceOf(["all", "any"], (text) => text.toLowerCase()),
    "`any`: source ranges or authentication must pass; `all`, the default: both must pass.",
  ),
  bodySize: access("proxy-body-size", SIZE, "Largest request body; larger ones get 413.", {
    otherwise: "without it the option bodyLimit holds; there, 1 MiB",
  }),
  useRegex: routing(
    "use-regex",
    BOOLEAN,
    "Paths are case-insensitive regular expressions, anchored at the start. This applies to every path of the Ingress's hosts, including those in other Ingresses of the namespace.",
    OF_INGRESS,
  ),
  serverAlias: routing(
    "server-alias",
    DNS_NAMES,
    "More hosts for all rules that have a host. A host is skipped if a rule of the namespace or an older Ingress of another namespace names it.",
    { ...OF_INGRESS, ...CLOSING, otherwise: "no regular expressions" },
  ),
  rewriteTarget: rowsOf("rewrite")(
    "rewrite-target",
    TEXT,
    "New path for the backend. The path becomes a regular expression (see use-regex), whose captures are `$1` … and `$name`. A text that begins with `http://`, `https://` or `$scheme` redirects there with 302 instead.",
  ),
  // It adds a second backend to another Ingress's paths: serving its rules by themselves would send all requests to the canary.
  canary: rowsOf("canary")(
    "canary",
    BOOLEAN,
    "Canaries are not supported. An Ingress with `true` is not served, and its main Ingress gets all requests.",
    { ...OF_INGRESS, fallback: "unserved", otherwise: "there are no canaries" },
  ),
};

export function readAccess(
  reader: AnnotationReader,
): Pick<Route, "bodyLimit" | "allow" | "deny" | "satisfy"> {
  const whitelist = reader.get(ROUTING_ROWS.whitelist);
  return {
    ...SHARED_SHAPE,
    ...present("bodyLimit", reader.get(ROUTING_ROWS.bodySize)),
    ...filled("allow", reader.get(ROUTING_ROWS.allowlist) ?? whitelist),
    ...filled("deny", reader.get(ROUTING_ROWS.denylist)),
    ...(reader.get(ROUTING_ROWS.satisfy) === "any" && { satisfy: "any" }),
  };
}

/** Whether use-regex or a rewrite-target makes patterns of all paths of the host of `path` (ingress-nginx, "use-regex"). */
export function makesPatterns(reader: AnnotationReader, path: string): boolean {
  return reader.get(ROUTING_ROWS.useRegex) === true || readTarget(reader, path) !== undefined;
}

/** The whole request path becomes the target; the pattern is the path's, without case, as ingress-nginx has it. */
export function readRewrite(
  reader: AnnotationReader,
  path: string,
  groups: Groups,
): Pick<Route, "rewrite"> {
  const target = readTarget(reader, path);
  if (target === undefined || isRedirecting(target)) return {};
  const written = reader.resolve(ROUTING_ROWS.rewriteTarget, (text) =>
    readReplacement(text, groups),
  );
  return written === undefined ? {} : { rewrite: ["regex", path, "i", written.text, true] };
}

function readTarget(reader: AnnotationReader, path: string): string | undefined {
  const target = reader.get(ROUTING_ROWS.rewriteTarget);
  return target === path ? undefined : target;
}
