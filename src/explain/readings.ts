import type { PolicyDocument, PolicyRoute } from "../render/policy/policy-document.js";
import { findCandidates } from "./candidates.js";
import type { RoutedRequest } from "./predicates.js";
import { percentDecode } from "./request-path.js";
import { own } from "../support/own.js";

/**
 * The paths that backends may read in a request target which is not one in every way, as route/readings.lua has them: dot
 * segments left alone, or removed before decoding, path parameters dropped, `\` for `/`. Wire text.
 */
export function otherReadings(target: string): readonly string[] {
  const raw = /^[^?#]*/.exec(target)?.[0] ?? "";
  return [
    merged(percentDecode(raw)),
    merged(percentDecode(resolved(raw))),
    merged(percentDecode(resolved(raw, (segment) => segment.replaceAll(/%2e/gi, ".")))),
    resolved(percentDecode(withoutParameters(raw))),
    resolved(percentDecode(withSlashes(raw))),
    resolved(percentDecode(withoutParameters(withSlashes(raw)))),
  ];
}

/** Does another rule than the chosen one keep somebody from a path that can be read in the target? */
export function isAmbiguous(
  policy: PolicyDocument,
  listener: string,
  request: RoutedRequest,
  chosen: string,
): boolean {
  const wanted = own(policy.routes, chosen);
  const paths = new Set(otherReadings(request.target));
  paths.delete(request.path);
  return [...paths].some((path) => {
    const other = findCandidates(policy, listener, { ...request, path }).chosen?.route;
    const route = other === undefined ? undefined : own(policy.routes, other);
    return (
      other !== chosen && route !== undefined && wanted !== undefined && protects(route, wanted)
    );
  });
}

function protects(route: PolicyRoute, own: PolicyRoute): boolean {
  if (route.refuse !== undefined) return true;
  const restricted = [route.auth, route.allow, route.deny].some((list) => list !== undefined);
  return restricted && restrictions(route) !== restrictions(own);
}

function restrictions({ auth = [], allow = [], deny = [], satisfy }: PolicyRoute): string {
  return JSON.stringify([auth, allow, deny, satisfy ?? ""]);
}

/**
 * Without dot segments and empty ones; `shown` gives the segment that is looked at for one that is written. At the end they
 * leave the slash before them.
 */
function resolved(text: string, shown = (segment: string) => segment): string {
  const kept: string[] = [];
  const segments = text.split("/").slice(1);
  for (const segment of segments) {
    const seen = shown(segment);
    if (seen === "..") kept.pop();
    else if (seen !== "." && seen !== "") kept.push(segment);
  }
  const open = kept.length > 0 && ["", ".", ".."].includes(shown(segments.at(-1) ?? ""));
  return `/${kept.join("/")}${open ? "/" : ""}`;
}

function withoutParameters(text: string): string {
  return text.replaceAll(/;[^/]*/g, "");
}

function withSlashes(text: string): string {
  return text.replaceAll(/\\|%5c/gi, "/");
}

function merged(text: string): string {
  return `/${text}`.replaceAll(/\/\/+/g, "/");
}
