/** All HTTPRoutes and GRPCRoutes, each translated on its own, and again only when it, or something that its translation read, changed. */
import { GATEWAY_GROUP } from "../../../api/wire.js";
import { byNamespaceAndName } from "../../../input/resources.js";
import type { RouteBinding } from "../../../model/route.js";
import { inBindingOrder } from "../../../model/route.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { compareBy, getOrInsert, patched } from "../../../support/collections.js";
import type { AuthContext } from "../../auth/auth-context.js";
import { reportRestrictions } from "../../ingress/annotation-problems.js";
import type { Key } from "../../keys.js";
import { isRouteKey, objectName, parentKey } from "../../keys.js";
import { Parts } from "../../memory.js";
import type { Part } from "../../part.js";
import { Whole, eachOf, kept, ownContext, partOf } from "../../part.js";
import { nameOf } from "../../place.js";
import type { AnyRoute, GatewayState, ListenerState, Policies, RouteReaders } from "../model.js";
import { isGrpcRoute } from "../model.js";
import type { DescribeParent, ListenerPlace } from "./parents.js";
import { Parents } from "./parents.js";
import { translateRoute } from "./route.js";

/** What became of a route. */
interface RoutePart extends Part {
  readonly route: AnyRoute;
  readonly status: ObjectStatus;
  readonly bindings: readonly RouteBinding[];
  /** Titles of the Gateways among its parents. */
  readonly gateways: readonly string[];
  /** Those that it is attached to and accepted for. */
  readonly listeners: readonly ListenerPlace[];
}

/** What all routes are translated with. */
interface Surroundings {
  readonly parents: Parents;
  readonly policies: Policies;
  readonly context: AuthContext;
}

export class Routes implements RouteReaders {
  readonly #parts = new Parts<RoutePart>((key) => this.#parents.delete(key));
  /** Of the keys that are parents: what routes read of them. */
  readonly #parents = new Map<Key, { readonly describe: DescribeParent; readonly text: string }>();
  #facts: ReadonlyMap<Key, string> = new Map();
  /** HTTPRoutes, then GRPCRoutes, each by namespace and name. */
  #all: readonly RoutePart[] = [];
  bindings: readonly RouteBinding[] = [];
  readonly whole = new Whole();

  /**
   * `changed`: keys of objects that have changed since the last call. Counts the routes of each listener that are accepted there
   * (Gateway API, ListenerStatus.attachedRoutes).
   */
  translate(
    states: readonly GatewayState[],
    policies: Policies,
    changed: ReadonlySet<Key>,
    context: AuthContext,
  ): ReadonlyMap<ListenerState, number> {
    const parents = new Parents(states, context);
    const all = [...changed, ...this.#changedFacts(policies), ...this.#changedParents(parents)];
    const stale = [...all.filter(isRouteKey), ...this.#parts.readersOf(all)];
    const differences = this.#parts.update(stale, (key, reads) => {
      const { kind, namespace, name } = objectName(key);
      const known = kind === "GRPCRoute" ? kind : "HTTPRoute";
      const route = context.resources.get(known, namespace, name);
      return route && this.#made(route, reads, { parents, policies, context });
    });
    this.whole.update(differences);
    this.#all = patched(this.#all, differences, inOrder);
    this.bindings = patched(
      this.bindings,
      eachOf(differences, ({ bindings }) => bindings),
      inBindingOrder,
    );
    const attached = new Map<ListenerState, number>();
    for (const place of this.#all.flatMap(({ listeners }) => listeners)) {
      const listener = parents.listenerAt(place);
      attached.set(listener, (attached.get(listener) ?? 0) + 1);
    }
    return attached;
  }

  get statuses(): readonly ObjectStatus[] {
    return this.#all.map(({ status }) => status);
  }

  gatewaysOf(route: Key): readonly string[] {
    return this.#parts.get(route)?.gateways ?? [];
  }

  readersOf(key: Key): readonly Key[] {
    return this.#parts.readersOf([key]);
  }

  #changedFacts({ facts }: Policies): readonly Key[] {
    const known = this.#facts;
    this.#facts = facts;
    const keys = new Set([...known.keys(), ...facts.keys()]);
    return [...keys].filter((key) => known.get(key) !== facts.get(key));
  }

  #changedParents(parents: Parents): readonly Key[] {
    return [...this.#parents].flatMap(([key, { describe, text: before }]) => {
      const text = describe(parents);
      this.#parents.set(key, { describe, text });
      return text === before ? [] : [key];
    });
  }

  #made(route: AnyRoute, reads: Set<Key>, { parents, policies, context }: Surroundings): RoutePart {
    for (const [key, describe] of describedParents(route)) {
      reads.add(key);
      getOrInsert(this.#parents, key, () => ({ describe, text: describe(parents) }));
    }
    const own = ownContext(context, reads);
    const answers = policies.answersFor(own, (key) => reads.add(key));
    const { status, gateways, listeners } = translateRoute(route, parents, {
      ...own,
      policies: answers,
    });
    const what = reportRestrictions(route, own);
    if (what !== undefined) own.config.closeObject({ ...route, closed: { what, extent: "paths" } });
    return {
      ...partOf(own),
      route,
      status,
      bindings: kept(own.config.bound.bindings),
      gateways: Array.from(gateways, nameOf),
      listeners: Array.from(listeners, (listener) => parents.placeOf(listener)),
    };
  }
}

/** The parents that the route names, and what it learns of them. */
function describedParents({
  metadata: { namespace: from },
  spec: { parentRefs = [], useDefaultGateways },
}: AnyRoute): ReadonlyMap<Key, DescribeParent> {
  const described = new Map<Key, DescribeParent>();
  for (const { group = GATEWAY_GROUP, kind = "Gateway", namespace = from, name } of parentRefs) {
    if (group !== GATEWAY_GROUP) continue;
    const parent = { kind, namespace, name };
    described.set(parentKey(from, parent), (parents) => parents.describe(parent, from));
  }
  if (useDefaultGateways !== undefined) {
    described.set(parentKey(from), (parents) => parents.describeDefaults(from));
  }
  return described;
}

const inOrder = compareBy<RoutePart>(
  ({ route: a }, { route: b }) => Number(isGrpcRoute(a)) - Number(isGrpcRoute(b)),
  ({ route: a }, { route: b }) => byNamespaceAndName(a, b),
);
