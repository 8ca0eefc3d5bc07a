import type { KubernetesObject } from "../api/wire.js";
import { type HostPattern, hostKey } from "../model/values.js";
import { getOrInsert } from "../support/collections.js";
import type { Key } from "./keys.js";
import { keysAbove } from "./hostnames.js";
import { compareAge, oldestOf } from "./precedence.js";
import { ageKey } from "../support/units.js";

/** A host that an object names. */
export interface NamedHost {
  readonly host: HostPattern;
  /** A rule of an Ingress names it; otherwise a Rule, or an alias. */
  readonly isRuled?: boolean;
  /** The Ingress makes regular expressions of all paths that its namespace has there. */
  readonly isPattern?: boolean;
}

/** What one object names on a load balancer. */
export interface HostClaims {
  readonly object: KubernetesObject;
  /** Each host once. */
  readonly hosts: readonly NamedHost[];
  /** It has a default backend for every host. */
  readonly takesRest?: boolean;
}

/** What objects of a namespace have to know of a host. */
export interface HostFacts {
  /**
   * Text whose byte order is the order in which namespaces get the requests of a host: by the age of their claims. A host never comes
   * after the wildcard above it, so each binding has one rank, whichever of its hosts a request has. Objects without a host come last.
   */
  readonly rank: string;
  /** The oldest object that names the host or the wildcard above it; else the oldest for every host; else that of a default backend. */
  readonly owner: KubernetesObject | undefined;
  /** The host belongs to the namespace. */
  readonly isOwned: boolean;
  /** A rule of an Ingress of the namespace names it. */
  readonly isRuled: boolean;
  /** The oldest Ingress of the namespace that makes regular expressions of all paths there. */
  readonly patternCause: KubernetesObject | undefined;
}

/**
 * Who owns each host of a load balancer: the namespace of the oldest object that names the host or the wildcard above it. Its paths are
 * tried before those of other namespaces (`rank`), and it alone decides about the certificate, the redirect to HTTPS and aliases.
 * With the option sharedHosts, an object that names a host owns it despite an older wildcard, and paths have no rank.
 */
export class HostOwners {
  readonly #id: string;
  readonly #isShared: boolean;
  /** By host key. */
  readonly #named = new Map<
    string,
    {
      readonly host: HostPattern;
      /** Oldest first. */
      readonly claims: { readonly object: KubernetesObject; readonly claim: NamedHost }[];
    }
  >();
  /** Oldest first. */
  readonly #rest: KubernetesObject[] = [];
  /** Facts that were looked up. */
  readonly #facts = new Map<
    Key,
    { readonly namespace: string; readonly host: HostPattern; facts: HostFacts }
  >();

  /** `id`: part of the keys of facts. */
  constructor(id: string, { sharedHosts }: { readonly sharedHosts: boolean }) {
    this.#id = id;
    this.#isShared = sharedHosts;
  }

  /** Replaces what an object named. Returns the keys of hosts for which that changes anything. */
  replace(before: HostClaims | undefined, now: HostClaims | undefined): readonly string[] {
    if (before !== undefined) this.#remove(before);
    if (now !== undefined) this.#insert(now);
    if (isAlike(before, now)) return [];
    const hosts = [...(before?.hosts ?? []), ...(now?.hosts ?? [])];
    const keys = hosts.map(({ host }) => hostKey(host));
    return before?.takesRest === true || now?.takesRest === true ? [...keys, ""] : keys;
  }

