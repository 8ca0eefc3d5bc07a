/** One Ingress or Rule → what it becomes. Whatever it reads is noted, so that it is translated again when that changes. */
import type { Rule } from "../../api/alb.js";
import type { Ingress, KubernetesObject } from "../../api/wire.js";
import type { Report } from "../../diagnostics/sink.js";
import { DiagnosticSink } from "../../diagnostics/sink.js";
import type { AuthConfig, CredentialSet } from "../../model/auth.js";
import type { Certificate } from "../../model/listener.js";
import type { Route, RouteBinding } from "../../model/route.js";
import { getOrInsert } from "../../support/collections.js";
import { hostsOfRule, translateRule } from "../alb/rules.js";
import type { StrayRules } from "../alb/labels.js";
import type { AuthContext } from "../auth/auth-context.js";
import { createAuthTranslator } from "../auth/auth-policies.js";
import type { UpstreamPlan } from "../backends.js";
import { Backends } from "../backends.js";
import type { IdentifiedUse } from "../certificates.js";
import { Certificates } from "../certificates.js";
import { ClosedObjects } from "../closed-objects.js";
import type { CertificateCandidate } from "../config-builder.js";
import { ConfigBuilder } from "../config-builder.js";
import { orderedClaims } from "../entry-bindings.js";
import { objectKey } from "../keys.js";
import type { Key } from "../keys.js";
import type { HostClaims } from "../host-owners.js";
import { translateIngressTls } from "../ingress/ingress-tls.js";
import { hostsOfIngress, translateIngress } from "../ingress/ingresses.js";
import { preparedIngresses } from "../ingress/prepared-ingress.js";
import type { TlsHosts, WantedName } from "../ingress/tls-hosts.js";
import type { LoadBalancer } from "../load-balancer.js";
import { listening } from "../memory.js";
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

/** What is collected besides routes. */
interface Collected {
  readonly object: Entry;
  readonly reports: readonly Report[];
  readonly certificates: readonly Certificate[];
  readonly uses: readonly IdentifiedUse[];
  readonly served: readonly CertificateCandidate[];
}

/** The names that an Ingress wants TLS for, by load balancer. */
export interface TlsPart extends Collected {
  readonly wanted: readonly (readonly WantedName[])[];
}

export interface EntryPart extends Collected {
  readonly routes: readonly Route[];
  /** Of default backends and stray Rules, which hide no paths. */
  readonly bindings: readonly RouteBinding[];
  readonly claims: readonly OrderedClaim[];
  readonly closed: readonly KubernetesObject[];
  readonly upstreams: readonly UpstreamPlan[];
  readonly auths: readonly AuthConfig[];
  readonly credentials: readonly CredentialSet[];
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
  const own = contextOf(context, reads);
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
  const own = contextOf(context, reads);
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
  const { auths, credentials, services } = own.auth.collected();
  for (const service of services) own.backends.add(service);
  const { routes, bindings } = own.config.bound;
  const { reports, certificates, uses, served } = collectedFrom(object, own);
  const claims = [...all].flatMap(([balancer, each]) =>
    orderedClaims(each, factsOf(balancer), balancer),
  );
  return {
    object,
    reports,
    certificates,
    uses,
    served,
    routes,
    bindings: kept(bindings),
    claims,
    closed: kept(own.config.closed),
    upstreams: own.backends.collected(),
    auths: kept(auths),
    credentials: kept(credentials),
    isServed,
  };
}

const NOTHING: readonly never[] = [];

/** One empty list for all of the thousands of them. */
function kept<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NOTHING : list;
}

function noTls(): { readonly isWanted: boolean; readonly answers: boolean } {
  return { isWanted: false, answers: false };
}

/** Its labels say which load balancers serve its Ingresses. */
function readNamespace({ metadata: { namespace: name } }: Entry, reads: Set<Key>): void {
  reads.add(objectKey({ kind: "Namespace", namespace: "", name }));
}

function contextOf({ resources, options }: AuthContext, reads: Set<Key>): AuthContext {
  const diagnostics = new DiagnosticSink();
  const context = { resources: listening(resources, reads), options, diagnostics };
  return {
    ...context,
    config: new ConfigBuilder(new ClosedObjects()),
    backends: new Backends(context),
    certificates: new Certificates(context),
    auth: createAuthTranslator(context),
  };
}

function collectedFrom(
  object: Entry,
  { diagnostics, certificates, config }: AuthContext,
): Collected {
  return {
    object,
    reports: kept(diagnostics.reports),
    certificates: kept(certificates.collected()),
    uses: kept(certificates.uses),
    served: kept(config.candidates),
  };
}
