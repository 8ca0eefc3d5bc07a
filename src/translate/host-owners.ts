import type { KubernetesObject } from "../api/wire.js";
import { ANY_HOST, type HostPattern, hostKey } from "../model/values.js";
import { Asked, Group, type Key, type Read, type Table } from "../engine/tables.js";
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
  /** An object names the host or the wildcard above it. */
  readonly isNamed: boolean;
  /** The host belongs to the namespace. */
  readonly isOwned: boolean;
  /** A rule of an Ingress of the namespace names it. */
  readonly isRuled: boolean;
  /** The oldest Ingress of the namespace that makes regular expressions of all paths there. */
  readonly patternCause: KubernetesObject | undefined;
}

/** Objects that name a host, oldest first. */
export interface Named {
  readonly host: HostPattern;
  readonly claims: readonly { readonly object: KubernetesObject; readonly claim: NamedHost }[];
}

/** The key of objects with a default backend for every host; no host has a blank. */
const REST = " rest";

/** Reads without following. */
const untracked: Read = (table, key) => table.get(key);

/**
 * Who owns each host of a load balancer: the namespace of the oldest object that names the host or the wildcard above it. Its paths are
 * tried before those of other namespaces (`rank`), and it alone decides about the certificate, the redirect to HTTPS and aliases.
 * With the option sharedHosts, an object that names a host owns it despite an older wildcard, and paths have no rank.
 */
export class HostOwners {
  readonly #isShared: boolean;
  /** By host key. */
  readonly named: Group<readonly (HostClaims | undefined)[], Named["claims"][number], Named>;
  readonly #facts = new Asked(
    (of: { readonly namespace: string; readonly host: HostPattern }, read) =>
      this.#factsOf(of.namespace, of.host, read),
    isEqual,
  );

  /** `claims`: of objects, by load balancer, of which this is the one at `index`. */
  constructor(
    claims: Table<readonly (HostClaims | undefined)[]>,
    index: number,
    { sharedHosts }: { readonly sharedHosts: boolean },
  ) {
    this.#isShared = sharedHosts;
    this.named = new Group(claims, (of) => namedBy(of[index]), inAgeOrder);
  }

  update(): void {
    this.named.update();
    this.#facts.update();
  }

  /** Facts of hosts for the namespace. */
  factsFor(namespace: string, read: Read): (host: HostPattern) => HostFacts {
    return (host) => {
      return this.#facts.ask(read, `${namespace}/${hostKey(host)}`, { namespace, host });
    };
  }

  ownerOf(host: HostPattern, read = untracked): KubernetesObject | undefined {
    return this.ownerOfName(host, read) ?? this.#oldest("", read) ?? this.#oldest(REST, read);
  }

  /** As `ownerOf`, without objects for every host. */
  ownerOfName(host: HostPattern, read = untracked): KubernetesObject | undefined {
    const named = keysAbove(host, "one").flatMap((key) => this.#oldest(key, read) ?? []);
    return this.#isShared ? named[0] : oldestOf(named);
  }

  /** Every host that is named. */
  names(): readonly HostPattern[] {
    return [...this.named.entries()].flatMap(([key, { host }]) => (key === REST ? [] : host));
  }

  #factsOf(namespace: string, host: HostPattern, read: Read): HostFacts {
    const owner = this.ownerOf(host, read);
    const own = (read(this.named, hostKey(host))?.claims ?? []).filter(
      ({ object }) => object.metadata.namespace === namespace,
    );
    return {
      rank: this.#rank(namespace, host, read),
      owner,
      isNamed: this.ownerOfName(host) !== undefined,
      isOwned: owner?.metadata.namespace === namespace,
      isRuled: own.some(({ claim }) => claim.isRuled === true),
      patternCause: own.find(({ claim }) => claim.isPattern === true)?.object,
    };
  }

  #rank(namespace: string, host: HostPattern, read: Read): string {
    if (this.#isShared) return "";
    const keys = host.kind === "any" ? [""] : keysAbove(host, "one");
    const claims = keys.flatMap((key) => {
      const own = read(this.named, key)?.claims;
      return own?.find(({ object }) => object.metadata.namespace === namespace)?.object ?? [];
    });
    const age = ageKey(oldestOf(claims)?.metadata.creationTimestamp);
    return `${host.kind === "any" ? "1" : "0"}${age} ${namespace}`;
  }

  #oldest(key: Key, read: Read): KubernetesObject | undefined {
    return read(this.named, key)?.claims[0]?.object;
  }
}

type NamedBy = readonly (readonly [Key, Named["claims"][number]])[];

function namedBy(claims: HostClaims | undefined): NamedBy {
  if (claims === undefined) return [];
  const { object, hosts, takesRest } = claims;
  const rest = takesRest === true ? [[REST, { object, claim: { host: ANY_HOST } }] as const] : [];
  return [...hosts.map((claim) => [hostKey(claim.host), { object, claim }] as const), ...rest];
}

function inAgeOrder(claims: Named["claims"]): Named | undefined {
  const [first, ...others] = claims;
  if (first === undefined) return undefined;
  const sorted =
    others.length === 0 ? claims : claims.toSorted((a, b) => compareAge(a.object, b.object));
  return { host: first.claim.host, claims: sorted };
}

function isEqual(a: HostFacts, b: HostFacts): boolean {
  return (
    a.rank === b.rank &&
    a.isRuled === b.isRuled &&
    a.isNamed === b.isNamed &&
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
