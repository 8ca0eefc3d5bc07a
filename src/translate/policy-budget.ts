/**
 * Namespaces share the bytes of the policy (support/shares.ts, option policySize), before any of it is rendered. An object without a share is
 * closed: its routes answer 503, which takes little. Closed objects share a quarter as much for their hosts and paths; one without a share of
 * that is left out, and closes the routes of its namespace, so that no wider one of them serves its requests.
 */
import type { KubernetesObject } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import { ROUTING_KINDS, type RoutingResources } from "../input/resources.js";
import type { AuthConfig } from "../model/auth.js";
import type { RoutingModel } from "../model/config.js";
import { type Route, type RouteBinding, inBindingOrder } from "../model/route.js";
import { type SourceRef, hostKey } from "../model/values.js";
import {
  type Difference,
  compareIds,
  getOrInsert,
  listDifferences,
  memoized,
} from "../support/collections.js";
import { isObject } from "../support/json-object.js";
import { type Claim, shareOut } from "../support/shares.js";
import type { TranslateContext } from "./context.js";
import { placeOf } from "./place.js";

type Parts = Pick<RoutingModel, "routes" | "bindings" | "auths">;

export interface PolicyShares {
  /** Objects without a share, as ClosedObjects takes them. */
  readonly closed: readonly KubernetesObject[];
  readonly routes: readonly Difference<Route>[];
  readonly auths: readonly Difference<AuthConfig>[];
  readonly bindings: readonly Difference<RouteBinding>[];
  readonly reports: readonly Report[];
}

const ENOUGH: PolicyShares = { closed: [], routes: [], auths: [], bindings: [], reports: [] };

/** Looks only at what has changed, and at everything while the whole does not suffice. */
export class PolicyBudget {
  readonly #routes = new Sum<Route>(weightOf, compareIds);
  readonly #auths = new Sum<AuthConfig>(weightOf, compareIds);
  readonly #bindings = new BindingSum();

  share(
    parts: Parts,
    { resources, options }: Pick<TranslateContext, "resources" | "options">,
  ): PolicyShares {
    const total =
      this.#routes.of(parts.routes) +
      this.#auths.of(parts.auths) +
      this.#bindings.of(parts.bindings);
    return total <= options.policySize
      ? ENOUGH
      : new Excess(parts, this.#bindings.groups, resources).shares(options.policySize);
  }
}

/** The weight of a sorted list. */
class Sum<T extends object> {
  readonly #weight: (entry: T) => number;
  readonly #compare: (a: T, b: T) => number;
  #list: readonly T[] = [];
  #total = 0;

  constructor(weight: (entry: T) => number, compare: (a: T, b: T) => number) {
    this.#weight = weight;
    this.#compare = compare;
  }

  of(list: readonly T[]): number {
    for (const { before, now } of listDifferences(this.#list, list, this.#compare)) {
      this.#total += (now ? this.#weight(now) : 0) - (before ? this.#weight(before) : 0);
    }
    this.#list = list;
    return this.#total;
  }
}

/** Bindings with the same places. */
interface Group {
  readonly route: string;
  readonly places: Places;
  count: number;
  /** Characters of the bindings themselves. */
  text: number;
}

interface Places {
  readonly count: number;
  /** Characters of their names. */
  readonly text: number;
}

/** Of a place that refers to bindings which it shares with others. */
const REFERENCE = 120;

/** Bindings are written once for all their places, unless there is only one: see render/policy/host-shards.ts. */
class BindingSum {
  readonly groups = new Map<RouteBinding["at"], Group>();
  #list: readonly RouteBinding[] = [];
  #total = 0;

