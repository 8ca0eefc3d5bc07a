import type { KubernetesObject } from "../../../api/wire.js";
import type { HostPattern } from "../../../model/values.js";
import { ANY_HOST, hostKey } from "../../../model/values.js";
import { compareBy, compareStrings, getOrInsert, groupBy } from "../../../support/collections.js";
import { hostnameRank } from "../../precedence.js";
import type { RouteHost } from "../routes/attachment.js";

/** A route at listeners. */
export interface StreamClaim {
  readonly route: KubernetesObject;
  /** Id; absent: connections are closed. */
  readonly pool?: string;
  /** Ids; all of one binding. */
  readonly listeners: ReadonlySet<string>;
}

/** What places have at listeners, one claim at each: shared by those that have the same so far, as most hosts of a route have. */
export class Claims {
  readonly id: number;
  /** How many have them. */
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

/** A host that routes came to by one hostname: a listener has one of them for it. */
export interface StreamPlace {
  readonly host: HostPattern;
  readonly hostname: HostPattern;
  readonly claims: Claims;
}

/** By key of the host, those of the best hostname first. */
export type HostPlaces = ReadonlyMap<string, readonly StreamPlace[]>;

interface OwnPlace extends StreamPlace {
  claims: Claims;
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
  /** Listeners that have a route in common, by their ids. */
  readonly #bound = new Map<string, ReadonlySet<string>>();
  /** By listener: those with the same number are bound together always. */
  readonly #likeness = new Map<string, number>();
  readonly #unclaimed = new Claims(0, []);
  #ids = 0;

  /** Returns what was not bound, because an older route has the place there. */
  bind({ listeners: ids, hosts, ...rule }: StreamBinding): readonly ShadowedHost[] {
    const listeners = getOrInsert(this.#bound, ids.join(), () => this.#distinguished(ids));
    const shadowed: ShadowedHost[] = [];
    const placed = hosts.map((host) => ({ host, place: this.#placeOf(host) }));
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

  #placeOf({ host, pattern: hostname }: StreamHost): OwnPlace {
    const key = placeKey(host, hostname);
    return getOrInsert(this.#places, key, () => {
      this.#unclaimed.places++;
      return { host, hostname, claims: this.#unclaimed };
    });
  }

  /** What the places, and no others, have: a copy where others had the same. */
  #ownOf(claims: Claims, places: readonly OwnPlace[]): Claims {
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

  /** The same for listeners that have the same claims, once all routes are bound. */
  likeness(listener: string): number {
    return this.#likeness.get(listener) ?? 0;
  }

  /** Listeners that have a route in common. */
  bound(): Iterable<ReadonlySet<string>> {
    return this.#bound.values();
  }

  /** The pool of a listener whose connections have no names. */
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

/** A listener that is served, whose connections are passed on. */
export interface StreamListener {
  /** Id of the listener. */
  readonly id: string;
  readonly server: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly stream: "tcp" | "udp" | "passthrough" | "terminate";
  readonly hostname: HostPattern;
  /** Of `terminate`: one at least, the first is for names that no other is for. */
  readonly certificates: readonly StreamCertificate[];
}

interface StreamCertificate {
  /** Id. */
  readonly id: string;
  readonly names: readonly HostPattern[];
}

/** A route at listeners, for hosts that it has in common with each of them. */
interface StreamBinding {
  readonly route: KubernetesObject;
  /** Id of the pool; absent: connections are closed. */
  readonly pool?: string;
  /** Ids of listeners. */
  readonly listeners: readonly string[];
  readonly hosts: readonly StreamHost[];
}

/** A host, and the route's own hostname that it comes from. */
interface StreamHost extends RouteHost {
  readonly host: HostPattern;
}
