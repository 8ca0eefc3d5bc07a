/** Does a match hold for a request, and does a hostname? */
import { hasPrefix } from "./path.js";
import type { Match, NamedValue, Request } from "./world.js";

/** A wildcard stands for one label or more; no hostname is every one. */
export function hostMatches(hostname: string | undefined, host: string): boolean {
  if (hostname === undefined) return true;
  if (!hostname.startsWith("*.")) return hostname === host;
  return host.endsWith(hostname.slice(1)) && host.length > hostname.length - 1;
}

/** The Host header without its port. */
export function hostOf(request: Request): string {
  return request.host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
}

/** All conditions of a match have to hold; `path` is normalised. */
export function matches(match: Match, request: Request, path: string): boolean {
  return (
    pathMatches(match.path, path) &&
    (match.method === undefined || match.method === request.method) &&
    match.headers.every((condition) =>
      valueMatches(condition, headerValue(request, condition.name)),
    ) &&
    match.query.every((condition) => valueMatches(condition, queryValue(request, condition.name)))
  );
}

function pathMatches(condition: Match["path"], path: string): boolean {
  switch (condition?.type) {
    case undefined:
      return true;
    case "Exact":
      return path === decodeURIComponent(condition.value);
    case "PathPrefix":
      return hasPrefix(path, decodeURIComponent(condition.value));
    case "RegularExpression":
      return new RegExp(condition.value).test(path);
  }
}

function valueMatches({ type, value }: NamedValue, actual: string | undefined): boolean {
  if (actual === undefined) return false;
  return type === "Exact" ? actual === value : new RegExp(value).test(actual);
}

/** Repeated lines are one value, joined. */
export function headerValue({ headers }: Request, name: string): string | undefined {
  const lines = headers.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  return lines.length === 0 ? undefined : lines.map(({ value }) => value).join(",");
}

/** Of repeated parameters the first counts. */
function queryValue({ target }: Request, name: string): string | undefined {
  const query = target.split("?").slice(1).join("?");
  for (const pair of query.split("&")) {
    const [key = "", ...value] = pair.split("=");
    if (pair !== "" && decodeURIComponent(key) === name) return decodeURIComponent(value.join("="));
  }
  return undefined;
}
