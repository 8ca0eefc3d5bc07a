/**
 * What became of routes before, for compilations that follow each other. A route is translated again when it is another one, or when
 * something has changed that its translation read.
 */
import type { Report } from "../../../diagnostics/sink.js";
import { DiagnosticSink } from "../../../diagnostics/sink.js";
import type { RoutingResources } from "../../../input/resources.js";
import { byNamespaceAndName } from "../../../input/resources.js";
import type { Route, RouteBinding } from "../../../model/route.js";
import { inBindingOrder } from "../../../model/route.js";
import type { UpstreamPlan } from "../../backends.js";
import type { Difference } from "../../../support/collections.js";
import { compareBy, compareIds, getOrInsert, patched } from "../../../support/collections.js";
import { reportRestrictions } from "../../ingress/annotation-problems.js";
import { Readers } from "../../memory.js";
import { isRouteKey, objectName } from "../../keys.js";
import type { Key } from "../../keys.js";
import type { AnyRoute } from "../model.js";
import { isGrpcRoute } from "../model.js";
import type { DescribeParent, ListenerPlace, Parents, RouteSurroundings } from "./parents.js";
import type { Use } from "./route-reads.js";
import { RouteReads } from "./route-reads.js";
import type { TranslatedRoute } from "./route.js";
import { translateRoute } from "./route.js";

/** What became of a route. */
export interface Remembered extends Omit<TranslatedRoute, "listeners"> {
  readonly route: AnyRoute;
  /** The annotation that restricts access and has no effect on routes, so it closes them. */
  readonly restriction?: string;
  readonly reads: readonly Key[];
  readonly uses: readonly Use[];
  readonly upstreams: readonly UpstreamPlan[];
  readonly reports: readonly Report[];
  /** Those that it is attached to and accepted for. */
  readonly listeners: readonly ListenerPlace[];
}

/** What became of all routes. */
export interface RememberedRoutes {
  /** HTTPRoutes, then GRPCRoutes, each by namespace and name. */
  readonly all: readonly Remembered[];
  /** By id. */
  readonly routes: readonly Route[];
  readonly bindings: readonly RouteBinding[];
  /** By id; those of a Service port are equal. */
  readonly upstreams: readonly UpstreamPlan[];
}

const NOTHING: readonly never[] = [];
const NO_ROUTES: RememberedRoutes = { all: [], routes: [], bindings: [], upstreams: [] };

export class RouteMemory {
  #routes = NO_ROUTES;
  readonly #byKey = new Map<Key, Remembered>();
  /** Those of them that use something. */
  readonly #users = new Map<Key, Remembered>();
  readonly #readers = new Readers();
  /** Of the keys that are parents. */
  readonly #parents = new Map<Key, { readonly describe: DescribeParent; readonly text: string }>();
  #facts: ReadonlyMap<Key, string> = new Map();

  /** `changed`: keys of objects that have changed since the last call. */
  translate(
    changed: ReadonlySet<Key>,
    resources: RoutingResources,
    surroundings: RouteSurroundings,
  ): RememberedRoutes {
    const { policies, parents } = surroundings;
    const known = this.#facts;
    this.#facts = policies.facts;
    const facts = [...known.keys(), ...policies.facts.keys()].filter(
      (key) => known.get(key) !== policies.facts.get(key),
    );
    const all = new Set([...changed, ...facts, ...this.#changedParents(parents)]);
    this.#update(all, resources, surroundings);
    return this.#routes;
  }

  #changedParents(parents: Parents): readonly Key[] {
    return [...this.#parents].flatMap(([key, { describe, text: before }]) => {
      const text = describe(parents);
      this.#parents.set(key, { describe, text });
      return text === before ? [] : [key];
    });
  }

  #update(
    changed: ReadonlySet<Key>,
    resources: RoutingResources,
    surroundings: RouteSurroundings,
  ): void {
    const stale = new Set<Key>();
    for (const key of changed) {
      if (isRouteKey(key)) stale.add(key);
      for (const reader of this.#readers.of(key)) stale.add(reader);
    }
    for (const [key, { route, uses }] of this.#users) {
      if (!stale.has(key)) for (const use of uses) use(surroundings, route);
    }
    const changes = [...stale].map((key): Difference<Remembered> => {
      const { kind, namespace, name } = objectName(key);
      const route = resources.get(kind === "GRPCRoute" ? kind : "HTTPRoute", namespace, name);
      return this.#replace(key, route && this.#made(route, surroundings));
    });
    const { all, routes, bindings, upstreams } = this.#routes;
    this.#routes = {
      all: patched(all, changes, inOrder),
      routes: patched(
        routes,
        partsOf(changes, (each) => each.routes),
        compareIds,
      ),
      bindings: patched(
        bindings,
        partsOf(changes, (each) => each.bindings),
        inBindingOrder,
      ),
      upstreams: patched(
        upstreams,
        partsOf(changes, (each) => each.upstreams),
        compareIds,
      ),
    };
  }

  #replace(key: Key, now: Remembered | undefined): Difference<Remembered> {
    const before = this.#byKey.get(key);
    this.#reread(key, before?.reads ?? NOTHING, now?.reads ?? NOTHING);
    this.#byKey.delete(key);
    this.#users.delete(key);
    if (now === undefined) return { before };
    this.#byKey.set(key, now);
    if (now.uses.length > 0) this.#users.set(key, now);
    return { before, now };
  }

  #reread(reader: Key, before: readonly Key[], now: readonly Key[]): void {
    for (const read of now) this.#readers.add(read, reader);
    if (before.length === 0) return;
    const kept = new Set(now);
    for (const read of before) {
      if (!kept.has(read) && this.#readers.remove(read, reader)) this.#parents.delete(read);
    }
  }

  #made(route: AnyRoute, surroundings: RouteSurroundings): Remembered {
    const { parents } = surroundings;
    const reads = new RouteReads();
    const sink = new DiagnosticSink();
    const made = translateRoute(route, reads.listen(surroundings, route, sink));
    const restriction = reportRestrictions(route, { ...surroundings.context, diagnostics: sink });
    for (const [key, describe] of reads.parents) {
      getOrInsert(this.#parents, key, () => ({ describe, text: describe(parents) }));
    }
    return {
      ...made,
      route,
      ...(restriction !== undefined && { restriction }),
      reads: [...reads.keys],
      uses: reads.uses.length === 0 ? NOTHING : reads.uses,
      upstreams: reads.upstreams,
      reports: sink.reports.length === 0 ? NOTHING : sink.reports,
      listeners: Array.from(made.listeners, (listener) => parents.placeOf(listener)),
    };
  }
}

function partsOf<T extends object>(
  changes: readonly Difference<Remembered>[],
  parts: (remembered: Remembered) => readonly T[],
): readonly Difference<T>[] {
  return changes.flatMap(({ before, now }) => [
    ...(before === undefined ? [] : parts(before).map((part) => ({ before: part }))),
    ...(now === undefined ? [] : parts(now).map((part) => ({ now: part }))),
  ]);
}

const inOrder = compareBy<Remembered>(
  ({ route: a }, { route: b }) => Number(isGrpcRoute(a)) - Number(isGrpcRoute(b)),
  ({ route: a }, { route: b }) => byNamespaceAndName(a, b),
);
