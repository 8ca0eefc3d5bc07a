import type { KubernetesObject } from "../api/wire.js";
import type { HostPattern } from "../model/host-pattern.js";
import { hostKey } from "../model/host-pattern.js";
import { keysAbove } from "./hostnames.js";
import { ageKey, compareAge, oldestOf } from "./precedence.js";

interface Named {
  readonly host: HostPattern;
  /** By namespace: the oldest object that names the host. */
  readonly claims: Map<string, KubernetesObject>;
}

/**
 * Who owns each host of a load balancer: the namespace of the oldest object that names the host or the wildcard above it. Its paths are
 * tried before those of other namespaces (`rank`), and it alone decides about the certificate, the redirect to HTTPS and aliases.
 * With the option sharedHosts, an object that names a host owns it despite an older wildcard, and paths have no rank.
 */
export class HostOwners {
  readonly #named = new Map<string, Named>();
  readonly #ranks = new Map<string, string>();
  #rest: KubernetesObject | undefined;
  readonly #isShared: boolean;

  constructor({ sharedHosts }: { readonly sharedHosts: boolean }) {
    this.#isShared = sharedHosts;
  }

  claim(host: HostPattern, object: KubernetesObject): void {
    const key = hostKey(host);
    const named = this.#named.get(key) ?? { host, claims: new Map<string, KubernetesObject>() };
    const { namespace } = object.metadata;
    const known = named.claims.get(namespace);
    if (known === undefined || compareAge(object, known) < 0) named.claims.set(namespace, object);
    this.#named.set(key, named);
  }

  /** For a default backend of every host. */
  claimRest(object: KubernetesObject): void {
    if (this.#rest === undefined || compareAge(object, this.#rest) < 0) this.#rest = object;
  }

  /** The oldest object that names the host or the wildcard above it; else the oldest one for every host, at last by a default backend. */
  ownerOf(host: HostPattern): KubernetesObject | undefined {
    return this.ownerOfName(host) ?? oldestOf(this.#claimsOf("")) ?? this.#rest;
  }

  /** As `ownerOf`, without objects for every host. */
  ownerOfName(host: HostPattern): KubernetesObject | undefined {
    const found = keysAbove(host, "one").flatMap((key) => oldestOf(this.#claimsOf(key)) ?? []);
    return this.#isShared ? found[0] : oldestOf(found);
  }

  /**
   * Text whose byte order is the order in which namespaces get the requests of a host: by the age of their claims. A host is never behind
   * the wildcard above it, so each binding has one rank, whichever of its hosts is asked for. Objects without a host come last.
   */
  rank(namespace: string, host: HostPattern): string {
    if (this.#isShared) return "";
    const key = `${namespace} ${hostKey(host)}`;
    const known = this.#ranks.get(key);
    if (known !== undefined) return known;
    const keys = host.kind === "any" ? [""] : keysAbove(host, "one");
    const claims = keys.flatMap((each) => this.#named.get(each)?.claims.get(namespace) ?? []);
    const age = ageKey(oldestOf(claims)?.metadata.creationTimestamp);
    const rank = `${host.kind === "any" ? "1" : "0"}${age} ${namespace}`;
    this.#ranks.set(key, rank);
    return rank;
  }

  /** Every host that is named. */
  names(): readonly HostPattern[] {
    return [...this.#named.values()].map(({ host }) => host);
  }

  isOwner(namespace: string, host: HostPattern): boolean {
    return this.ownerOf(host)?.metadata.namespace === namespace;
  }

  #claimsOf(key: string): Iterable<KubernetesObject> {
    return this.#named.get(key)?.claims.values() ?? [];
  }
}
