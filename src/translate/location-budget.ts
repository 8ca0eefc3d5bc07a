/**
 * Some settings need locations of nginx of their own: each set of error statuses, each set of retry codes and each body limit costs 14 to
 * 90 KiB in every server, and a reload (docs/adr/one-location.md). So a namespace may have only so many different ones (option
 * namespaceLocations). Its Gateways come first, then older objects. Objects beyond keep all that needs no location.
 */
import type { KubernetesObject } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import type { RoutingResources } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";
import type { ErrorPages, Route } from "../model/route.js";
import type { SourceRef } from "../model/values.js";
import {
  type Difference,
  addTo,
  compareBy,
  compareIds,
  compareStrings,
  getOrInsert,
  listDifferences,
} from "../support/collections.js";
import type { TranslateContext } from "./context.js";
import { present } from "../support/json-object.js";
import { placeOf } from "./place.js";
import { compareAge } from "./precedence.js";

/** Settings that need locations. */
interface LocatedSettings extends Pick<Route, "bodyLimit" | "retry"> {
  readonly errorPages?: Pick<ErrorPages, "statuses">;
}

export interface LocationClaim {
  readonly owner: KubernetesObject;
  /** As `locationKinds` returns them. */
  readonly kinds: readonly string[];
}

/** Kinds by namespace. */
export type NamespaceKinds = ReadonlyMap<string, ReadonlySet<string>>;

/** What needs locations of its own, as texts: equal texts share the locations. What the options have is always there. */
export function locationKinds(
  { bodyLimit = 0, errorPages, retry }: LocatedSettings,
  { dataPlane, errorPages: ofGateway }: CompileOptions,
): readonly string[] {
  const pages = listed(errorPages?.statuses);
  const codes = retry?.attempts === 0 ? "" : listed(retry?.codes);
  return [
    ...kind("body", bodyLimit === 0 ? "" : String(bodyLimit), String(dataPlane.bodyLimit)),
    ...kind("pages", pages, listed(ofGateway?.statuses)),
    // Codes have a location for each set of pages.
    ...kind("codes", codes === "" ? "" : `${codes} ${pages}`),
  ];
}

function listed(values: readonly number[] = []): string {
  return values.join();
}

/** `usual`: the value that needs nothing. */
function kind(what: string, value: string, usual = ""): readonly string[] {
  return value === "" || value === usual ? [] : [`${what} ${value}`];
}

/** The kinds that Gateways and ListenerSets keep, older ones first. */
export function keptKinds(
  claims: readonly LocationClaim[],
  { namespaceLocations }: CompileOptions,
): NamespaceKinds {
  const kept = new Map<string, Set<string>>();
  for (const { owner, kinds } of [...claims].sort((a, b) => compareAge(a.owner, b.owner))) {
    const own = getOrInsert(kept, owner.metadata.namespace, () => new Set<string>());
    for (const kind of kinds) if (own.size < namespaceLocations) own.add(kind);
  }
  return kept;
}

/** The route without the locations of the kinds that are lost. */
function withoutKinds(route: Route, lost: readonly string[]): Route {
  const isLost = (start: string): boolean => lost.some((kind) => kind.startsWith(start));
  const { errorPages, retry, ...rest } = route;
  return {
    ...rest,
    ...(isLost("body ") && { holdsBody: true }),
    ...(isLost("pages ") ? withoutStatuses(errorPages) : present("errorPages", errorPages)),
    ...(retry && { retry: isLost("codes ") ? { attempts: retry.attempts } : retry }),
  };
}

/** The Service still answers for a path without endpoints. */
export function withoutStatuses({ upstream }: ErrorPages = {}): Pick<Route, "errorPages"> {
  return upstream === undefined ? {} : { errorPages: { upstream } };
}

/** For an object whose kinds are lost. */
export function overBudget(
  owner: KubernetesObject,
  lost: Iterable<string>,
  { namespaceLocations }: CompileOptions,
): Report {
  const effects = [...new Set(lost)].sort(compareStrings).map(effectOf);
  const message = `namespace ${owner.metadata.namespace} has all ${String(namespaceLocations)} sets of statuses, sets of codes and body limits that it may have: ${effects.join("; ")}`;
  return { code: "LOCATIONS_OVER_BUDGET", message, ...placeOf(owner) };
}

function effectOf(kind: string): string {
  const [what, values = ""] = kind.split(" ");
  const listed = values.replaceAll(",", ", ");
  if (what === "pages") return `errors ${listed} get no page`;
  if (what === "codes") return `answers ${listed} are not tried again`;
  return `bodies without a length are held until they can be compared with the limit of ${listed} bytes`;
}

/** The routes of a namespace that need locations. */
interface Claims {
  readonly routes: Map<Route, readonly string[]>;
  /** How many routes need each kind. */
  readonly counts: Map<string, number>;
}

type Context = Pick<TranslateContext, "resources" | "options">;

