import type { RedirectSpec } from "../../api/alb.js";
import type { PathRewrite, Redirect } from "../../model/filters.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { isDnsName } from "../hostnames.js";

const DEFAULT_STATUS = 302;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Parts = Pick<Redirect, "scheme" | "host" | "port" | "path">;

/**
 * `url` alone is the whole Location; with other parts it is the path. Nothing but a scheme means the same URL by that scheme, so
 * clients that use it already are not redirected. Undefined when the object redirects nowhere.
 */
export function parseRedirect(spec: RedirectSpec): Result<Redirect | undefined> {
  const status = spec.code ?? DEFAULT_STATUS;
  if (!isRedirectStatus(status)) return problem(`${String(status)} is not a redirect status`);
  const authority = parseAuthority(spec);
  if (!authority.ok) return authority;
  const parts = authority.value;
  const url = text(spec.url);
  if (url !== undefined && !isLocation(url)) {
    return problem(`the URL ${JSON.stringify(url)} is neither a path nor an http or https URL`);
  }
  if (url !== undefined && Object.keys(parts).length === 0) return ok({ status, url });
  const path = pathOf(spec);
  const redirect = { status, ...parts, ...(path && { path }) };
  switch (Object.keys(redirect).length) {
    case 1: // the status
      return ok(undefined);
    case 2: // the status and one part
      return ok({ ...redirect, ...(parts.scheme && { unlessScheme: parts.scheme }) });
    default:
      return ok(redirect);
  }
}

function isLocation(url: string): boolean {
  return (
    /^\S+$/.test(url) && (url.startsWith("/") || (/^https?:\/\//i.test(url) && URL.canParse(url)))
  );
}

export function isRedirectStatus(status: number): status is Redirect["status"] {
  return REDIRECT_STATUSES.has(status);
}

function parseAuthority(spec: RedirectSpec): Result<Parts> {
  const scheme = text(spec.scheme);
  const host = text(spec.host)?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    return problem(`the scheme ${JSON.stringify(scheme)} is neither http nor https`);
  }
  if (host !== undefined && !isDnsName(host)) {
    return problem(`the host ${JSON.stringify(host)} is not a DNS name`);
  }
  const port = parsePort(spec.port);
  if (!port.ok) return port;
  return ok({ ...(scheme && { scheme }), ...(host !== undefined && { host }), ...port.value });
}

/** Zero is how Go leaves a number out. */
function parsePort(port = 0): Result<Pick<Redirect, "port">> {
  if (port === 0) return ok({});
  return port > 0 && port <= 65535 ? ok({ port }) : problem(`${String(port)} is not a port`);
}

function pathOf(spec: RedirectSpec): PathRewrite | undefined {
  const url = text(spec.url);
  if (url !== undefined) return ["full", url];
  const prefix = text(spec.prefix_match)?.replace(/\/+$/, "");
  if (prefix === undefined) return undefined;
  return ["prefix", prefix, spec.replace_prefix ?? ""];
}

/** Empty text is how Go leaves a field out. */
function text(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
