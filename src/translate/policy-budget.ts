/**
 * Namespaces share the bytes of the policy (support/shares.ts, option policySize), before any of it is rendered. An object without a share is
 * closed: its routes answer 503, which takes little. Closed objects share a quarter as much for their hosts and paths; one without a share of
 * that is left out, and closes the routes of its namespace, so that no wider one of them serves its requests.
 */
import type { KubernetesObject } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import { ROUTING_KINDS } from "../input/resources.js";
import type { AuthConfig, HeaderTemplate } from "../model/auth.js";
import type { RoutingModel } from "../model/config.js";
import type { ServerCertificate } from "../model/listener.js";
import type { Route, RouteBinding } from "../model/route.js";
import { upstreamId } from "../model/upstream.js";
import { type SourceRef, hostKey } from "../model/values.js";
import type { ObjectStatus } from "../status/object-status.js";
import { type Difference, compareIds, getOrInsert, memoized } from "../support/collections.js";
import { isObject } from "../support/json-object.js";
import { type Claim, shareOut } from "../support/shares.js";
import type { TranslateContext } from "./context.js";
import { placeOf } from "./place.js";
import {
  AuthSum,
  BindingSum,
  Sum,
  usedUpKib,
  weightOf,
  weightOfAuth,
  weightOfGroup,
} from "./policy-weight.js";
import { NO_SHARE } from "./reasons.js";

type Context = Pick<TranslateContext, "resources" | "options">;
type Parts = Pick<RoutingModel, "routes" | "bindings" | "auths">;

export interface PolicyShares {
  /** Objects without a share, as ClosedObjects takes them. */
  readonly closed: readonly KubernetesObject[];
  readonly routes: readonly Difference<Route>[];
  readonly auths: readonly Difference<AuthConfig>[];
  readonly bindings: readonly Difference<RouteBinding>[];
  /** False for upstreams that only objects without a share name. Absent: all are needed, as below. */
  readonly needsUpstream?: (upstream: { readonly id: string }) => boolean;
  /** False for hosts that only objects without a share have. */
  readonly needsCertificate?: (certificate: ServerCertificate) => boolean;
  readonly reports: readonly Report[];
  /** Why the object has no share; undefined: it has one. Absent: all have. */
  readonly whyNone?: (object: Pick<ObjectStatus, "kind" | "metadata">) => string | undefined;
}

const ENOUGH: PolicyShares = { closed: [], routes: [], auths: [], bindings: [], reports: [] };

/** Looks only at what has changed, and at everything while the whole does not suffice. */
export class PolicyBudget {
  readonly #routes = new Sum<Route>(weightOf, compareIds);
  readonly #auths = new AuthSum();
  readonly #bindings = new BindingSum();

  share(parts: Parts, { resources, options }: Context): PolicyShares {
    const total =
      this.#routes.of(parts.routes) +
      this.#auths.of(parts.auths) +
      this.#bindings.of(parts.bindings);
    return total <= options.policySize
      ? ENOUGH
      : new Excess(parts, this.#bindings.groups, { resources, options }).shares(options.policySize);
  }
}

/** The whole does not suffice. */
class Excess {
  readonly #parts: Parts;
  readonly #groups: BindingSum["groups"];
  readonly #context: Context;
  readonly #sources: ReadonlyMap<string, SourceRef>;
  /** Their numbers. */
  readonly #headers = new Map<readonly HeaderTemplate[], number>();
  /** Ids of auth that routes name. */
  readonly #named: ReadonlySet<string>;

