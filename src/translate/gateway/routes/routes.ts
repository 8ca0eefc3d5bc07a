/** All HTTPRoutes and GRPCRoutes, each translated on its own, and again only when it, or something that its translation read, changed. */
import { GATEWAY_GROUP } from "../../../api/wire.js";
import { Changes, Derived, Input, Outside, type Read } from "../../../engine/tables.js";
import type { RouteBinding } from "../../../model/route.js";
import { ANY_HOST, type HostPattern } from "../../../model/values.js";
import { type ObjectStatus, withShortMessages } from "../../../status/object-status.js";
import {
  compareBy,
  compareStrings,
  getOrInsert,
  memoized,
  patched,
  sameElements,
} from "../../../support/collections.js";
import type { TranslateContext } from "../../context.js";
import { intersect, parseHostPattern } from "../../hostnames.js";
import { reportRestrictions } from "../../ingress/annotation-problems.js";
import { type Key, type ObjectName, isExtensionKey, objectName, parentKey } from "../../keys.js";
import type { ObjectTables } from "../../known-objects.js";
import { type Part, type Whole, eachOf, kept, ownContext, partOf } from "../../parts/part.js";
import { nameOf } from "../../place.js";
import { withAttachedRoutes } from "../gateway-status.js";
import type { AnyRoute, GatewayState, ListenerState, Policies, RouteReaders } from "../model.js";
import { type ListenerPlace, type ParentFacts, Parents, changedListeners } from "./parents.js";
import { type AttachedParent, translateRoute } from "./route.js";
import { SHARED_SHAPE } from "../../../support/json-object.js";

/** The translation of a route. */
interface RoutePart extends Part {
  readonly status: ObjectStatus;
  readonly bindings: readonly RouteBinding[];
  /** Titles of the Gateways among its parents. */
  readonly gateways: readonly string[];
  /** Listeners that it is attached to and accepted for. */
  readonly listeners: readonly ListenerPlace[];
  /** See translateRoute. Routes that are translated together share equal lists. */
  readonly attached: readonly AttachedParent[];
  /** All hosts that it may have in common with a listener. */
  readonly hosts: readonly HostPattern[];
}

/** What routes are translated with. */
interface RouteScope {
  readonly parents: Parents;
  readonly policies: Policies;
  readonly context: TranslateContext;
  /** Of this call, by their texts: those of earlier calls would stay after their last route. */
  readonly lists: Map<string, readonly AttachedParent[]>;
}

export class Routes implements RouteReaders {
  readonly #parts: Derived<true, RoutePart>;
  readonly #changes: Changes<RoutePart>;
  #scope: RouteScope | undefined;
  #states: readonly GatewayState[] = [];
  #parents: Parents;
  /** By key: what routes read of a parent. */
  readonly #parentFacts = new Map<
    Key,
    { readonly from: string; readonly parent: ObjectName | undefined; readonly facts: ParentFacts }
  >();
  /** The keys of `#parentFacts`. */
  readonly #parentKeys = new Outside();
  readonly #policyFacts = new Input<string>();
  readonly #facts = new Input<string>();
  /** Of HTTPRoutes, then of GRPCRoutes, each by namespace and name. */
  statuses: readonly ObjectStatus[] = [];
  touched: readonly Key[] = [];
  /** The number of routes of each listener of a parent, by the parent. */
  readonly #attached = new Map<string, readonly number[]>();
  readonly #counted = new WeakMap<
    ObjectStatus,
    { readonly counts: readonly number[]; readonly status: ObjectStatus }
  >();
  readonly #whole: Whole;
  readonly #objects: ObjectTables;

