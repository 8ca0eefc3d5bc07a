import type { Inherited } from "../load-balancer.js";
import { nameOf, placeOf, within } from "../place.js";
import type { Place } from "../place.js";
import { INGRESS_PRIORITY } from "../precedence.js";
import type { PathClaim } from "../shadowed-paths.js";
import { hostKey } from "../../model/values.js";
import { ingressRoute } from "./ingress-route.js";
import type { RouteInput } from "./ingress-route.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { priorityOf } from "./origin-annotations.js";
import { looksLikePattern, matchPath } from "./path-match.js";
import type { IngressPath, PreparedIngress } from "./prepared-ingress.js";
import { patternHosts } from "./host-claims.js";

/** Binds one path to the ports that serve its host, and to the host's further names. */
export function bindPath(prepared: PreparedIngress, path: IngressPath, scope: IngressScope): void {
  const { ingress } = prepared;
  const { index, host, place, pathType } = path;
  const { config, diagnostics } = scope.context;
  const isRegex = isPattern(prepared, path, scope);
  const text = { path: path.path, pathType, isRegex, isOrigin: scope.balancer.alb !== undefined };
  const match = matchPath(host, text);
  const at = within(place, "path");
  if (match.problem !== undefined) {
    diagnostics.report({ code: "INGRESS_PATH_INVALID", message: match.problem, ...at });
  } else if (match.path[0] !== "regex" && looksLikePattern(text)) {
    const message = `${JSON.stringify(path.path)} looks like a regular expression and is compared as text`;
    diagnostics.report({ code: "INGRESS_PATH_TEXT", message, ...at });
  }
  const input = routeInput(path, isRegex, match.problem, scope);
  const priority = priorityOf(ingress, index, scope.context);
  if (
    priority < INGRESS_PRIORITY &&
    host.kind === "any" &&
    !scope.balancer.prioritised.has(ingress.metadata.namespace)
  ) {
    const message = `priority ${String(priority)} counts in namespace ${ingress.metadata.namespace} alone; objects of others that name a host come before this path`;
    diagnostics.report({ code: "PRIORITY_LOCAL", message, ...at });
  }
  const hosts = withAliases(prepared, host, scope);
  const position = [index.rule, index.path, 0];
  // Ports that give the same share a route.
  const routes = new Map<Inherited, string>();
  for (const port of portsFor(prepared, host, scope)) {
    const { inherited, listener } = port;
    const known = routes.get(inherited);
    const route = known ?? config.addRoute(ingressRoute(input, port, scope), port.port);
    routes.set(inherited, route);
    // Written out, since there are thousands of them, and spreads make larger objects.
    scope.claims.push({
      listener,
      hosts,
      route,
      path: match.path,
      object: ingress,
      position,
      priority,
      specificity: match.specificity,
      placeOf: pathPlace,
    });
  }
}

function pathPlace({
  object,
  position: [rule = 0, path = 0],
}: Pick<PathClaim, "object" | "position">): Place {
  return placeOf(object, "spec", "rules", rule, "http", "paths", path);
}

function routeInput(
  { index, place, lookup, closedBy, invalid, backend, path, host }: IngressPath,
  isRegex: boolean,
  problem: string | undefined,
  { tlsOf }: IngressScope,
): RouteInput {
  return {
    key: `${String(index.rule)}-${String(index.path)}`,
    place,
    lookup,
    backend,
    backendPlace: within(place, "backend"),
    path,
    isRegex,
    hasTls: tlsOf(host).answers,
    ...(closedBy !== undefined && { closedBy }),
    ...((invalid ?? problem) !== undefined && { invalid: invalid ?? "path" }),
  };
}

/** A namespace has patterns on a host altogether; that another of its Ingresses made it so is worth knowing. */
function isPattern(
  prepared: PreparedIngress,
  { host, place }: IngressPath,
  { factsOf, context }: IngressScope,
): boolean {
  const cause = factsOf(host).patternCause;
  if (cause === undefined) return false;
  if (!patternHosts(prepared).has(hostKey(host))) {
    const message = `${nameOf(cause)} makes regular expressions of all paths of its host`;
    context.diagnostics.report({ code: "INGRESS_REGEX_HOST", message, ...place });
  }
  return true;
}
