/**
 * Some settings need locations of nginx of their own: each set of error statuses, each set of retry codes, each body limit and the
 * authorities of each BackendTLSPolicy, and each of the others with each body limit, cost 14 to 90 KiB in every server, and a reload
 * (docs/adr/one-location.md). So namespaces share a
 * number of them (support/shares.ts, option nginxLocations): one for Gateways and ListenerSets, and one as large for all other objects,
 * whose settings are known only once those of Gateways are. Objects without a share keep all that needs no location.
 */
import type { KubernetesObject } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import type { RoutingResources } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";
import type { Mirror } from "../model/filters.js";
import type { Backend, ErrorPages, Route } from "../model/route.js";
import { trustOf } from "../model/upstream.js";
import type { SourceRef } from "../model/values.js";
import {
  type Difference,
  addTo,
  compareIds,
  compareStrings,
  listDifferences,
} from "../support/collections.js";
import type { TranslateContext } from "./context.js";
import { filled, present } from "../support/json-object.js";
import { placeOf } from "./place.js";
import { invalidBackend } from "./reasons.js";
import { type Claim, type Shares, shareOut } from "../support/shares.js";

/** Settings that need locations. */
interface LocatedSettings extends Pick<
  Route,
  "bodyLimit" | "retry" | "backends" | "mirrors" | "largeHeaders"
> {
  readonly errorPages?: Pick<ErrorPages, "statuses">;
}

export interface LocationClaim {
  readonly owner: KubernetesObject;
  /** As `locationKinds` returns them. */
  readonly kinds: readonly string[];
}

/** What needs locations of its own, as texts: equal texts share the locations. What the options have is always there. */
export function locationKinds(
  settings: LocatedSettings,
  { dataPlane, errorPages: ofGateway }: CompileOptions,
): readonly string[] {
  const { bodyLimit = 0, errorPages, backends = [], mirrors = [], largeHeaders } = settings;
  const pages = listed(errorPages?.statuses);
  const isUsual = pages === listed(ofGateway?.statuses);
  const codes = codesOf(settings);
  const ofBackends = backends.flatMap((backend) => [
    ...tlsKinds(settings, backend),
    ...(backend.filters?.mirrors ?? []).flatMap((mirror) => tlsKinds({}, mirror)),
  ]);
  return [
    ...kind("body", bodyLimit === 0 ? "" : String(bodyLimit), String(dataPlane.bodyLimit)),
    // Each has a location for each limit, and codes for each set of pages.
    ...kind("pages", pages === "" || isUsual ? "" : [pages, ...limitOf(settings)].join(" ")),
    ...kind(
      "large",
      largeHeaders === true ? ["headers", pages, ...limitOf(settings)].join(" ") : "",
    ),
    ...kind("codes", codes === "" ? "" : [codes, pages, ...limitOf(settings)].join(" ")),
    ...new Set([...ofBackends, ...mirrors.flatMap((mirror) => tlsKinds({}, mirror))]),
  ];
}

function codesOf({ retry }: LocatedSettings): string {
  return retry?.attempts === 0 ? "" : listed(retry?.codes);
}

/** The limits of options have their locations in any case. */
function limitOf({ bodyLimit = 0 }: LocatedSettings): readonly string[] {
  return bodyLimit === 0 ? [] : [String(bodyLimit)];
}

/** Authorities and client certificates have a location for each protocol, set of codes, set of pages and limit. */
function tlsKinds(
  settings: LocatedSettings,
  { tls, protocol }: Pick<Backend, "tls" | "protocol">,
): readonly string[] {
  const pages = listed(settings.errorPages?.statuses);
  const parts = [protocol, codesOf(settings), pages, ...limitOf(settings)];
  return tls === undefined ? [] : [`tls ${trustOf(tls)} ${parts.join(" ")}`];
}

function listed(values: readonly number[] = []): string {
  return values.join();
}

/** `usual`: the value that needs nothing. */
function kind(what: string, value: string, usual = ""): readonly string[] {
  return value === "" || value === usual ? [] : [`${what} ${value}`];
}

/** The kinds that are kept. `taken`: those that others have already; they cost nothing more. */
export function keptKinds(
  claims: readonly LocationClaim[],
  { nginxLocations }: CompileOptions,
  taken: ReadonlySet<string> = new Set(),
): Shares {
  const all = claims.flatMap(({ owner, kinds }) =>
    kinds.map((place): Claim => ({ owner, place, size: taken.has(place) ? 0 : 1 })),
  );
  return shareOut(all, nginxLocations);
}

