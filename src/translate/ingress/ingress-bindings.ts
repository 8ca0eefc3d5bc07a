/** Where the routes of an Ingress are tried. */
import { ANY_HOST, type HostPattern, hostKey } from "../../model/values.js";
import { type Route, routeTimeouts } from "../../model/route.js";
import { getOrInsert } from "../../support/collections.js";
import { type EntryPort, type Inherited, bindWholePort } from "../load-balancer.js";
import { type Place, annotationField, nameOf, placeOf, sourceRef, within } from "../place.js";
import { INGRESS_PRIORITY, listenerRank, specificity } from "../precedence.js";
import { NO_RULE, closedRule } from "../reasons.js";
import type { PathClaim } from "../shadowed-paths.js";
import { NO_GROUPS, regexGroups } from "../pattern/regex.js";
import type { Annotation } from "./annotations/annotation.js";
import { pathKey } from "./annotations/annotation-key.js";
import { AnnotationReader } from "./annotations/annotation-reader.js";
import { priorityOf } from "./annotations/origin.js";
import { REDIRECT_ROWS, TEXT_ROWS, readText } from "./annotations/redirect.js";
import { readLocation } from "./annotations/written-texts.js";
import { type ClosableRoute, ingressRoute } from "./ingress-route.js";
import {
  type IngressPath,
  type IngressScope,
  type PreparedIngress,
  portsFor,
  withAliases,
} from "./ingress-scope.js";
import { hostTerms, looksLikePattern, matchLocation, matchPath } from "./path-match.js";
import { SHARED_SHAPE } from "../../support/json-object.js";

/** Binds one path to the ports that serve its host, and to the host's further names. */
export function bindPath(prepared: PreparedIngress, path: IngressPath, scope: IngressScope): void {
  const { index, host, place } = path;
  const isRegex = isPattern(prepared, path, scope);
  const isOrigin = scope.balancer.alb !== undefined;
  const match =
    path.location === undefined
      ? matchPath(host, { ...SHARED_SHAPE, ...path, isRegex, isOrigin })
      : matchLocation(host, path.location, isRegex);
  const input = {
    ...SHARED_SHAPE,
    ...path,
    key: pathKey(index),
    backendPlace: within(place, "backend"),
    isRegex,
    hasTls: scope.isTls(host),
    invalid: path.invalid ?? (match.problem === undefined ? undefined : "path"),
  };
  const priority = priorityOf(prepared.ingress, index, scope.context);
  reportPath(path, match, priority, scope);
  reportTexts(TEXT_ROWS, path, isRegex, scope);
  const position = [index.rule, index.path, 0];
  bindHost(prepared, host, scope, {
    routeOf: (port) =>
      path.location === undefined
        ? ingressRoute(input, port, scope)
        : locationRoute(prepared, path, port),
    // Written out, since there are thousands of them, and spreads make larger objects.
    claimOf: (listener, hosts, route) => ({
      listener,
      hosts,
      route,
      path: match.path,
      object: prepared.ingress,
      position,
      priority,
      specificity: match.specificity,
      placeOf: pathPlace,
    }),
  });
}

/** A location of a snippet has no backend: without an answer of its own it has 404. */
function locationRoute(
  { ingress: { metadata } }: PreparedIngress,
  { index, place, location, closedBy }: IngressPath,
  { inherited }: EntryPort,
): ClosableRoute {
  const settings = location?.settings;
  const [closer] = closedBy;
  const refuse =
    settings === undefined || closer !== undefined
      ? closedRule(closer?.name ?? "")
      : inherited.closed;
  const route: Route = {
    id: `ingress/${metadata.namespace}/${metadata.name}/${pathKey(index)}`,
    source: sourceRef(place),
    ...(refuse !== undefined && { refuse }),
    ...settings,
    ...(settings && { backends: [{ weight: 1, protocol: "http", refuse: NO_RULE }] }),
  };
  return { route, closers: closedBy.map(({ field }) => field) };
}

/** A namespace has patterns on a host altogether; that another of its Ingresses made it so is worth knowing. */
function isPattern(
  prepared: PreparedIngress,
  { host, place }: IngressPath,
  { factsOf, context }: IngressScope,
): boolean {
  const cause = factsOf(host).patternCause;
  if (cause === undefined) {
    return prepared.ingress.closed !== undefined && prepared.patternHosts.has(hostKey(host));
  }
  if (!prepared.patternHosts.has(hostKey(host))) {
    const message = `${nameOf(cause)} makes regular expressions of all paths of its host`;
    context.diagnostics.report({ code: "INGRESS_REGEX_HOST", message, ...place });
  }
  return true;
}