  of(list: readonly RouteBinding[]): number {
    for (const { before, now } of listDifferences(this.#list, list, inBindingOrder)) {
      if (before) this.#add(before, -1);
      if (now) this.#add(now, 1);
    }
    this.#list = list;
    return this.#total;
  }

  #add(binding: RouteBinding, count: 1 | -1): void {
    const { at, route } = binding;
    const group = getOrInsert(this.groups, at, () => ({
      route,
      places: placesOf(at),
      count: 0,
      text: 0,
    }));
    this.#total -= weightOfGroup(group);
    group.count += count;
    group.text += count * weightOfBinding(binding);
    this.#total += weightOfGroup(group);
    if (group.count === 0) this.groups.delete(at);
  }
}

function weightOfGroup({ places, count, text }: Group): number {
  if (count === 0) return 0;
  const isShared = count > 1 && places.count > 1;
  return places.text + (isShared ? text + places.count * REFERENCE : places.count * text);
}

function weightOfBinding({ path, when, order, route }: RouteBinding): number {
  return weightOf(path) + weightOf(when) + order.length + route.length + 50;
}

const placesOf = memoized((at: RouteBinding["at"]): Places => {
  let [count, text] = [0, 0];
  for (const { listeners, hosts } of at) {
    const ofListeners = listeners.reduce((sum, id) => sum + id.length + 30, 0);
    const ofHosts = hosts.reduce(
      (sum, { host, rank }) => sum + hostKey(host).length + rank.length,
      0,
    );
    count += listeners.length * hosts.length;
    text += ofListeners * hosts.length + ofHosts * listeners.length;
  }
  return { count, text };
});

/** The whole does not suffice. */
class Excess {
  readonly #parts: Parts;
  readonly #groups: ReadonlyMap<RouteBinding["at"], Group>;
  readonly #resources: RoutingResources;
  readonly #sources: ReadonlyMap<string, SourceRef>;
  /** Ids of auth that routes name. */
  readonly #named: ReadonlySet<string>;

  constructor(
    parts: Parts,
    groups: ReadonlyMap<RouteBinding["at"], Group>,
    resources: RoutingResources,
  ) {
    this.#parts = parts;
    this.#groups = groups;
    this.#resources = resources;
    this.#sources = new Map(parts.routes.map(({ id, source }) => [id, source]));
    this.#named = new Set(parts.routes.flatMap(authsOf));
  }

