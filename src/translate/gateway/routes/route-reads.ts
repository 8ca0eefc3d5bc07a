import type { Gateway } from "../../../api/gateway.js";
import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { DiagnosticSink } from "../../../diagnostics/sink.js";
import type { UpstreamPlan } from "../../backends.js";
import { grantsKey, objectKey, parentKey, policiesKey, refusedKey } from "../../keys.js";
import type { Key } from "../../keys.js";
import type { AnyRoute, RouteContext, RoutePolicies } from "../model.js";
import type { DescribeParent, GatewayNames, RouteSurroundings } from "./parents.js";

/** Asks the policies of now again, which collect themselves who uses them. */
export type Use = (now: RouteSurroundings, route: AnyRoute) => unknown;

/**
 * What the translation of a route reads besides its route and the options, and what it uses. A `Use` is kept for long, so it holds
 * nothing of the surroundings that it was made with.
 */
export class RouteReads {
  readonly keys = new Set<Key>();
  /** Those of `keys` that are parents, with what the route learns of them. */
  readonly parents = new Map<Key, DescribeParent>();
  readonly uses: Use[] = [];
  readonly upstreams: UpstreamPlan[] = [];

  /** The same surroundings, which note what is read for the route; reports go to `diagnostics`. */
  listen(
    { parents, policies, context }: RouteSurroundings,
    route: AnyRoute,
    diagnostics: DiagnosticSink,
  ): RouteSurroundings {
    this.#readParents(route);
    return {
      parents,
      policies: this.#listeningPolicies(policies, route),
      context: this.#listeningContext(context, diagnostics),
    };
  }

  #readParents({ metadata: { namespace: from }, spec }: AnyRoute): void {
    const { parentRefs = [], useDefaultGateways } = spec;
    for (const { group = GATEWAY_GROUP, kind = "Gateway", namespace = from, name } of parentRefs) {
      if (group !== GATEWAY_GROUP) continue;
      const parent = { kind, namespace, name };
      this.parents.set(parentKey(from, parent), (parents) => parents.describe(parent, from));
    }
    if (useDefaultGateways !== undefined) {
      this.parents.set(parentKey(from), (parents) => parents.describeDefaults(from));
    }
    for (const key of this.parents.keys()) this.keys.add(key);
  }

  #readService(namespace: string, name: string): void {
    this.keys.add(objectKey({ kind: "Service", namespace, name }));
  }

  #listeningContext(context: RouteContext, diagnostics: DiagnosticSink): RouteContext {
    return {
      options: context.options,
      diagnostics,
      service: (namespace, name) => {
        this.#readService(namespace, name);
        return context.service(namespace, name);
      },
      isGranted: (from, to) => {
        this.keys.add(grantsKey(to.namespace));
        return context.isGranted(from, to);
      },
      upstream: (ref) => {
        this.#readService(ref.namespace, ref.name);
        const plan = context.upstream(ref);
        this.upstreams.push(plan);
        return plan;
      },
    };
  }

  #listeningPolicies(policies: RoutePolicies, { kind, metadata }: AnyRoute): RoutePolicies {
    const { namespace, name } = metadata;
    const refused = refusedKey("AuthPolicy", namespace);
    return {
      facts: policies.facts,
      backendTls: (gateways, backend) => {
        const isTarget = this.#readBackendTls(backend.namespace, backend.service, policies);
        const choice = policies.backendTls(gateways, backend);
        if (isTarget || choice.kind !== "none") {
          const names = namesOf(gateways);
          this.uses.push((now) => now.policies.backendTls(now.parents.gateways(names), backend));
        }
        return choice;
      },
      extension: (ref, place) => {
        this.keys.add(objectKey({ kind: "AuthPolicy", namespace, name: ref.name })).add(refused);
        this.uses.push((now) => now.policies.extension(ref, place));
        return policies.extension(ref, place);
      },
      externalAuth: (filter, place, gateways) => {
        const { namespace: other = namespace, name: service } = filter.backendRef;
        this.#readService(other, service);
        this.keys.add(grantsKey(other));
        this.#readBackendTls(other, service, policies);
        const names = namesOf(gateways);
        this.uses.push((now) =>
          now.policies.externalAuth(filter, place, now.parents.gateways(names)),
        );
        return policies.externalAuth(filter, place, gateways);
      },
      attached: (route, rule) => {
        this.keys.add(policiesKey({ kind, namespace, name })).add(refused);
        const auth = policies.attached(route, rule);
        if (auth !== undefined) this.uses.push((now, its) => now.policies.attached(its, rule));
        return auth;
      },
    };
  }

  /** Whether a policy may be for the Service: then it collects who uses it. */
  #readBackendTls(namespace: string, service: string, { facts }: RoutePolicies): boolean {
    const keys = [
      policiesKey({ kind: "Service", namespace, name: service }),
      refusedKey("BackendTLSPolicy", namespace),
    ];
    for (const key of keys) this.keys.add(key);
    return keys.some((key) => facts.has(key));
  }
}

/** Gateways are other objects in each translation, and are found again by name. */
function namesOf(gateways: readonly Gateway[]): GatewayNames {
  return gateways.map(({ metadata: { namespace, name } }) => ({ namespace, name }));
}