function reportPath(
  path: IngressPath,
  match: ReturnType<typeof matchPath>,
  priority: number,
  { balancer, context: { diagnostics } }: IngressScope,
): void {
  const { namespace } = path.place.resource;
  const at = within(path.place, "path");
  if (match.problem !== undefined) {
    diagnostics.report({ code: "INGRESS_PATH_INVALID", message: match.problem, ...at });
  } else if (
    path.location === undefined &&
    match.path[0] !== "regex" &&
    looksLikePattern(path.path)
  ) {
    const message = `${JSON.stringify(path.path)} looks like a regular expression and is compared as text`;
    diagnostics.report({ code: "INGRESS_PATH_TEXT", message, ...at });
  }
  if (/%[0-9A-Fa-f]{2}/.test(path.path)) {
    const message = `${JSON.stringify(path.path)} is percent-encoded, and paths are compared decoded`;
    diagnostics.report({ code: "INGRESS_PATH_ENCODED", message, ...at });
  }
  const isLocal = priority < INGRESS_PRIORITY && !balancer.prioritised.has(namespace);
  if (isLocal && path.host.kind === "any") {
    const message = `priority ${String(priority)} counts in namespace ${namespace} alone; objects of others that name a host come before this path`;
    diagnostics.report({ code: "PRIORITY_LOCAL", message, ...at });
  }
}

/** Reports texts that the path can't use, and captures of groups that it does not have. */
function reportTexts(
  rows: readonly Annotation<string>[],
  { path, lookup, place }: Pick<IngressPath, "path" | "lookup" | "place">,
  isRegex: boolean,
  { context: { diagnostics, options } }: IngressScope,
): void {
  const groups = isRegex ? regexGroups(path) : NO_GROUPS;
  for (const row of rows) {
    const read = readText(row, new AnnotationReader(lookup), { path, groups });
    if (read === undefined) continue;
    const field = annotationField(lookup.find(row)?.key ?? "");
    const at = { resource: place.resource, field };
    if (!read.ok) {
      const code =
        options.unsupportedRestrictions === "close" ? "ANNOTATION_CLOSED" : "ANNOTATION_INVALID";
      diagnostics.report({ code, message: `${row.name}: it ${read.problem}`, ...at });
    }
    for (const group of read.ok ? read.value.unset : []) {
      const why = isRegex ? "has no such group" : "is no regular expression";
      const message = `${row.name}: $${String(group)} is empty, since the path ${JSON.stringify(path)} ${why}`;
      diagnostics.report({ code: "CAPTURE_UNSET", message, ...at });
    }
  }
}

function pathPlace({
  object,
  position: [rule = 0, path = 0],
}: Pick<PathClaim, "object" | "position">): ReturnType<typeof placeOf> {
  return placeOf(object, "spec", "rules", rule, "http", "paths", path);
}

/** Redirects `/` of a host to the application's path, before any rule of the namespace for `/`. */
export function bindAppRoot(
  prepared: PreparedIngress,
  { rule, host }: PreparedIngress["hosts"][number],
  scope: IngressScope,
): void {
  const { ingress, lookup } = prepared;
  const { namespace, name } = ingress.metadata;
  const reader = new AnnotationReader(lookup);
  const url = reader.resolve(REDIRECT_ROWS.appRoot, (text) => readLocation(text, NO_GROUPS))?.text;
  const isClosing = scope.context.options.unsupportedRestrictions === "close";
  if (url === undefined && !(isClosing && reader.closers.length > 0)) return;
  const key = lookup.find(REDIRECT_ROWS.appRoot)?.key ?? "";
  const match = matchPath(host, { path: "/", pathType: "Exact", isRegex: false });
  const written = { path: "/", lookup, place: placeOf(ingress) };
  reportTexts([REDIRECT_ROWS.appRoot], written, false, scope);
  const { complexity, length } = match.specificity;
  const rank = { position: [rule, 0], specificity: { complexity: complexity + 1, length } };
  bindHost(prepared, host, scope, {
    claimOf: (listener, hosts, route) => ({
      ...{ listener, hosts, route, path: match.path, object: ingress },
      ...rank,
    }),
    routeOf: ({ inherited }) => ({
      route: {
        id: `ingress/${namespace}/${name}/app-root`,
        source: sourceRef(placeOf(ingress, ...annotationField(key))),
        ...(url === undefined
          ? { refuse: closedRule(REDIRECT_ROWS.appRoot.name) }
          : { redirect: { status: 302, url } }),
        ...routeTimeouts(inherited.timeouts),
      },
      closers: reader.closers.map(({ field }) => field),
    }),
  });
}

