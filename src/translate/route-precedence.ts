/**
 * Which of several Gateway API routes that match a request gets it (Gateway API, HTTPRouteRule.matches and hostnames): the
 * hostname that the route itself names, then the match, then the older route, then names, then the position inside the route.
 */
import type { KubernetesObject } from "../api/wire.js";
import type { HostPattern } from "../model/host-pattern.js";
import { hostKey } from "../model/host-pattern.js";
import { ageKey, digits } from "./precedence.js";

/** Exact before expressions before prefixes; the longer first. */
export interface PathRank {
  readonly kind: "exact" | "regex" | "prefix";
  /** In characters. */
  readonly length: number;
}

/** How narrow a match is. */
export interface MatchRank {
  readonly path: PathRank;
  readonly method: boolean;
  /** Numbers of conditions. */
  readonly headers: number;
  readonly queries: number;
}

export interface RouteRank {
  readonly match: MatchRank;
  readonly route: KubernetesObject;
  /** Indexes of rule and match. */
  readonly position: readonly number[];
}

const HOST_DIGIT = { exact: "0", wildcard: "1", any: "2" } as const;
const PATH_DIGIT = { exact: "0", regex: "1", prefix: "2" } as const;

/** The rank as text whose byte order is the order in which bindings of one `hostnameRank` are tried. */
export function routeOrderKey({ match, route, position }: RouteRank): string {
  const { namespace, name, creationTimestamp } = route.metadata;
  return [
    PATH_DIGIT[match.path.kind] + longerFirst(match.path.length),
    match.method ? "0" : "1",
    longerFirst(match.headers),
    longerFirst(match.queries),
    ageKey(creationTimestamp),
    // The API compares "{namespace}/{name}"; a blank sorts before every character of a name.
    `${namespace}/${name}`,
    route.kind,
    ...position.map((index) => digits(index, 4)),
  ].join(" ");
}

/**
 * Of the route's own hostname, not of what it and the listener have in common: exact before wildcards before none; the longer first.
 * Hostnames of one rank never cover the same host.
 */
export function hostnameRank(hostname: HostPattern): string {
  return HOST_DIGIT[hostname.kind] + longerFirst(hostKey(hostname).length);
}

function longerFirst(length: number): string {
  const width = 5;
  return digits(10 ** width - 1 - length, width);
}
