/**
 * What Gateway API says of a request: the listener that it belongs to, the match that wins there, what the rule does with it.
 * Slow and plain: every match of every route is looked at for every request.
 */
import { forwardings, redirected } from "./effects.js";
import { hostMatches, hostOf, matches } from "./matches.js";
import { type Target, readTarget } from "./path.js";
import { type Candidate, best, bestHostname, bestListener } from "./precedence.js";
import type { HttpRoute, Listener, Match, Outcome, Request, World } from "./world.js";

/** Numbers of the ports. */
export type Ports = readonly [number, number];

const EVERY_PATH: Match = { headers: [], query: [] };

/** All outcomes that are right: one for each backend that may be chosen. */
export function evaluate(world: World, request: Request, ports: Ports): readonly Outcome[] {
  const target = readTarget(request.target);
  if (target.path === undefined) return [{ status: 400 }];
  const listener = listenerOf(world, request);
  if (listener === undefined) return [{ status: 404 }];
  const winner = best(candidatesOf(world, listener, request, target.path));
  return winner === undefined
    ? [{ status: 404 }]
    : outcomes(winner, request, target, ports[listener.port]);
}

/** A request belongs to one listener only. */
function listenerOf({ listeners }: World, request: Request): Listener | undefined {
  const host = hostOf(request);
  return bestListener(
    listeners.filter(({ port, hostname }) => port === request.port && hostMatches(hostname, host)),
  );
}

function candidatesOf(
  { routes }: World,
  listener: Listener,
  request: Request,
  path: string,
): readonly Candidate[] {
  const host = hostOf(request);
  return routes
    .filter((route) => isAttached(route, listener))
    .filter(
      ({ hostnames }) =>
        hostnames.length === 0 || hostnames.some((each) => hostMatches(each, host)),
    )
    .flatMap((route) =>
      route.rules.flatMap((rule, ruleIndex) =>
        (rule.matches.length === 0 ? [EVERY_PATH] : rule.matches).map((match, matchIndex) => ({
          ...{ route, rule, ruleIndex, match, matchIndex },
          hostname: bestHostname(route.hostnames, host),
        })),
      ),
    )
    .filter(({ match }) => matches(match, request, path));
}

function isAttached({ namespace, parents }: HttpRoute, listener: Listener): boolean {
  const isAllowed = listener.from === "All" || namespace === "infra";
  const isNamed = parents.some(
    ({ sectionName = listener.name, port = listener.port }) =>
      sectionName === listener.name && port === listener.port,
  );
  return isAllowed && isNamed;
}

function outcomes(
  { rule, match }: Candidate,
  request: Request,
  target: Target,
  port: number,
): readonly Outcome[] {
  if (rule.filters.unknown) return [{ status: 500 }];
  const prefix = match.path?.value ?? "/";
  const { redirect } = rule.filters;
  if (redirect !== undefined) return [redirected(redirect, { request, target, prefix, port })];
  const chosen = rule.backends.filter(({ weight = 1 }) => weight > 0);
  if (chosen.length === 0) return [{ status: 500 }];
  return chosen.map((backend) => forwardings(rule.filters, backend, { request, target, prefix }));
}
