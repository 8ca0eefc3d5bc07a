/** One Ingress or Rule → what it becomes. Whatever it reads is noted, so that it is translated again when that changes. */
import type { Rule } from "../../api/alb.js";
import type { Ingress } from "../../api/wire.js";
import type { RouteBinding } from "../../model/route.js";
import { getOrInsert } from "../../support/collections.js";
import { hostsOfRule, translateRule } from "../alb/rules.js";
import type { StrayRules } from "../alb/labels.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { CertificateCandidate } from "../config-builder.js";
import { orderedClaims } from "../entry-bindings.js";
import { objectKey } from "../keys.js";
import type { Key } from "../keys.js";
import type { HostClaims } from "../host-owners.js";
import { translateIngressTls } from "../ingress/ingress-tls.js";
import { hostsOfIngress, translateIngress } from "../ingress/ingresses.js";
import { preparedIngresses } from "../ingress/prepared-ingress.js";
import type { TlsHosts, WantedName } from "../ingress/tls-hosts.js";
import type { LoadBalancer } from "../load-balancer.js";
import type { Part } from "../part.js";
import { kept, ownContext, partOf } from "../part.js";
import type { OrderedClaim, PathClaim } from "../shadowed-paths.js";

/** What each is translated with. */
export interface EntryScope {
  readonly balancers: readonly LoadBalancer[];
  /** By load balancer. */
  readonly tls: readonly TlsHosts[];
  readonly strays: StrayRules;
  readonly context: AuthContext;
}

export type Entry = Ingress | Rule;

export function isRule(object: Entry): object is Rule {
  return object.kind === "Rule";
}

/** What became of an Ingress or Rule. */
interface CollectedPart extends Part {
  readonly object: Entry;
  readonly served: readonly CertificateCandidate[];
}

/** The names that an Ingress wants TLS for, by load balancer. */
export interface TlsPart extends CollectedPart {
  readonly wanted: readonly (readonly WantedName[])[];
}

export interface EntryPart extends CollectedPart {
  /** Of default backends and stray Rules, which hide no paths. */
  readonly bindings: readonly RouteBinding[];
  readonly claims: readonly OrderedClaim[];
  /** It is an Ingress that a port serves. */
  readonly isServed: boolean;
}

/** The hosts that it names on each load balancer. */
export function hostsOf(
  object: Entry,
  { balancers, strays, context }: EntryScope,
  reads: Set<Key>,
): readonly (HostClaims | undefined)[] {
  readNamespace(object, reads);
  return isRule(object)
    ? hostsOfRule(object, { balancers, strays, context })
    : hostsOfIngress(preparedIngresses(context)(object), balancers);
}

/** Undefined: it has nothing to do with TLS. */
export function tlsOf(
  object: Ingress,
  hosts: readonly (HostClaims | undefined)[],
  { balancers, context }: EntryScope,
  reads: Set<Key>,
): TlsPart | undefined {
  readNamespace(object, reads);
  if (hosts.length === 0) return undefined;
  const prepared = preparedIngresses(context)(object);
  const own = ownContext(context, reads);
  const wanted = balancers.map((balancer, i) => {
    if (hosts[i] === undefined) return [];
    const factsOf = balancer.owners.factsFor(object.metadata.namespace, reads);
    return translateIngressTls(prepared, balancer, factsOf, own);
  });
  const collected = collectedFrom(object, own);
  const isEmpty = collected.reports.length === 0 && wanted.every(({ length }) => length === 0);
  return isEmpty ? undefined : { ...collected, wanted };
}

export function entryOf(object: Entry, scope: EntryScope, reads: Set<Key>): EntryPart {
  readNamespace(object, reads);
  const { balancers, tls, strays, context } = scope;
  const own = ownContext(context, reads);
  const all = new Map<LoadBalancer, PathClaim[]>();
  const claimsOn = (balancer: LoadBalancer): PathClaim[] => getOrInsert(all, balancer, () => []);
  const factsOf = (balancer: LoadBalancer): ReturnType<LoadBalancer["owners"]["factsFor"]> =>
    balancer.owners.factsFor(object.metadata.namespace, reads);
  let isServed = false;
  if (isRule(object)) {
    translateRule(object, { balancers, strays, context: own, factsOf, claimsOn });
  } else {
    isServed = translateIngress(
      preparedIngresses(context)(object),
      balancers,
      (balancer) => ({
        ...{ balancer, context: own, factsOf: factsOf(balancer), claims: claimsOn(balancer) },
        tlsOf: tls[balancers.indexOf(balancer)]?.reader(reads) ?? noTls,
      }),
      own,
    );
  }
  const claims = [...all].flatMap(([balancer, each]) =>
    orderedClaims(each, factsOf(balancer), balancer),
  );
  const bindings = kept(own.config.bound.bindings);
  return { ...collectedFrom(object, own), bindings, claims, isServed };
}

function noTls(): { readonly isWanted: boolean; readonly answers: boolean } {
  return { isWanted: false, answers: false };
}

/** Its labels say which load balancers serve its Ingresses. */
function readNamespace({ metadata: { namespace: name } }: Entry, reads: Set<Key>): void {
  reads.add(objectKey({ kind: "Namespace", namespace: "", name }));
}

function collectedFrom(object: Entry, own: AuthContext): CollectedPart {
  return { ...partOf(own), object, served: kept(own.config.candidates) };
}