/** Shares the locations of each namespace among its routes; it looks only at routes that have changed, and at namespaces beyond the limit. */
export class LocationBudget {
  #routes: readonly Route[] = [];
  readonly #namespaces = new Map<string, Claims>();
  /** Replaced routes stay the same objects. */
  readonly #replaced = new WeakMap<Route, { readonly lost: string; readonly now: Route }>();

  /** `routes`: sorted by id. `taken`: by Gateways. Returns what replaces routes. */
  share(
    routes: readonly Route[],
    taken: NamespaceKinds,
    context: Context,
  ): { readonly changes: readonly Difference<Route>[]; readonly reports: readonly Report[] } {
    for (const { before, now } of listDifferences(this.#routes, routes, compareIds)) {
      if (before) this.#forget(before);
      if (now) this.#add(now, context.options);
    }
    this.#routes = routes;
    const shared = [...this.#namespaces].map(([namespace, claims]) =>
      this.#shareIn(claims, taken.get(namespace) ?? new Set(), context),
    );
    return {
      changes: shared.flatMap(({ changes }) => changes),
      reports: shared.flatMap(({ reports }) => reports),
    };
  }

  #add(route: Route, options: CompileOptions): void {
    const kinds = kindsOfRoute(route, options);
    if (kinds.length === 0) return;
    const { routes, counts } = getOrInsert(this.#namespaces, namespaceOf(route), () => {
      return { routes: new Map(), counts: new Map() };
    });
    routes.set(route, kinds);
    for (const each of kinds) counts.set(each, (counts.get(each) ?? 0) + 1);
  }

  #forget(route: Route): void {
    const claims = this.#namespaces.get(namespaceOf(route));
    if (claims === undefined) return;
    const { routes, counts } = claims;
    for (const each of routes.get(route) ?? []) {
      const left = (counts.get(each) ?? 0) - 1;
      if (left > 0) counts.set(each, left);
      else counts.delete(each);
    }
    routes.delete(route);
    if (routes.size === 0) this.#namespaces.delete(namespaceOf(route));
  }

  #shareIn(
    { routes, counts }: Claims,
    taken: ReadonlySet<string>,
    context: Context,
  ): ReturnType<LocationBudget["share"]> {
    const { options } = context;
    const wanted = [...counts.keys()].filter((kind) => !taken.has(kind));
    const free = options.namespaceLocations - taken.size;
    if (wanted.length <= free) return { changes: [], reports: [] };
    const ordered = inOrderOfAge(routes, context).filter((kind) => !taken.has(kind));
    const kept = new Set([...taken, ...ordered.slice(0, free)]);
    const changes: Difference<Route>[] = [];
    const lostBy = new Map<KubernetesObject, string[]>();
    for (const [route, kinds] of routes) {
      const lost = kinds.filter((kind) => !kept.has(kind));
      if (lost.length === 0) continue;
      changes.push({ before: route, now: this.#without(route, lost) });
      const owner = ownerOf(route.source, context.resources);
      if (owner) for (const kind of lost) addTo(lostBy, owner, kind);
    }
    const reports = [...lostBy].map(([owner, lost]) => overBudget(owner, lost, options));
    return { changes, reports };
  }

  #without(route: Route, kinds: readonly string[]): Route {
    const lost = kinds.join("; ");
    const known = this.#replaced.get(route);
    if (known?.lost === lost) return known.now;
    const now = withoutKinds(route, kinds);
    this.#replaced.set(route, { lost, now });
    return now;
  }
}

const OWNERS = ["Ingress", "HTTPRoute", "GRPCRoute"] as const;

/** Limits and pages of routes of Gateways are those of their Gateways and listeners. */
function kindsOfRoute(route: Route, options: CompileOptions): readonly string[] {
  const kinds = locationKinds(route, options);
  const [kind] = route.source;
  return kind === "Ingress" ? kinds : kinds.filter((each) => each.startsWith("codes "));
}

function namespaceOf({ source: [, namespace] }: Route): string {
  return namespace;
}

function ownerOf(
  [kind, namespace, name]: SourceRef,
  resources: RoutingResources,
): KubernetesObject | undefined {
  const known = OWNERS.find((each) => each === kind);
  return known && resources.get(known, namespace, name);
}

/** Kinds of older objects first; those of one object in the order of their texts. */
function inOrderOfAge(routes: Claims["routes"], { resources }: Context): readonly string[] {
  const oldest = new Map<string, KubernetesObject>();
  for (const [{ source }, kinds] of routes) {
    const owner = ownerOf(source, resources);
    if (owner === undefined) continue;
    for (const kind of kinds) {
      const known = oldest.get(kind);
      if (known === undefined || compareAge(owner, known) < 0) oldest.set(kind, owner);
    }
  }
  return [...oldest].sort(byOwnerAndText).map(([kind]) => kind);
}

const byOwnerAndText = compareBy<readonly [kind: string, owner: KubernetesObject]>(
  ([, a], [, b]) => compareAge(a, b),
  ([a], [b]) => compareStrings(a, b),
);
