import type { KubernetesObject } from "../../../api/wire.js";
import type { HostPattern } from "../../../ir/host-pattern.js";
import { ANY_HOST, hostKey } from "../../../ir/host-pattern.js";
import { compareBy, compareStrings } from "../../../support/compare.js";
import { addTo, getOrInsert, groupBy } from "../../../support/group-by.js";
import { hostnameRank } from "../../route-precedence.js";
import type { StreamBinding, StreamHost } from "./stream-binding.js";

/** A route at a listener. */
export interface Claim {
  readonly route: KubernetesObject;
  /** Id; absent: connections are closed. */
  readonly pool?: string;
}

/** What places have at listeners, by id: shared by those that have the same so far, as most hosts of a route have. */
export interface Claims {
  readonly id: number;
  readonly byListener: ReadonlyMap<string, Claim>;
}

interface OwnClaims extends Claims {
  places: number;
  readonly byListener: Map<string, Claim>;
}

/** A host that routes came to by one hostname: a listener has one of them for it. */
export interface Place {
  readonly host: HostPattern;
  readonly hostname: HostPattern;
  readonly claims: Claims;
}

/** By key of the host, those of the best hostname first. */
export type HostPlaces = ReadonlyMap<string, readonly Place[]>;

interface OwnPlace extends Place {
  claims: OwnClaims;
}

/** A host that older routes have, and the listeners where they do. */
export interface ShadowedHost {
  readonly host: StreamHost;
  readonly by: KubernetesObject;
  readonly listeners: readonly string[];
}

/** Where routes are bound. Costs hosts + listeners for a route, not their product. */
export class StreamPlaces {
  readonly #places = new Map<string, OwnPlace>();
  readonly #unclaimed: OwnClaims = { id: 0, places: 0, byListener: new Map() };
  /** By listener: those with the same number have the same claims. */
  readonly #likeness = new Map<string, number>();
  readonly #bound: (readonly string[])[] = [];
  #ids = 0;

  /** Returns what was not bound, because an older route has the place there. */
  bind({ listeners, hosts, ...claim }: StreamBinding): readonly ShadowedHost[] {
    this.#bound.push(listeners);
    this.#distinguish(listeners);
    const shadowed: ShadowedHost[] = [];
    const placed = hosts.map((host) => ({ host, place: this.#placeOf(host) }));
    for (const [claims, same] of groupBy(placed, ({ place }) => place.claims)) {
      const free: string[] = [];
      const taken = new Map<KubernetesObject, string[]>();
      for (const listener of listeners) {
        const older = claims.byListener.get(listener);
        if (older === undefined) free.push(listener);
        else addTo(taken, older.route, listener);
      }
      for (const [by, where] of taken) {
        shadowed.push(...same.map(({ host }) => ({ host, by, listeners: where })));
      }
      if (free.length === 0) continue;
      const places = same.map(({ place }) => place);
      const { byListener } = this.#ownOf(claims, places);
      for (const listener of free) byListener.set(listener, claim);
    }
    return shadowed;
  }

  #placeOf({ host, pattern: hostname }: StreamHost): OwnPlace {
    return getOrInsert(this.#places, placeKey(host, hostname), () => {
      this.#unclaimed.places++;
      return { host, hostname, claims: this.#unclaimed };
    });
  }

  /** What the places, and no others, have: a copy where others had the same. */
  #ownOf(claims: OwnClaims, places: readonly OwnPlace[]): OwnClaims {
    if (claims !== this.#unclaimed && claims.places === places.length) return claims;
    claims.places -= places.length;
    const byListener = new Map(claims.byListener);
    const own = { id: ++this.#ids, places: places.length, byListener };
    for (const place of places) place.claims = own;
    return own;
  }

  #distinguish(listeners: readonly string[]): void {
    const renewed = new Map<number, number>();
    for (const listener of listeners) {
      const number = getOrInsert(renewed, this.likeness(listener), () => ++this.#ids);
      this.#likeness.set(listener, number);
    }
  }

  /** The same for listeners that have the same claims, once all routes are bound. */
  likeness(listener: string): number {
    return this.#likeness.get(listener) ?? 0;
  }

  /** Lists of listeners that have a route in common. */
  get bound(): readonly (readonly string[])[] {
    return this.#bound;
  }

  /** The pool of a listener whose connections have no names. */
  poolOf(listener: string): string | undefined {
    const place = this.#places.get(placeKey(ANY_HOST, ANY_HOST));
    return place?.claims.byListener.get(listener)?.pool;
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

const byRank = compareBy<Place>((a, b) =>
  compareStrings(hostnameRank(a.hostname), hostnameRank(b.hostname)),
);