/** The route without the locations of the kinds that are lost. */
function withoutKinds(route: Route, lost: readonly string[]): Route {
  const isLost = (start: string): boolean => lost.some((kind) => kind.startsWith(start));
  const keeps = (mirrors: readonly Mirror[] = []): readonly Mirror[] =>
    mirrors.filter((mirror) => !tlsKinds({}, mirror).some((kind) => lost.includes(kind)));
  const { errorPages, retry, backends, mirrors, largeHeaders, ...rest } = route;
  return {
    ...rest,
    ...(!isLost("large ") && present("largeHeaders", largeHeaders)),
    ...filled("mirrors", keeps(mirrors)),
    ...(backends && {
      backends: backends.map((backend): Backend => {
        const { weight, protocol, filters } = backend;
        if (tlsKinds(route, backend).some((kind) => lost.includes(kind))) {
          return { weight, protocol, refuse: invalidBackend("BackendTLSPolicy over budget") };
        }
        if (filters?.mirrors === undefined) return backend;
        const { mirrors: own, ...others } = filters;
        return { ...backend, filters: { ...others, ...filled("mirrors", keeps(own)) } };
      }),
    }),
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
  { used }: Shares,
  { nginxLocations }: CompileOptions,
): Report {
  const { namespace } = owner.metadata;
  const effects = [...new Set(lost)].sort(compareStrings).map(effectOf);
  const message = `namespace ${namespace} has ${String(used(namespace))} of the ${String(nginxLocations)} sets of statuses, sets of codes, body limits and authorities of backends that are shared, which are used up: ${effects.join("; ")}`;
  return { code: "LOCATIONS_OVER_BUDGET", message, ...placeOf(owner) };
}

function effectOf(kind: string): string {
  const [what, values = ""] = kind.split(" ");
  const listed = values.replaceAll(",", ", ");
  if (what === "pages") return `errors ${listed} get no page`;
  if (what === "large") return "responses whose headers have more than 16 KiB fail";
  if (what === "codes") return `answers ${listed} are not tried again`;
  if (what === "tls")
    return "backends get no requests whose BackendTLSPolicy has other authorities";
  return `bodies without a length are held until they can be compared with the limit of ${listed} bytes`;
}

type Context = Pick<TranslateContext, "resources" | "options">;

/** Shares locations among routes; it looks only at routes that have changed, and at all that need locations while the whole does not suffice. */
export class LocationBudget {
  #routes: readonly Route[] = [];
  /** The kinds of routes that need locations. */
  readonly #kinds = new Map<Route, readonly string[]>();
  /** How many routes need each kind. */
  readonly #counts = new Map<string, number>();
  /** Replaced routes stay the same objects. */
  readonly #replaced = new WeakMap<Route, { readonly lost: string; readonly now: Route }>();

  /** `routes`: sorted by id. `taken`: kinds of Gateways. Returns what replaces routes. */
  share(
    routes: readonly Route[],
    taken: ReadonlySet<string>,
    context: Context,
  ): { readonly changes: readonly Difference<Route>[]; readonly reports: readonly Report[] } {
    const { options } = context;
    for (const { before, now } of listDifferences(this.#routes, routes, compareIds)) {
      if (before) this.#forget(before);
      if (now) this.#add(now, options);
    }
    this.#routes = routes;
    const wanted = [...this.#counts.keys()].filter((kind) => !taken.has(kind));
    return wanted.length <= options.nginxLocations
      ? { changes: [], reports: [] }
      : this.#shared(taken, context);
  }

  #add(route: Route, options: CompileOptions): void {
    const kinds = kindsOfRoute(route, options);
    if (kinds.length === 0) return;
    this.#kinds.set(route, kinds);
    for (const each of kinds) this.#counts.set(each, (this.#counts.get(each) ?? 0) + 1);
  }

  #forget(route: Route): void {
    for (const each of this.#kinds.get(route) ?? []) {
      const left = (this.#counts.get(each) ?? 0) - 1;
      if (left > 0) this.#counts.set(each, left);
      else this.#counts.delete(each);
    }
    this.#kinds.delete(route);
  }

  #shared(
    taken: ReadonlySet<string>,
    { resources, options }: Context,
  ): ReturnType<LocationBudget["share"]> {
    const claims = [...this.#kinds].flatMap(([route, kinds]) => {
      const owner = ownerOf(route.source, resources);
      return owner ? [{ owner, kinds: [...kinds].sort(compareStrings) }] : [];
    });
    const shares = keptKinds(claims, options, taken);
    const changes: Difference<Route>[] = [];
    const lostBy = new Map<KubernetesObject, string[]>();
    for (const [route, kinds] of this.#kinds) {
      const lost = kinds.filter((kind) => !shares.kept.has(kind));
      if (lost.length === 0) continue;
      changes.push({ before: route, now: this.#without(route, lost) });
      const owner = ownerOf(route.source, resources);
      if (owner) for (const kind of lost) addTo(lostBy, owner, kind);
    }
    const reports = [...lostBy].map(([owner, lost]) => overBudget(owner, lost, shares, options));
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
  return kind === "Ingress" ? kinds : kinds.filter((each) => /^(?:codes|tls) /.test(each));
}

function ownerOf(
  [kind, namespace, name]: SourceRef,
  resources: RoutingResources,
): KubernetesObject | undefined {
  const known = OWNERS.find((each) => each === kind);
  return known && resources.get(known, namespace, name);
}
