import type { AuthPolicy } from "../../../api/auth.js";
import type {
  ExternalAuthFilter,
  Gateway,
  ObjectReference,
  ParentReference,
  RouteFilter,
} from "../../../api/gateway.js";
import type { RoutingResources } from "../../../input/resources.js";
import type { InheritedAuth } from "../../../model/listener.js";
import { groupBy } from "../../../support/collections.js";
import { filled } from "../../../support/json-object.js";
import type { AuthContext } from "../../auth/auth-context.js";
import type { Place } from "../../place.js";
import { placeOf, within } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { refusedObjects } from "../../refused-objects.js";
import type { Fact } from "../../keys.js";
import { refusedKey } from "../../keys.js";
import type { Unusable } from "../destination.js";
import { unusable } from "../destination.js";
import type {
  AuthRef,
  BackendPort,
  BackendTlsChoice,
  GatewayState,
  ListenerState,
  Policies,
} from "../model.js";
import { AuthPolicies, authPolicyStatuses } from "./auth-policies.js";
import { BackendTlsPolicies } from "./backend-tls-policies.js";
import { translateExternalAuth } from "./external-auth.js";
import { gatewayRef } from "./policy-targets.js";
import { gatewaysOf, gatewaysOfRoute } from "./route-gateways.js";

/** Collects the policies of our Gateways: routes look them up first, then their statuses and TLS are read. */
export function createPolicies(states: readonly GatewayState[], context: AuthContext): Policies {
  const tls = new BackendTlsPolicies(states, context);
  const auth = new AuthPolicies(context);
  const filters = new AuthFilters(states, tls, auth, context);
  const facts = [...tls.facts, ...auth.facts, ...refusedFacts(context.resources)];
  const byKey = groupBy(facts, ([key]) => key);
  return {
    facts: new Map([...byKey].map(([key, known]) => [key, JSON.stringify(known)])),
    backendTls: (gateways, backend) => tls.choose(gateways, backend),
    extension: (ref, place) => filters.extension(ref, place),
    externalAuth: (filter, place, gateways) => filters.externalAuth(filter, place, gateways),
    listenerFilters: (listener) => filters.ofListener(listener),
    attached: (route, rule) => auth.ofRule(route, rule),
    inherited: () =>
      states
        .flatMap(({ listeners }) => listeners)
        .flatMap((listener) => inheritedFrom(listener, filters, auth)),
    statuses: () => {
      auth.reportUnused(new Set(filters.named.keys()));
      return [...tls.statuses(), ...authPolicyStatuses(auth, filters.named, states, context)];
    },
    collected: () => tls.collected(),
  };
}

function refusedFacts({ refused }: RoutingResources): readonly Fact[] {
  return refused.flatMap(({ kind, namespace, name }): readonly Fact[] =>
    kind === "AuthPolicy" || kind === "BackendTLSPolicy"
      ? [[refusedKey(kind, namespace), name]]
      : [],
  );
}

function inheritedFrom(
  listener: ListenerState,
  filters: AuthFilters,
  auth: AuthPolicies,
): readonly InheritedAuth[] {
  if (listener.serves === undefined || listener.stream !== undefined) return [];
  const first = filters.ofListener(listener);
  const own = first.ok ? first.auth : [];
  const policies = auth.ofListener(listener);
  if (first.ok && own.length === 0 && policies.length === 0) return [];
  return [
    {
      id: listener.serves.listener,
      ...(!first.ok && { refuse: invalidRule("filters of the listener") }),
      ...filled("filters", own),
      ...filled("policies", policies),
    },
  ];
}

/** Translates auth filters of rules, backendRefs and listeners. */
class AuthFilters {
  /** Gateways of the routes and listeners whose ExtensionRef filters name a policy. */
  readonly named = new Map<AuthPolicy, readonly ParentReference[]>();
  readonly #states: readonly GatewayState[];
  readonly #tls: BackendTlsPolicies;
  readonly #auth: AuthPolicies;
  readonly #context: AuthContext;

  constructor(
    states: readonly GatewayState[],
    tls: BackendTlsPolicies,
    auth: AuthPolicies,
    context: AuthContext,
  ) {
    this.#states = states;
    this.#tls = tls;
    this.#auth = auth;
    this.#context = context;
  }

  extension({ group, kind, name }: ObjectReference, place: Place): AuthRef {
    const { options, resources } = this.#context;
    const at = within(place, "extensionRef");
    if (group !== options.domains.group || kind !== "AuthPolicy") {
      const message = `${kind} of group ${JSON.stringify(group)} is no filter; AuthPolicy of ${options.domains.group} is`;
      return this.#unresolved(unusable("InvalidKind", message), at);
    }
    const { namespace } = place.resource;
    const policy = resources.get("AuthPolicy", namespace, name);
    if (policy !== undefined) {
      this.named.set(policy, this.#gatewaysAt(place));
      return { ok: true, auth: this.#auth.idsOf(policy) };
    }
    const refused = refusedObjects(resources, kind, namespace).find((ref) => ref.name === name);
    if (refused !== undefined) return { ok: true, auth: this.#auth.closedBy(refused) };
    const message = `there is no AuthPolicy ${namespace}/${name}`;
    return this.#unresolved(unusable("BackendNotFound", message), at);
  }

  externalAuth(filter: ExternalAuthFilter, place: Place, gateways: readonly Gateway[]): AuthRef {
    const choose = (backend: BackendPort): BackendTlsChoice => this.#tls.choose(gateways, backend);
    const ref = translateExternalAuth(filter, place, choose, this.#context);
    return ref.ok ? ref : this.#unresolved(ref, within(place, "externalAuth"));
  }

  ofListener({ parent, gateway, name }: ListenerState): AuthRef {
    const index = parent.spec.listeners.findIndex((listener) => listener.name === name);
    const requests = parent.spec.listeners[index]?.filters?.requests ?? [];
    const refs = requests.map((filter, i) => {
      const place = placeOf(parent, "spec", "listeners", index, "filters", "requests", i);
      return this.#listenerFilter(filter, place, gateway);
    });
    const auth = refs.flatMap((ref) => (ref.ok ? ref.auth : []));
    return refs.find(({ ok }) => !ok) ?? { ok: true, auth };
  }

  #listenerFilter(filter: RouteFilter, place: Place, gateway: Gateway): AuthRef {
    const { type, extensionRef, externalAuth } = filter;
    if (type === "ExtensionRef" && extensionRef !== undefined) {
      return this.extension(extensionRef, place);
    }
    if (type === "ExternalAuth" && externalAuth !== undefined) {
      return this.externalAuth(externalAuth, place, [gateway]);
    }
    const message = `a listener can't have a filter of type ${type}`;
    return this.#unresolved(unusable("InvalidKind", message), within(place, "type"));
  }

  /** The Gateways of the route or listener that has the filter. */
  #gatewaysAt({ resource: { kind, namespace, name } }: Place): readonly ParentReference[] {
    const { resources } = this.#context;
    const isRoute = kind === "HTTPRoute" || kind === "GRPCRoute";
    const route = isRoute ? resources.get(kind, namespace, name) : undefined;
    const gateways = route
      ? gatewaysOfRoute(route, this.#states)
      : gatewaysOf([{ kind, namespace, name }], this.#states);
    return gateways.map((gateway) => gatewayRef(gateway));
  }

  #unresolved(unresolved: Unusable, place: Place): AuthRef {
    const { message } = unresolved;
    this.#context.diagnostics.report({ code: "AUTH_FILTER_UNRESOLVED", message, ...place });
    return unresolved;
  }
}