  #insert({ object, hosts, takesRest }: HostClaims): void {
    if (takesRest === true) insertInto(this.#rest, object, compareAge);
    for (const claim of hosts) {
      const named = getOrInsert(this.#named, hostKey(claim.host), () => {
        return { host: claim.host, claims: [] };
      });
      insertInto(named.claims, { object, claim }, (a, b) => compareAge(a.object, b.object));
    }
  }

  #remove({ object, hosts, takesRest }: HostClaims): void {
    if (takesRest === true) removeFrom(this.#rest, object);
    for (const { host } of hosts) {
      const key = hostKey(host);
      const claims = this.#named.get(key)?.claims ?? [];
      const at = claims.findIndex((each) => each.object === object);
      if (at >= 0) claims.splice(at, 1);
      if (claims.length === 0) this.#named.delete(key);
    }
  }

  /** Facts of hosts for the namespace. The keys of facts that are looked up are added to `reads`. */
  factsFor(namespace: string, reads: Set<Key>): (host: HostPattern) => HostFacts {
    return (host) => {
      const key = `host/${this.#id}/${namespace}/${hostKey(host)}`;
      reads.add(key);
      return getOrInsert(this.#facts, key, () => {
        return { namespace, host, facts: this.#factsOf(namespace, host) };
      }).facts;
    };
  }

  /** Of a key that `factsFor` noted and that nothing reads any more. */
  forget(key: Key): void {
    this.#facts.delete(key);
  }

  /** Keys of facts that have changed. `touched`: keys of hosts that `replace` returned. */
  changedFacts(touched: ReadonlySet<string>): readonly Key[] {
    if (touched.size === 0) return [];
    return [...this.#facts].flatMap(([key, known]) => {
      if (!isBelow(known.host, touched)) return [];
      const facts = this.#factsOf(known.namespace, known.host);
      const isSame = isEqual(facts, known.facts);
      known.facts = facts;
      return isSame ? [] : [key];
    });
  }

  ownerOf(host: HostPattern): KubernetesObject | undefined {
    return this.ownerOfName(host) ?? this.#oldest("") ?? this.#rest[0];
  }

  /** As `ownerOf`, without objects for every host. */
  ownerOfName(host: HostPattern): KubernetesObject | undefined {
    const named = keysAbove(host, "one").flatMap((key) => this.#oldest(key) ?? []);
    return this.#isShared ? named[0] : oldestOf(named);
  }

  /** Every host that is named. */
  names(): readonly HostPattern[] {
    return Array.from(this.#named.values(), ({ host }) => host);
  }

  isNamed(key: string): boolean {
    return this.#named.has(key);
  }

  /** The named hosts that a change of the hosts with these keys affects. */
  namesBelow(touched: ReadonlySet<string>): readonly HostPattern[] {
    const keys = [...touched];
    const isExact = keys.every((key) => key !== "" && !key.startsWith("*"));
    if (isExact) return keys.flatMap((key) => this.#named.get(key)?.host ?? []);
    return this.names().filter((host) => isBelow(host, touched));
  }

  #factsOf(namespace: string, host: HostPattern): HostFacts {
    const owner = this.ownerOf(host);
    const own = (this.#named.get(hostKey(host))?.claims ?? []).filter(
      ({ object }) => object.metadata.namespace === namespace,
    );
    return {
      rank: this.#rank(namespace, host),
      owner,
      isOwned: owner?.metadata.namespace === namespace,
      isRuled: own.some(({ claim }) => claim.isRuled === true),
      patternCause: own.find(({ claim }) => claim.isPattern === true)?.object,
    };
  }

  #rank(namespace: string, host: HostPattern): string {
    if (this.#isShared) return "";
    const keys = host.kind === "any" ? [""] : keysAbove(host, "one");
    const claims = keys.flatMap((key) => {
      const own = this.#named.get(key)?.claims;
      return own?.find(({ object }) => object.metadata.namespace === namespace)?.object ?? [];
    });
    const age = ageKey(oldestOf(claims)?.metadata.creationTimestamp);
    return `${host.kind === "any" ? "1" : "0"}${age} ${namespace}`;
  }

  #oldest(key: string): KubernetesObject | undefined {
    return this.#named.get(key)?.claims[0]?.object;
  }
}

/** Whether the host, the wildcard above it, or every host is one of the keys. */
export function isBelow(host: HostPattern, keys: ReadonlySet<string>): boolean {
  return keys.has("") || keysAbove(host, "one").some((key) => keys.has(key));
}

function isAlike(before: HostClaims | undefined, now: HostClaims | undefined): boolean {
  return before && now ? textOf(before) === textOf(now) : before === now;
}

/** Everything that translations of other objects read of the claims. */
function textOf(claims: HostClaims): string {
  const { namespace, name, creationTimestamp } = claims.object.metadata;
  return JSON.stringify([namespace, name, creationTimestamp, claims.hosts, claims.takesRest]);
}

function isEqual(a: HostFacts, b: HostFacts): boolean {
  return (
    a.rank === b.rank &&
    a.isRuled === b.isRuled &&
    isSameObject(a.owner, b.owner) &&
    isSameObject(a.patternCause, b.patternCause)
  );
}

function isSameObject(a: KubernetesObject | undefined, b: KubernetesObject | undefined): boolean {
  return (
    a?.kind === b?.kind &&
    a?.metadata.namespace === b?.metadata.namespace &&
    a?.metadata.name === b?.metadata.name
  );
}

/** Into a sorted list. */
export function insertInto<T>(list: T[], entry: T, compare: (a: T, b: T) => number): void {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && compare(other, entry) <= 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, entry);
}

export function removeFrom<T>(list: T[], entry: T): void {
  const at = list.indexOf(entry);
  if (at >= 0) list.splice(at, 1);
}
