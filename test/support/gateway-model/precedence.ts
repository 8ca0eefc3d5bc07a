/** Which of several matches that hold for a request wins. */
import { hostMatches } from "./matches.js";
import { withoutFinalSlash } from "./path.js";
import type { HttpRoute, Listener, Match, Rule } from "./world.js";

export interface Candidate {
  readonly route: HttpRoute;
  readonly rule: Rule;
  readonly ruleIndex: number;
  readonly match: Match;
  readonly matchIndex: number;
  /** The best of the route's own hostnames that the request's host matches; undefined: it has none. */
  readonly hostname: string | undefined;
}

/** Exact hostnames before wildcards before none, longer before shorter. */
export function bestHostname(
  hostnames: readonly (string | undefined)[],
  host: string,
): string | undefined {
  return hostnames
    .filter((hostname) => hostMatches(hostname, host))
    .sort((a, b) => compareRanks(hostnameRank(a), hostnameRank(b)))[0];
}

export function bestListener(listeners: readonly Listener[]): Listener | undefined {
  return [...listeners].sort((a, b) =>
    compareRanks(hostnameRank(a.hostname), hostnameRank(b.hostname)),
  )[0];
}

/** The winner. */
export function best(candidates: readonly Candidate[]): Candidate | undefined {
  return [...candidates].sort((a, b) => compareRanks(rank(a), rank(b)))[0];
}

/** The smaller rank wins, field by field. */
type Rank = readonly (number | string)[];

function rank({ route, ruleIndex, match, matchIndex, hostname }: Candidate): Rank {
  return [
    ...hostnameRank(hostname),
    ...pathRank(match),
    match.method === undefined ? 1 : 0,
    -match.headers.length,
    -match.query.length,
    route.created,
    `${route.namespace}/${route.name}`,
    ruleIndex,
    matchIndex,
  ];
}

function hostnameRank(hostname: string | undefined): Rank {
  if (hostname === undefined) return [2, 0];
  return [hostname.startsWith("*.") ? 1 : 0, -hostname.length];
}

/** Regular expressions are ours to place: after exact paths, longer ones first. */
function pathRank({ path }: Match): Rank {
  switch (path?.type) {
    case "Exact":
      return [0, 0];
    case "RegularExpression":
      return [1, -path.value.length];
    case "PathPrefix":
    case undefined:
      return [2, -withoutFinalSlash(decodeURIComponent(path?.value ?? "/")).length];
  }
}

function compareRanks(a: Rank, b: Rank): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? left;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
