/**
 * Closes objects that can't be served as written (Closed): their paths answer 503. They are translated like all others, so their routes
 * are bound where they belong; then their routes lose everything but a refusal.
 */
import type { Closed, KubernetesObject } from "../api/wire.js";
import type { DiagnosticSink } from "../diagnostics/sink.js";
import { ANY_HOST, type HostPattern, type SourceRef, hostKey, hostText } from "../model/values.js";
import type { RoutingModel } from "../model/config.js";
import {
  type BindingPlaces,
  type BoundHost,
  type Route,
  type RouteBinding,
  onePlace,
} from "../model/route.js";
import {
  type Difference,
  getOrInsert,
  groupBy,
  memoized,
  sameElements,
} from "../support/collections.js";
import type { ClosedListener } from "./config-builder.js";
import { resourceRef } from "./place.js";
import { isDefaultOrder } from "./precedence.js";
import { closedRule } from "./reasons.js";

interface Named {
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
}

/** Collects closed objects and listeners, and closes their routes once everything is bound. */
export class ClosedObjects {
  readonly #objects = new Map<string, Closed>();
  /** By namespace, the object that closes it; Rules are the operator's, and close no routes of others. */
  readonly #namespaces = new Map<string, SourceRef>();
  /** Objects of which something is bound where no other object closes the whole host, and the object that closes the rest. */
  readonly #open = new Set<string>();
  readonly #victims = new Map<string, SourceRef>();
  readonly #listeners = new Map<string, Route>();

  /** Adds the objects that reading has closed. They are reported already, so problems of the rest of them are not. */
  addAll(objects: readonly KubernetesObject[], diagnostics: DiagnosticSink): void {
    for (const object of objects) {
      this.add(object);
      diagnostics.mute(resourceRef(object));
    }
  }

  add({ kind, metadata: { namespace, name }, closed }: KubernetesObject): void {
    if (closed === undefined) return;
    const source: SourceRef = [kind, namespace, name, ""];
    this.#objects.set(ownerKey(source), closed);
    if (closed.isNamespace === true) this.#namespaces.set(namespaceKey(source), source);
  }

  /** Every host and path of a listener, whatever is bound there. */
  addListener({ id, source, what }: ClosedListener): void {
    this.#listeners.set(id, refused({ id: `${id}/closed`, source }, what));
  }