/**
 * Hosts of rules without paths, which ingress-nginx serves all the same: annotations act there, such as redirects, and there is no
 * backend. The origin serves none of them.
 */
function hostsAlone(
  { ingress, hosts }: PreparedIngress,
  { balancer }: IngressScope,
): PreparedIngress["hosts"] {
  if (balancer.alb !== undefined) return [];
  return hosts.filter(({ rule, host }) => {
    const paths = ingress.spec?.rules?.[rule]?.http?.paths ?? [];
    return host.kind !== "any" && paths.length === 0;
  });
}

/**
 * spec.defaultBackend takes what the paths of the Ingress's hosts leave. Without a host it takes what all rules of the port leave, and
 * of several such the oldest does.
 */
export function bindDefaultBackend(prepared: PreparedIngress, scope: IngressScope): void {
  const { ingress, lookup, closedBy, invalid } = prepared;
  const backend = ingress.spec?.defaultBackend;
  const hosts = backend === undefined ? hostsAlone(prepared, scope) : prepared.hosts;
  if (backend === undefined && hosts.length === 0) return;
  const place = placeOf(ingress, "spec", backend === undefined ? "rules" : "defaultBackend");
  const settings = { lookup, closedBy, invalid, place, backend, backendPlace: place };
  const routeOf = (port: EntryPort, hasTls: boolean): ClosableRoute => {
    const key = hasTls ? "default-tls" : "default";
    const input = { ...settings, key, path: "/", isRegex: false, hasTls };
    const made = ingressRoute(input, port, scope);
    reportEmpty(made.route, place, scope);
    return made;
  };
  const byHost = new Map(hosts.map((each) => [hostKey(each.host), each]));
  if (hosts.length === 0) byHost.set("", { rule: 0, host: ANY_HOST });
  for (const { rule, host } of byHost.values()) {
    if (host.kind !== "any") {
      const hasTls = scope.isTls(host);
      const rank = { position: [rule, 0], specificity: specificity(hostTerms(host)) };
      bindHost(prepared, host, scope, {
        claimOf: (listener, names, route) => ({
          ...{ listener, hosts: names, route, path: undefined, object: ingress },
          ...rank,
        }),
        routeOf: (port) => routeOf(port, hasTls),
      });
      continue;
    }
    for (const port of portsFor(prepared, host, scope)) {
      const { route: written, closers } = routeOf(port, false);
      const route = scope.context.config.addRoute(written, port.port, closers);
      const rank = listenerRank("default", ingress, INGRESS_PRIORITY);
      bindWholePort(port, route, rank, scope.context.config);
    }
  }
}

/** Reports a rule that neither annotations nor a backend give an answer. */
function reportEmpty(route: Route, place: Place, { context }: IngressScope): void {
  const [backend] = route.backends ?? [];
  if (backend?.refuse !== NO_RULE || route.redirect !== undefined || route.refuse !== undefined)
    return;
  const message = "a rule has no paths and the Ingress no defaultBackend, so its host answers 404";
  context.diagnostics.report({ code: "INGRESS_RULE_EMPTY", message, ...place });
}

/** Claims a host and its further names on each port that serves it. Ports that give the same share a route. */
function bindHost(
  prepared: PreparedIngress,
  host: HostPattern,
  scope: IngressScope,
  {
    claimOf,
    routeOf,
  }: {
    readonly claimOf: (listener: string, hosts: readonly HostPattern[], route: string) => PathClaim;
    readonly routeOf: (port: EntryPort) => ClosableRoute;
  },
): void {
  const hosts = withAliases(prepared, host, scope);
  const routes = new Map<Inherited, string>();
  for (const port of portsFor(prepared, host, scope)) {
    const id = getOrInsert(routes, port.inherited, () => {
      const { route, closers } = routeOf(port);
      return scope.context.config.addRoute(route, port.port, closers);
    });
    scope.claims.push(claimOf(port.listener, hosts, id));
  }
}