  constructor(parts: Parts, groups: BindingSum["groups"], context: Context) {
    this.#parts = parts;
    this.#groups = groups;
    this.#context = context;
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
    const reports = new Map(
      [...lost].map(([key, owner]) => {
        const size = sizes.get(key) ?? 0;
        return [
          key,
          overBudget(owner, { used: used(owner.metadata.namespace), size, whole: capacity }),
        ] as const;
      }),
    );
    const isBound = ({ route }: RouteBinding): boolean =>
      !isOut(sourceKey(this.#sources.get(route)));
    const lostAuths = auths.flatMap((auth) => this.#withoutShare(auth, lost, kept));
    return {
      closed: [...lost].map(([key, owner]) => ({
        ...owner,
        closed: {
          what: NO_SHARE,
          message: reports.get(key)?.message ?? NO_SHARE,
          isNamespace: isNamespace(key),
        },
      })),
      routes: routes.flatMap((before) => (isOut(sourceKey(before.source)) ? [{ before }] : [])),
      auths: lostAuths,
      bindings: bindings.flatMap((before) => (isBound(before) ? [] : [{ before }])),
      ...this.#needs(lost, lostAuths, isBound),
      ...{
        reports: [...reports.values()],
        whyNone: (object) => reports.get(keyOf(object))?.message,
      },
    };
  }

  /** What remains of the parts that are not objects' own. */
  #needs(
    lost: ReadonlyMap<string, KubernetesObject>,
    lostAuths: readonly Difference<AuthConfig>[],
    isBound: (binding: RouteBinding) => boolean,
  ): Pick<PolicyShares, "needsUpstream" | "needsCertificate"> {
    const { routes, auths, bindings } = this.#parts;
    const isClosed = ({ source }: Route): boolean => lost.has(sourceKey(source));
    const changed = new Set(lostAuths.map(({ before }) => before));
    const lostNames = namesOf([...routes.filter(isClosed), ...changed]);
    const names = namesOf([
      ...routes.filter((route) => !isClosed(route)),
      ...auths.filter((auth) => !changed.has(auth)),
    ]);
    const { errorPages } = this.#context.options;
    if (errorPages?.service) names.add(upstreamId(errorPages.service));
    const hosts = hostsOf(bindings.filter(isBound));
    const lostHosts = hostsOf(bindings.filter((each) => !isBound(each)));
    return {
      needsUpstream: ({ id }) => !lostNames.has(id) || names.has(id),
      needsCertificate: ({ host }) => !lostHosts.has(hostKey(host)) || hosts.has(hostKey(host)),
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
      const isKept = this.#placesOf(before).every(({ place }) => kept.has(place));
      return this.#named.has(id) && !isKept ? [{ before }] : [];
    }
    return lost.has(sourceKey(source)) ? [{ before, now: { id, source, invalid: NO_SHARE } }] : [];
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
    const add = (key: string, auth: AuthConfig): void => {
      const owner = this.#owner(key);
      if (!owner) return;
      for (const { place, size } of this.#placesOf(auth)) {
        claims.set(`${key} ${place}`, { owner, place, size });
      }
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

  #placesOf(auth: AuthConfig): readonly Omit<Claim, "owner">[] {
    const own = { place: `auth ${auth.id}`, size: weightOfAuth(auth) };
    const headers = auth.forward?.headers;
    if (headers === undefined) return [own];
    const number = getOrInsert(this.#headers, headers, () => this.#headers.size);
    return [own, { place: `headers ${String(number)}`, size: weightOf(headers) }];
  }

  #owner(key: string): KubernetesObject | undefined {
    const [kind, namespace = "", name = ""] = key.split("/");
    const known = ROUTING_KINDS.find((each) => each === kind);
    return known && this.#context.resources.get(known, namespace, name);
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

function keyOf({
  kind,
  metadata: { namespace, name },
}: {
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
}): string {
  return `${kind}/${namespace}/${name}`;
}

function hostsOf(bindings: readonly RouteBinding[]): ReadonlySet<string> {
  const places = new Set(bindings.map(({ at }) => at));
  const hosts = [...places].flatMap((at) => at.flatMap((each) => each.hosts));
  return new Set(hosts.map(({ host }) => hostKey(host)));
}

/** Ids of the upstreams that routes and auth name. */
function namesOf(parts: Iterable<Route | AuthConfig | undefined>): Set<string> {
  const names = new Set<string>();
  for (const part of parts) if (part) for (const name of namesIn(part)) names.add(name);
  return names;
}

const namesIn = memoized((part: object): readonly string[] =>
  Object.entries(part).flatMap(([key, value]: readonly [string, unknown]) => {
    if (key === "upstream" && typeof value === "string") return [value];
    return Array.isArray(value) || isObject(value) ? namesIn(value) : [];
  }),
);

function overBudget(
  owner: KubernetesObject,
  shares: { readonly used: number; readonly size: number; readonly whole: number },
): Report {
  const message = `${usedUpKib("the policy", owner, shares)}, so its paths answer 503`;
  return { code: "POLICY_OVER_BUDGET", message, ...placeOf(owner) };
}

/** A refusal with its source. */
const CLOSED_ROUTE = 300;
const weightOfRoute = memoized((route: Route) => weightOf(route));
