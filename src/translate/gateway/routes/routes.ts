/** All HTTPRoutes and GRPCRoutes, each translated on its own, and again only when it, or something that its translation read, changed. */
import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { RouteBinding } from "../../../model/route.js";
import { type ObjectStatus, withShortMessages } from "../../../status/object-status.js";
import { compareBy, compareStrings, getOrInsert, patched } from "../../../support/collections.js";
import type { AuthContext } from "../../auth/auth-context.js";
import { reportRestrictions } from "../../ingress/annotation-problems.js";
import {
  type Key,
  type ObjectName,
  isExtensionKey,
  isRouteKey,
  objectName,
  parentKey,
} from "../../keys.js";
import { Parts } from "../../memory.js";
import { type Part, type Whole, eachOf, kept, ownContext, partOf } from "../../parts/part.js";
import { nameOf } from "../../place.js";
import type { AnyRoute, GatewayState, ListenerState, Policies, RouteReaders } from "../model.js";
import { type ListenerPlace, Parents } from "./parents.js";
import { translateRoute } from "./route.js";

/** The translation of a route. */
interface RoutePart extends Part {
  readonly status: ObjectStatus;
  readonly bindings: readonly RouteBinding[];
  /** Titles of the Gateways among its parents. */
  readonly gateways: readonly string[];
  /** Listeners that it is attached to and accepted for. */
  readonly listeners: readonly ListenerPlace[];
}

export class Routes implements RouteReaders {
  readonly #parts = new Parts<RoutePart>((key) => this.#parents.delete(key));
  /** By key: what routes read of a parent. */
  readonly #parents = new Map<
    Key,
    { readonly from: string; readonly parent: ObjectName | undefined; readonly text: string }
  >();
  #facts: ReadonlyMap<Key, string> = new Map();
  /** Of HTTPRoutes, then of GRPCRoutes, each by namespace and name. */
  statuses: readonly ObjectStatus[] = [];
  touched: readonly Key[] = [];
  /** The number of routes of each listener of a parent, by the parent. */
  readonly #attached = new Map<string, number[]>();
  readonly #whole: Whole;

  constructor(whole: Whole) {
    this.#whole = whole;
  }

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
    const facts = this.#changedFacts(policies);
    const all = [...changed, ...facts, ...this.#changedParents(parents)];
    const stale = [...all.filter(isRouteKey), ...this.#parts.readersOf(all)];
    const before = this.#extensionsOf(stale);
    const differences = this.#parts.update(stale, (key, reads) => {
      const { kind, namespace, name } = objectName(key);
      const known = kind === "GRPCRoute" ? kind : "HTTPRoute";
      const route = context.resources.get(known, namespace, name);
      return route && this.#made(route, reads, { parents, policies, context });
    });
    this.touched = [...facts, ...stale, ...before, ...this.#extensionsOf(stale)];
    this.#whole.update(differences);
    this.#whole.bind(eachOf(differences, ({ bindings }) => bindings));
    this.statuses = patched(
      this.statuses,
      eachOf(differences, ({ status }) => [status]),
      inOrder,
    );
    for (const { before, now } of differences) {
      for (const place of before?.listeners ?? []) this.#count(place, -1);
      for (const place of now?.listeners ?? []) this.#count(place, 1);
    }
    return new Map(
      [...this.#attached].flatMap(([parent, counts]) =>
        counts.flatMap((count, index) =>
          count === 0 ? [] : [[parents.listenerAt({ parent, index }), count] as const],
        ),
      ),
    );
  }

  #count({ parent, index }: ListenerPlace, added: number): void {
    const counts = getOrInsert(this.#attached, parent, () => []);
    counts[index] = (counts[index] ?? 0) + added;
  }

  #extensionsOf(routes: readonly Key[]): readonly Key[] {
    return routes.flatMap((route) => this.#parts.readsOf(route).filter(isExtensionKey));
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
    return [...this.#parents].flatMap(([key, { from, parent, text: before }]) => {
      const text = parents.describe(from, parent);
      this.#parents.set(key, { from, parent, text });
      return text === before ? [] : [key];
    });
  }

  #made(
    route: AnyRoute,
    reads: Set<Key>,
    {
      parents,
      policies,
      context,
    }: {
      readonly parents: Parents;
      readonly policies: Policies;
      readonly context: AuthContext;
    },
  ): RoutePart {
    const { namespace: from } = route.metadata;
    for (const parent of parentsRead(route)) {
      const key = parentKey(from, parent);
      reads.add(key);
      getOrInsert(this.#parents, key, () => {
        return { from, parent, text: parents.describe(from, parent) };
      });
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
      status: withShortMessages(status),
      bindings: kept(own.config.bound.bindings),
      gateways: Array.from(gateways, nameOf),
      listeners: Array.from(listeners, (listener) => parents.placeOf(listener)),
    };
  }
}

/** The parents that the route names; undefined: the default Gateways. */
function parentsRead({
  metadata: { namespace: from },
  spec: { parentRefs = [], useDefaultGateways },
}: AnyRoute): readonly (ObjectName | undefined)[] {
  const named = parentRefs.flatMap(
    ({ group = GATEWAY_GROUP, kind = "Gateway", namespace = from, name }) =>
      group === GATEWAY_GROUP ? [{ kind, namespace, name }] : [],
  );
  return useDefaultGateways === undefined ? named : [...named, undefined];
}

const inOrder = compareBy<ObjectStatus>(
  (a, b) => compareStrings(b.kind, a.kind),
  (a, b) => compareStrings(a.metadata.namespace, b.metadata.namespace),
  (a, b) => compareStrings(a.metadata.name, b.metadata.name),
);