  shares(capacity: number): PolicyShares {
    const { routes, auths, bindings } = this.#parts;
    const floors = this.#weights(() => CLOSED_ROUTE);
    const claims = [...this.#ofObjects(this.#weights(weightOfRoute)), ...this.#ofAuths()];
    const { kept, used } = shareOut(claims, capacity);
    const lost = new Map(
      claims.flatMap(({ owner, place }) =>
        kept.has(place) ? [] : [[keyOf(owner), owner] as const],
      ),
    );
    const closedClaims = this.#ofObjects(floors).filter(({ place }) => lost.has(place));
    const closed = shareOut(closedClaims, capacity / 4);
    const isOut = (key: string): boolean => lost.has(key) && !closed.kept.has(key);
    const isNamespace = (key: string): boolean => floors.has(key) && isOut(key);
    const sizes = sizesOf(claims);
    return {
      closed: [...lost].map(([key, owner]) => ({
        ...owner,
        closed: { what: WHAT, message: WHAT, isNamespace: isNamespace(key) },
      })),
      routes: routes.flatMap((before) => (isOut(sourceKey(before.source)) ? [{ before }] : [])),
      auths: auths.flatMap((auth) => this.#withoutShare(auth, lost, kept)),
      bindings: bindings.flatMap((before) =>
        isOut(sourceKey(this.#sources.get(before.route))) ? [{ before }] : [],
      ),
      reports: [...lost].map(([key, owner]) =>
        overBudget(owner, {
          used: used(owner.metadata.namespace),
          size: sizes.get(key) ?? 0,
          capacity,
        }),
      ),
    };
  }

  /** Auth that others inherit stays, and closes their paths; other auth goes with the objects whose routes name it. */
  #withoutShare(
    before: AuthConfig,
    lost: ReadonlyMap<string, KubernetesObject>,
    kept: ReadonlySet<string>,
  ): readonly Difference<AuthConfig>[] {
    const { id, source } = before;
    if (typeof source === "string") {
      return this.#named.has(id) && !kept.has(`auth ${id}`) ? [{ before }] : [];
    }
    return lost.has(sourceKey(source)) ? [{ before, now: { id, source, invalid: WHAT } }] : [];
  }

  /** Of the routes and bindings of each object. */
  #weights(weight: (route: Route) => number): ReadonlyMap<string, number> {
    const weights = new Map<string, number>();
    const add = (source: SourceRef | undefined, size: number): void => {
      const key = sourceKey(source);
      weights.set(key, (weights.get(key) ?? 0) + size);
    };
    for (const route of this.#parts.routes) add(route.source, weight(route));
    for (const group of this.#groups.values()) {
      add(this.#sources.get(group.route), weightOfGroup(group));
    }
    return weights;
  }

  #ofObjects(weights: ReadonlyMap<string, number>): readonly OwnedClaim[] {
    return [...weights].flatMap(([place, size]) => {
      const owner = this.#owner(place);
      return owner ? [{ owner, place, size }] : [];
    });
  }

  /** Those of an object that others inherit from are its own; others are of each object whose routes name them. */
  #ofAuths(): readonly OwnedClaim[] {
    const auths = new Map(this.#parts.auths.map((auth) => [auth.id, auth]));
    const claims = new Map<string, OwnedClaim>();
    const add = (key: string, { id, ...auth }: AuthConfig): void => {
      const owner = this.#owner(key);
      const size = weightOf(auth);
      if (owner) claims.set(`${key} ${id}`, { owner, place: `auth ${id}`, size });
    };
    for (const auth of auths.values()) {
      if (typeof auth.source !== "string") add(sourceKey(auth.source), auth);
    }
    for (const route of this.#parts.routes) {
      for (const id of authsOf(route)) {
        const auth = auths.get(id);
        if (auth && typeof auth.source === "string") add(sourceKey(route.source), auth);
      }
    }
    return [...claims.values()];
  }

  #owner(key: string): KubernetesObject | undefined {
    const [kind, namespace = "", name = ""] = key.split("/");
    const known = ROUTING_KINDS.find((each) => each === kind);
    return known && this.#resources.get(known, namespace, name);
  }
}

function authsOf({ auth = [], backends = [] }: Route): readonly string[] {
  return [...auth, ...backends.flatMap(({ filters }) => filters?.auth ?? [])];
}

interface OwnedClaim extends Claim {
  readonly owner: KubernetesObject;
}

function sizesOf(claims: readonly OwnedClaim[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { owner, size } of claims) {
    sizes.set(keyOf(owner), (sizes.get(keyOf(owner)) ?? 0) + size);
  }
  return sizes;
}

function sourceKey(source: SourceRef | string | undefined): string {
  if (source === undefined || typeof source === "string") return "";
  const [kind, namespace, name] = source;
  return `${kind}/${namespace}/${name}`;
}

function keyOf({ kind, metadata: { namespace, name } }: KubernetesObject): string {
  return `${kind}/${namespace}/${name}`;
}

/** Clients read it. */
const WHAT = "share of the policy";

const KIB = 1024;

function overBudget(
  owner: KubernetesObject,
  {
    used,
    size,
    capacity,
  }: { readonly used: number; readonly size: number; readonly capacity: number },
): Report {
  const [has, needs, whole] = [used, size, capacity].map(
    (bytes) => `${String(Math.ceil(bytes / KIB))} KiB`,
  );
  const message = `namespace ${owner.metadata.namespace} has ${has ?? ""} of the ${whole ?? ""} of the policy that are shared, which are used up; this object needs ${needs ?? ""}, so its paths answer 503`;
  return { code: "POLICY_OVER_BUDGET", message, ...placeOf(owner) };
}

/** A refusal with its source. */
const CLOSED_ROUTE = 300;
const weightOfRoute = memoized((route: Route) => weightOf(route));

const LONG = 32;
const weightOfLong = memoized((values: readonly unknown[]) => weightOfItems(values));

/** Bytes of JSON, or a few more. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return weightOfText(value);
  if (Array.isArray(value)) return value.length < LONG ? weightOfItems(value) : weightOfLong(value);
  if (!isObject(value)) return 8;
  let sum = 2;
  for (const [key, entry] of Object.entries(value)) sum += weightOfText(key) + weightOf(entry) + 2;
  return sum;
}

function weightOfItems(values: readonly unknown[]): number {
  let sum = 2;
  for (const value of values) sum += weightOf(value) + 1;
  return sum;
}

function weightOfText(text: string): number {
  return /^[ !#-[\]-~]*$/.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}
