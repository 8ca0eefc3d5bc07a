import type { KubernetesObject } from "../../../api/wire.js";
import { ANY_HOST, type HostPattern, hostKey } from "../../../model/values.js";
import { compareBy, compareStrings, getOrInsert, groupBy } from "../../../support/collections.js";
import type { LoadedCertificate } from "../../certificates.js";
import { hostnameRank } from "../../precedence.js";
import type { ListenerState } from "../model.js";
import type { RouteHost } from "../routes/attachment.js";

/** A served listener whose connections or datagrams are passed on. */
export interface StreamListener {
  readonly id: string;
  readonly server: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly stream: NonNullable<ListenerState["stream"]>;
  readonly hostname: HostPattern;
  /** At least one for `terminate`; the first is for names that no other certificate covers. */
  readonly certificates: readonly Pick<LoadedCertificate, "id" | "names">[];
}

/** A route at listeners. */
interface StreamClaim {
  readonly route: KubernetesObject;
  /** Id; absent: connections are closed. */
  readonly pool?: string;
  /** Ids; all of one binding. */
  readonly listeners: ReadonlySet<string>;
}

/** The claims of places, at most one for a listener. Most hosts of a route have the same claims, so places share them. */
export class Claims {
  readonly id: number;
  /** How many places have these claims. */
  places = 0;
  readonly #all: StreamClaim[];
  #byListener: Map<string, StreamClaim> | undefined;

  constructor(id: number, all: readonly StreamClaim[]) {
    this.id = id;
    this.#all = [...all];
  }

  get all(): readonly StreamClaim[] {
    return this.#all;
  }

  at(listener: string): StreamClaim | undefined {
    const [first, second] = this.#all;
    if (second === undefined) return first?.listeners.has(listener) === true ? first : undefined;
    this.#byListener ??= new Map(
      this.#all.flatMap((claim) => [...claim.listeners].map((id) => [id, claim])),
    );
    return this.#byListener.get(listener);
  }

  add(claim: StreamClaim): void {
    this.#all.push(claim);
    if (this.#byListener === undefined) return;
    for (const listener of claim.listeners) this.#byListener.set(listener, claim);
  }
}

/** A host that routes have by one hostname of theirs. A listener has one claim for it. */
export interface StreamPlace {
  readonly host: HostPattern;
  readonly hostname: HostPattern;
  claims: Claims;
}

/** By key of the host, those of the best hostname first. */
export type HostPlaces = ReadonlyMap<string, readonly StreamPlace[]>;

/** A host that an older route has at these listeners. */
export interface ShadowedHost {
  readonly host: RouteHost;
  readonly by: KubernetesObject;
  readonly listeners: readonly string[];
}

/** Where routes are bound. For a route it costs hosts + listeners, not their product. */
export class StreamPlaces {
  readonly #places = new Map<string, StreamPlace>();
  /** Listeners that have a route in common, by their ids. */
  readonly #bound = new Map<string, ReadonlySet<string>>();
  /** By listener; listeners with the same number have always been bound together. */
  readonly #likeness = new Map<string, number>();
  readonly #unclaimed = new Claims(0, []);
  #ids = 0;

  /**
   * Binds a rule at listeners that have the hosts in common with the route. Returns the hosts that are not bound, because an older route
   * has the place.
   */
  bind({
    listeners: ids,
    hosts,
    ...rule
  }: Omit<StreamClaim, "listeners"> & {
    readonly listeners: readonly string[];
    readonly hosts: readonly (RouteHost & { readonly host: HostPattern })[];
  }): readonly ShadowedHost[] {
    const listeners = getOrInsert(this.#bound, ids.join(), () => this.#distinguished(ids));
    const shadowed: ShadowedHost[] = [];
    const placed = hosts.map((host) => ({ host, place: this.#placeOf(host.host, host.pattern) }));
    for (const [claims, same] of groupBy(placed, ({ place }) => place.claims)) {
      const older = groupBy(ids, (id) => claims.at(id)?.route);
      const free = older.get(undefined) ?? [];
      for (const [by, where] of older) {
        if (by !== undefined) {
          shadowed.push(...same.map(({ host }) => ({ host, by, listeners: where })));
        }
      }
      if (free.length === 0) continue;
      const places = same.map(({ place }) => place);
      const own = this.#ownOf(claims, places);
      own.add({ ...rule, listeners: free.length === ids.length ? listeners : new Set(free) });
    }
    return shadowed;
  }

  #placeOf(host: HostPattern, hostname: HostPattern): StreamPlace {
    return getOrInsert(this.#places, placeKey(host, hostname), () => {
      this.#unclaimed.places++;
      return { host, hostname, claims: this.#unclaimed };
    });
  }

  /** The claims of these places and no others; a copy if other places have the same claims. */
  #ownOf(claims: Claims, places: readonly StreamPlace[]): Claims {
    if (claims !== this.#unclaimed && claims.places === places.length) return claims;
    const own = new Claims(++this.#ids, claims.all);
    own.places = places.length;
    claims.places -= places.length;
    for (const place of places) place.claims = own;
    return own;
  }

  #distinguished(listeners: readonly string[]): ReadonlySet<string> {
    const renewed = new Map<number, number>();
    for (const listener of listeners) {
      const number = getOrInsert(renewed, this.likeness(listener), () => ++this.#ids);
      this.#likeness.set(listener, number);
    }
    return new Set(listeners);
  }

  /** Once all routes are bound, listeners with the same number have the same claims. */
  likeness(listener: string): number {
    return this.#likeness.get(listener) ?? 0;
  }

  /** Listeners that have a route in common. */
  bound(): Iterable<ReadonlySet<string>> {
    return this.#bound.values();
  }

  /** The pool of a listener of TCP or UDP. */
  poolOf(listener: string): string | undefined {
    const place = this.#places.get(placeKey(ANY_HOST, ANY_HOST));
    return place?.claims.at(listener)?.pool;
  }

  byHost(): HostPlaces {
    const byHost = groupBy(this.#places.values(), ({ host }) => hostKey(host));
    for (const places of byHost.values()) if (places.length > 1) places.sort(byRank);
    return byHost;
  }
}

function placeKey(host: HostPattern, hostname: HostPattern): string {
  return `${hostKey(host)} ${hostKey(hostname)}`;
}

const byRank = compareBy<StreamPlace>((a, b) =>
  compareStrings(hostnameRank(a.hostname), hostnameRank(b.hostname)),
);