  /** What closing changes. */
  close({ routes, bindings }: Pick<RoutingModel, "routes" | "bindings">): {
    readonly routes: readonly Difference<Route>[];
    readonly bindings: readonly Difference<RouteBinding>[];
  } {
    if (this.#objects.size === 0 && this.#listeners.size === 0) return { routes: [], bindings: [] };
    const closed = routes.flatMap((route) => {
      const own = this.#objects.has(ownerKey(route.source)) ? route.source : undefined;
      const source = own ?? this.#namespaces.get(namespaceKey(route.source));
      const closing = source && this.#objects.get(ownerKey(source));
      if (source === undefined || closing === undefined) return [];
      return [{ before: route, now: refused({ id: route.id, source }, closing.what) }];
    });
    return {
      routes: [...closed, ...Array.from(this.#listeners.values(), (now) => ({ now }))],
      bindings: [
        ...this.#closedBindings(bindings, new Map(routes.map(({ id, source }) => [id, source]))),
        ...Array.from(this.#listeners, (listener) => ({ now: wholeListener(listener) })),
      ],
    };
  }

  /** `sources`: of the routes, by id. */
  #closedBindings(
    bindings: readonly RouteBinding[],
    sources: ReadonlyMap<string, SourceRef>,
  ): readonly Difference<RouteBinding>[] {
    const hosts = this.#closedHosts(bindings, sources);
    const places = new Map<RouteBinding["at"], ReturnType<typeof closedPlaces>>();
    const onOpen = keepingListeners((listener) => !this.#listeners.has(listener));
    return bindings.flatMap((binding): readonly Difference<RouteBinding>[] => {
      const now = onOpen(binding).flatMap((written) => {
        const source = sources.get(written.route);
        const closed = source && this.#objects.get(ownerKey(source));
        const each = closed === undefined ? written : onOwnHosts(written, closed);
        if (each.at.length === 0) return [];
        if (hosts.size === 0 || source === undefined) return [each];
        const known = getOrInsert(places, each.at, () => closedPlaces(each.at, source, hosts));
        for (const { closing = "" } of known) this.#found(source, sources.get(closing));
        return known.map(({ at, closing = each.route }) =>
          at === each.at && closing === each.route ? each : { ...each, at, route: closing },
        );
      });
      if (now.length === 1 && now[0] === binding) return [];
      return [{ before: binding }, ...now.map((each) => ({ now: each }))];
    });
  }

  #found(source: SourceRef, culprit: SourceRef | undefined): void {
    if (culprit === undefined) this.#open.add(ownerKey(source));
    else this.#victims.set(ownerKey(source), culprit);
  }

  /** Says why all requests of an object answer 503 although it is not closed itself; absent: there is none. Call it after `close`. */
  get whyClosed(): ((object: Named) => string | undefined) | undefined {
    const isNone = this.#namespaces.size === 0 && this.#victims.size === 0;
    return isNone ? undefined : (object) => this.#becauseOfAnother(object);
  }

  #becauseOfAnother({ kind, metadata: { namespace, name } }: Named): string | undefined {
    const source: SourceRef = [kind, namespace, name, ""];
    const key = ownerKey(source);
    if (this.#objects.has(key)) return undefined;
    const ofHosts = this.#open.has(key) ? undefined : this.#victims.get(key);
    const culprit = this.#namespaces.get(namespaceKey(source)) ?? ofHosts;
    const closed = culprit && this.#objects.get(ownerKey(culprit));
    if (culprit === undefined || closed === undefined) return undefined;
    const [of, where, own] = culprit;
    return `its requests answer 503 because of ${of} ${where}/${own}: ${closed.message}`;
  }

  /** Hosts of objects whose paths can't be read, with the route that closes them: for routes of the same namespace. */
  #closedHosts(
    bindings: readonly RouteBinding[],
    sources: ReadonlyMap<string, SourceRef>,
  ): ReadonlyMap<string, string> {
    const hosts = new Map<string, string>();
    for (const binding of bindings) {
      const source = sources.get(binding.route);
      const closed = source && this.#objects.get(ownerKey(source));
      if (source === undefined || closed?.hosts === undefined) continue;
      for (const place of placesOf(binding.at)) {
        if (!isWhole(closed, place.bound.host)) continue;
        const key = hostPlace(place, source);
        if (!isDefaultOrder(binding.order) || !hosts.has(key)) hosts.set(key, binding.route);
      }
    }
    return hosts;
  }
}

/** The bindings without the listeners that are not kept. */
export function onListeners(
  bindings: readonly RouteBinding[],
  isKept: (listener: string) => boolean,
): readonly RouteBinding[] {
  return bindings.flatMap(keepingListeners(isKept));
}

/** Bindings with the same places still share them. */
function keepingListeners(
  isKept: (listener: string) => boolean,
): (binding: RouteBinding) => readonly RouteBinding[] {
  const placesKept = memoized((at: RouteBinding["at"]) =>
    at.every(({ listeners }) => listeners.every(isKept)) ? at : placesOn(at, isKept),
  );
  return (binding) => {
    const at = placesKept(binding.at);
    if (at === binding.at) return [binding];
    return at.length === 0 ? [] : [{ ...binding, at }];
  };
}

function placesOn(
  at: readonly BindingPlaces[],
  isKept: (listener: string) => boolean,
): readonly BindingPlaces[] {
  return at
    .map(({ listeners, hosts }) => ({ listeners: listeners.filter(isKept), hosts }))
    .filter(({ listeners }) => listeners.length > 0);
}

/** Its source is the field to blame: what can't be read is not in the lists of a closed object, so their positions are others. */
function refused({ id, source }: Pick<Route, "id" | "source">, what: string): Route {
  const [kind, namespace, name] = source;
  const field = /^(?:metadata|spec|status|data)\b/.test(what) ? what : "";
  return { id, source: [kind, namespace, name, field], refuse: closedRule(what) };
}

function wholeListener([listener, { id }]: readonly [string, Route]): RouteBinding {
  return {
    at: onePlace(listener, ANY_HOST),
    path: undefined,
    when: [],
    order: "0",
    route: id,
  };
}

interface OnePlace {
  readonly listener: string;
  readonly bound: BoundHost;
}

function placesOf(at: RouteBinding["at"]): readonly OnePlace[] {
  return at.flatMap(({ listeners, hosts }) =>
    listeners.flatMap((listener) => hosts.map((bound) => ({ listener, bound }))),
  );
}

/** The places by the route of the same namespace that closes them; undefined: none does. */
function closedPlaces(
  at: RouteBinding["at"],
  source: SourceRef,
  hosts: ReadonlyMap<string, string>,
): readonly { readonly at: RouteBinding["at"]; readonly closing: string | undefined }[] {
  const parts = groupBy(placesOf(at), (place) => hosts.get(hostPlace(place, source)));
  const [only] = parts.keys();
  if (parts.size === 1) return [{ at, closing: only }];
  return [...parts].map(([closing, places]) => ({
    at: places.map(({ listener, bound }) => ({ listeners: [listener], hosts: [bound] })),
    closing,
  }));
}

function isWhole({ hosts }: Closed, host: HostPattern): boolean {
  return host.kind !== "any" && (hosts === "all" || hosts?.includes(hostText(host)) === true);
}

function ownerKey([kind, namespace, name]: SourceRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** A closed object without a host takes only requests whose host nothing else names. */
function onOwnHosts(binding: RouteBinding, { isHostless }: Closed): RouteBinding {
  const at = ownHosts(binding.at);
  const own =
    isHostless === true ? at.filter(({ hosts }) => hosts.some(({ isUnnamed }) => isUnnamed)) : at;
  return sameElements(own, binding.at) ? binding : { ...binding, at: own };
}

const ownHosts = memoized((at: RouteBinding["at"]): RouteBinding["at"] =>
  at.map((places) => {
    const isAny = places.hosts.some(({ host }) => host.kind === "any");
    if (!isAny) return places;
    const hosts = places.hosts.map((bound): BoundHost =>
      bound.host.kind === "any" ? { ...bound, isUnnamed: true } : bound,
    );
    return { ...places, hosts };
  }),
);

function namespaceKey([kind, namespace]: SourceRef): string {
  return `${kind === "Rule" ? kind : ""}/${namespace}`;
}

function hostPlace({ listener, bound: { host } }: OnePlace, [, namespace]: SourceRef): string {
  return `${listener} ${hostKey(host)} ${namespace}`;
}
