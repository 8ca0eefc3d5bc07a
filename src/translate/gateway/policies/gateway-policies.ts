import type { Gateway, RouteFilter } from "../../../api/gateway.js";
import type { InheritedAuth } from "../../../model/listener.js";
import { type ObjectStatus, withShortMessages } from "../../../status/object-status.js";
import { getOrInsert } from "../../../support/collections.js";
import { filled } from "../../../support/json-object.js";
import type { AuthContext } from "../../auth/auth-context.js";
import type { TranslateContext } from "../../context.js";
import { type Key, extensionKey, objectKey, textsOf } from "../../keys.js";
import { type Place, nameOf, placeOf, within } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { type Unusable, unusable } from "../destination.js";
import type {
  AuthRef,
  GatewayState,
  ListenerState,
  Policies,
  PolicyAnswers,
  RouteReaders,
} from "../model.js";
import { AuthPolicies, type PolicyParts } from "./auth-policies.js";
import { BackendTlsPolicies } from "./backend-tls-policies.js";
import { translateExternalAuth } from "./external-auth.js";
import { gatewaysNamed } from "./policy-targets.js";

export interface PoliciesWithStatuses extends Policies {
  /** Of BackendTLSPolicies and AuthPolicies; to be called after all routes have been translated. */
  statuses(
    routes: RouteReaders,
    parts: PolicyParts,
    context: TranslateContext,
  ): readonly ObjectStatus[];
}

/**
 * The policies of our Gateways. Listeners, streams and routes use them first; then their statuses name the Gateways of these. What a
 * listener or a stream asks is added to `context`.
 */
export function createPolicies(
  states: readonly GatewayState[],
  context: AuthContext,
): PoliciesWithStatuses {
  const tls = new BackendTlsPolicies(states, context);
  const auth = new AuthPolicies(context);
  /** Gateways by what their listeners and streams have asked. */
  const askers = new Map<Key, Set<string>>();
  const answersFor: Policies["answersFor"] = (own, note) => answersTo({ tls, auth, own, note });
  const answersOf = (gateway: Gateway): PolicyAnswers =>
    answersFor(context, (key) => {
      getOrInsert(askers, key, () => new Set()).add(nameOf(gateway));
    });
  const listenerFilters = (listener: ListenerState): AuthRef =>
    filtersOf(listener, answersOf(listener.gateway), context);
  let gatewaysText: string | undefined;
  return {
    policyFacts: auth.facts,
    facts: textsOf(tls.facts),
    answersFor,
    answersOf,
    listenerFilters,
    inherited: () =>
      states
        .flatMap(({ listeners }) => listeners)
        .flatMap((listener) => inheritedFrom(listener, listenerFilters, auth)),
    statuses: (routes, parts, current) => {
      const known = new Map<Key, readonly Gateway[]>();
      // Many policies may target one Service that many routes name.
      const gatewaysAsking = (key: Key): readonly Gateway[] =>
        getOrInsert(known, key, () => {
          const ofRoutes = routes.readersOf(key).flatMap((route) => routes.gatewaysOf(route));
          return gatewaysNamed([...(askers.get(key) ?? []), ...ofRoutes], states);
        });
      gatewaysText ??= JSON.stringify([
        Array.from(askers, ([key, names]) => [key, ...names]),
        states.map(titles),
      ]);
      const users = { routes, states, gatewaysAsking, gatewaysText };
      return [
        ...tls.statuses(gatewaysAsking, current).map(withShortMessages),
        ...parts.translate(auth, users, current),
      ];
    },
  };
}

/** Everything that `gatewaysNamed` reads of a Gateway. */
function titles({ gateway, listeners }: GatewayState): readonly string[] {
  return [gateway, ...listeners.map(({ parent }) => parent)].map(nameOf);
}

function inheritedFrom(
  listener: ListenerState,
  listenerFilters: Policies["listenerFilters"],
  auth: AuthPolicies,
): readonly InheritedAuth[] {
  if (listener.serves === undefined || listener.stream !== undefined) return [];
  const first = listenerFilters(listener);
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

function filtersOf(
  { parent, gateway, name }: ListenerState,
  answers: PolicyAnswers,
  context: AuthContext,
): AuthRef {
  const index = parent.spec.listeners.findIndex((listener) => listener.name === name);
  const requests = parent.spec.listeners[index]?.filters?.requests ?? [];
  const refs = requests.map(({ type, extensionRef, externalAuth }: RouteFilter, i) => {
    const place = placeOf(parent, "spec", "listeners", index, "filters", "requests", i);
    if (type === "ExtensionRef" && extensionRef !== undefined) {
      return answers.extension(extensionRef, place);
    }
    if (type === "ExternalAuth" && externalAuth !== undefined) {
      return answers.externalAuth(externalAuth, place, [gateway]);
    }
    const message = `a listener can't have a filter of type ${type}`;
    return unresolved(unusable("InvalidKind", message), within(place, "type"), context);
  });
  const auth = refs.flatMap((ref) => (ref.ok ? ref.auth : []));
  return refs.find(({ ok }) => !ok) ?? { ok: true, auth };
}

function unresolved(found: Unusable, place: Place, { diagnostics }: AuthContext): AuthRef {
  diagnostics.report({ code: "AUTH_FILTER_UNRESOLVED", message: found.message, ...place });
  return found;
}

/** `own`: the asker's context. */
function answersTo({
  tls,
  auth,
  own,
  note,
}: {
  readonly tls: BackendTlsPolicies;
  readonly auth: AuthPolicies;
  readonly own: AuthContext;
  readonly note: (key: Key) => void;
}): PolicyAnswers {
  const backendTls: PolicyAnswers["backendTls"] = (gateways, backend) => {
    const { namespace, service: name } = backend;
    note(objectKey({ kind: "Service", namespace, name }));
    const choice = tls.choose(gateways, backend);
    if (choice.kind === "tls") own.config.addBackendTls(choice.tls);
    return choice;
  };
  return {
    backendTls,
    extension: ({ group, kind, name }, place) => {
      const at = within(place, "extensionRef");
      const ours = own.options.domains.group;
      if (group !== ours || kind !== "AuthPolicy") {
        const message = `${kind} of group ${JSON.stringify(group)} is no filter; AuthPolicy of ${ours} is`;
        return unresolved(unusable("InvalidKind", message), at, own);
      }
      const { namespace } = place.resource;
      note(extensionKey(namespace, name));
      const policy = auth.find(namespace, name);
      if (policy !== undefined) return { ok: true, auth: auth.idsOf(policy) };
      const message = `there is no AuthPolicy ${namespace}/${name}`;
      return unresolved(unusable("BackendNotFound", message), at, own);
    },
    externalAuth: (filter, place, gateways) => {
      const ref = translateExternalAuth(filter, place, (port) => backendTls(gateways, port), own);
      return ref.ok ? ref : unresolved(ref, within(place, "externalAuth"), own);
    },
    attached: (route, rule) => auth.ofRule(route, rule),
  };
}