  constructor(whole: Whole, objects: ObjectTables) {
    this.#whole = whole;
    this.#objects = objects;
    this.#parents = new Parents(this.#states, objects);
    this.#parts = new Derived(objects.routes, (_, read, key) => {
      const route = this.#scope && routeOf(key, this.#scope.context);
      return this.#scope && route && this.#made(route, this.#scope, read, key);
    });
    this.#changes = new Changes(this.#parts);
  }

  translate(states: readonly GatewayState[], policies: Policies, context: TranslateContext): void {
    const isSame = states === this.#states;
    const parents = isSame ? this.#parents : new Parents(states, this.#objects);
    this.#states = states;
    this.#parents = parents;
    this.#scope = { parents, policies, context, lists: new Map() };
    const facts = [
      ...this.#policyFacts.replaceAll(policies.policyFacts),
      ...this.#facts.replaceAll(policies.facts),
    ];
    for (const key of isSame ? [] : this.#concernedByParents(parents)) this.#parts.stale.add(key);
    const stale = [...this.#parts.stale];
    const before = this.#extensionsOf(stale);
    this.#parts.update();
    // What else the context knows is large.
    this.#scope = undefined;
    const differences = this.#changes.take();
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
  }

  /** The statuses of Gateways and ListenerSets with the number of routes that are accepted (Gateway API, ListenerStatus.attachedRoutes). */
  counted(statuses: readonly ObjectStatus[]): readonly ObjectStatus[] {
    const titles = titlesOf(statuses);
    return statuses.map((status, i) => {
      const counts = this.#attached.get(titles[i] ?? "");
      if (counts === undefined) return status;
      const known = this.#counted.get(status);
      if (known !== undefined && sameElements(known.counts, counts)) return known.status;
      const made = { counts, status: withAttachedRoutes(status, counts) };
      this.#counted.set(status, made);
      return made.status;
    });
  }

  #count({ parent, index }: ListenerPlace, added: number): void {
    const counts = this.#attached.get(parent) ?? [];
    const length = Math.max(counts.length, index + 1);
    const now = Array.from({ length }, (_, i) => (counts[i] ?? 0) + (i === index ? added : 0));
    if (now.every((count) => count === 0)) this.#attached.delete(parent);
    else this.#attached.set(parent, now);
  }

  #extensionsOf(routes: readonly Key[]): readonly Key[] {
    return routes.flatMap((route) => this.#parts.readsOf(route).filter(isExtensionKey));
  }

  gatewaysOf(route: Key): readonly string[] {
    return this.#parts.get(route)?.gateways ?? [];
  }

  readersOf(key: Key): readonly Key[] {
    return this.#factsOf(key).readersOf(key);
  }

  #factsOf(key: Key): Input<string> {
    return isExtensionKey(key) ? this.#policyFacts : this.#facts;
  }

  /** Routes for which a parent has changed. Of a parent that differs in listeners alone, those that may use one of them. */
  #concernedByParents(parents: Parents): readonly Key[] {
    return [...this.#parentFacts].flatMap(([key, { from, parent, facts: before }]) => {
      if (!this.#parentKeys.isRead(key)) {
        this.#parentFacts.delete(key);
        return [];
      }
      const facts = parents.describe(from, parent);
      this.#parentFacts.set(key, { from, parent, facts });
      const listeners = changedListeners(before, facts);
      if (listeners?.length === 0) return [];
      const readers = this.#parentKeys.readersOf(key);
      if (listeners === undefined || parent === undefined) return readers;
      const title = `${parent.kind} ${parent.namespace}/${parent.name}`;
      return readers.filter((reader) => {
        const part = this.#parts.get(reader);
        const own = part?.attached.find((each) => each.title === title);
        return own === undefined || listeners.some((each) => mayUse(part?.hosts, own, each));
      });
    });
  }

  #made(
    route: AnyRoute,
    { parents, policies, context, lists }: RouteScope,
    read: Read,
    key: Key,
  ): RoutePart {
    read(this.#policyFacts, key);
    const { namespace: from } = route.metadata;
    for (const parent of parentsRead(route)) {
      const known = parentKey(from, parent);
      read(this.#parentKeys, known);
      getOrInsert(this.#parentFacts, known, () => {
        return { from, parent, facts: parents.describe(from, parent) };
      });
    }
    const own = ownContext(context, this.#objects, read);
    const answers = policies.answersFor(own, (asked) => read(this.#factsOf(asked), asked));
    const { status, gateways, listeners, attached } = translateRoute(route, parents, {
      ...SHARED_SHAPE,
      ...own,
      policies: answers,
    });
    reportRestrictions(route, own);
    return {
      ...SHARED_SHAPE,
      ...partOf(own),
      status: withShortMessages(status),
      bindings: kept(own.config.bound.bindings),
      gateways: Array.from(gateways, nameOf),
      listeners: Array.from(listeners, (listener) => parents.placeOf(listener)),
      attached: getOrInsert(lists, JSON.stringify(attached), () => attached),
      hosts: kept(hostsOf(route)),
    };
  }
}

/** The list stays the same while no Gateway changes. */
const titlesOf = memoized((statuses: readonly ObjectStatus[]) => statuses.map(nameOf));

function routeOf(key: Key, { resources }: TranslateContext): AnyRoute | undefined {
  const { kind, namespace, name } = objectName(key);
  return resources.get(kind === "GRPCRoute" ? kind : "HTTPRoute", namespace, name);
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

function hostsOf({ spec: { hostnames = [] } }: AnyRoute): readonly HostPattern[] {
  if (hostnames.length === 0) return [ANY_HOST];
  return hostnames.flatMap((text) => {
    const parsed = parseHostPattern(text, "many");
    return parsed.ok ? [parsed.value] : [];
  });
}

function mayUse(
  hosts: readonly HostPattern[] = [],
  { sections }: AttachedParent,
  { name, hostname }: Pick<ListenerState, "name" | "hostname">,
): boolean {
  const isNamed = sections === undefined || sections.includes(name);
  return isNamed && hosts.some((host) => intersect(host, hostname) !== undefined);
}

const inOrder = compareBy<ObjectStatus>(
  (a, b) => compareStrings(b.kind, a.kind),
  (a, b) => compareStrings(a.metadata.namespace, b.metadata.namespace),
  (a, b) => compareStrings(a.metadata.name, b.metadata.name),
);
