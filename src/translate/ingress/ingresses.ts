import type { Ingress } from "../../api/core.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import type { LoadBalancer } from "../load-balancer.js";
import { placeOf, within } from "../place.js";
import { compareAge } from "../precedence.js";
import { AnnotationReader } from "./annotation-reader.js";
import { annotationLookup } from "./annotation-lookup.js";
import { reportAnnotations } from "./annotation-report.js";
import { CANARY } from "./annotations/canary-table.js";
import { bindAppRoot } from "./app-root.js";
import { bindDefaultBackend } from "./default-backend.js";
import { DuplicatePaths } from "./duplicate-paths.js";
import { ingressHosts, ingressPaths } from "./ingress-paths.js";
import type { IngressPath } from "./ingress-paths.js";
import { ingressRoute } from "./ingress-route.js";
import type { IngressScope } from "./ingress-scope.js";
import { ingressScope, portsFor, withAliases } from "./ingress-scope.js";
import { priorityOf } from "./origin-annotations.js";
import { matchPath } from "./path-match.js";
import { orderKey } from "../precedence.js";

/** The Ingresses of every load balancer, bound to its HTTP and HTTPS ports. */
export function translateIngresses(
  balancers: readonly LoadBalancer[],
  context: BuildContext,
): void {
  for (const balancer of balancers) {
    const selected = context.resources
      .list("Ingress")
      .filter(balancer.ingress.selects)
      .sort(compareAge);
    for (const ingress of selected) reportAnnotations(ingress, context);
    const served = selected.filter((ingress) => !isCanary(ingress, context));
    const scope = ingressScope(served, balancer, context);
    const duplicates = new DuplicatePaths(context.diagnostics);
    for (const ingress of served) translateIngress(ingress, scope, duplicates);
    duplicates.report();
  }
}

function translateIngress(ingress: Ingress, scope: IngressScope, duplicates: DuplicatePaths): void {
  for (const path of ingressPaths(ingress, scope.context)) bindPath(path, scope, duplicates);
  for (const { rule, host } of ingressHosts(ingress)) bindAppRoot(ingress, rule, host, scope);
  bindDefaultBackend(ingress, scope);
}

function bindPath(path: IngressPath, scope: IngressScope, duplicates: DuplicatePaths): void {
  const { ingress, index, host, place, lookup, backend } = path;
  const { context } = scope;
  const isRegex = isPattern(path, scope);
  const match = matchPath(host, { path: path.path, pathType: path.pathType, isRegex });
  if (match.problem !== undefined) {
    const field = [...place.field, "path"];
    context.diagnostics.report({
      code: "INGRESS_PATH_INVALID",
      message: match.problem,
      resource: place.resource,
      field,
    });
  }
  const key = `${String(index.rule)}-${String(index.path)}`;
  const priority = priorityOf(ingress, index, context);
  for (const port of portsFor(ingress, host, scope)) {
    const input = {
      key,
      place,
      lookup,
      backend,
      backendPlace: within(place, "backend"),
      path: path.path,
      isRegex,
      hasTls: scope.tlsHosts.has(host),
      ...(match.problem !== undefined && { problem: match.problem }),
    };
    const route = context.config.addRoute(ingressRoute(input, port, scope), port.port);
    for (const [position, pattern] of withAliases(ingress, host, scope).entries()) {
      const order = orderKey({
        class: "rule",
        priority,
        specificity: match.specificity,
        metadata: ingress.metadata,
        position: [index.rule, index.path, position],
      });
      const binding = {
        listener: port.listener,
        host: pattern,
        path: match.path,
        when: [],
        order,
        route,
      };
      context.config.bind(binding);
      duplicates.add(binding, place);
    }
  }
}

/** A host is in regex mode as a whole; that another Ingress made it so is worth knowing. */
function isPattern(
  { ingress, host, place }: IngressPath,
  { regexHosts, context }: IngressScope,
): boolean {
  const causes = regexHosts.get(hostKey(host)) ?? [];
  const [cause] = causes;
  if (cause === undefined) return false;
  if (!causes.includes(ingress)) {
    const { namespace, name } = cause.metadata;
    const message = `Ingress ${namespace}/${name} makes regular expressions of all paths of its host`;
    context.diagnostics.report({ code: "INGRESS_REGEX_HOST", message, ...place });
  }
  return true;
}

function isCanary(ingress: Ingress, context: BuildContext): boolean {
  const lookup = annotationLookup(ingress.metadata.annotations, context.options.domains);
  if (new AnnotationReader(lookup).get(CANARY) !== true) return false;
  const message = "canaries are not supported, so this Ingress is not served";
  const key = lookup.get(CANARY.name, CANARY.prefixes)?.key ?? "";
  const place = placeOf(ingress, "metadata", "annotations", key);
  context.diagnostics.report({ code: "INGRESS_CANARY", message, ...place });
  return true;
}
