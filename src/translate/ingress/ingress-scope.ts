import type { Ingress } from "../../api/wire.js";
import type { Report } from "../../diagnostics/sink.js";
import type { HostPattern } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { HostOwners } from "../host-owners.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import type { Place } from "../place.js";
import type { PathClaim } from "../shadowed-paths.js";
import type { PathIndex } from "./annotations/annotation-key.js";
import type { AnnotationLookup, Closer } from "./annotations/annotation-reader.js";
import { enableHttpsOf } from "./annotations/origin.js";
import type { HostLocation } from "./snippets/snippets.js";
import type { TlsHosts } from "./tls-hosts.js";

/** An Ingress with its hosts, paths and annotations taken apart, once for all steps. */
export interface PreparedIngress {
  readonly ingress: Ingress;
  /** The hosts of its rules; those of rules without http too, since defaultBackend serves them. */
  readonly hosts: readonly { readonly rule: number; readonly host: HostPattern }[];
  readonly paths: readonly IngressPath[];
  /** Keys of the hosts of which it makes all paths patterns. */
  readonly patternHosts: ReadonlySet<string>;
  /** What server-alias names, of an Ingress whose rules name hosts. */
  readonly aliases: readonly HostPattern[];
  /** Annotations as they hold for the whole Ingress. */
  readonly lookup: AnnotationLookup;
  /** Problems of its annotations. */
  readonly reports: readonly Report[];
  /** What closes the Ingress's default backend. */
  readonly closedBy: readonly Closer[];
  /** What keeps the whole Ingress from being done as written. */
  readonly invalid: string | undefined;
}

/** One path of one rule. */
export interface IngressPath {
  readonly index: PathIndex;
  readonly host: HostPattern;
  readonly path: string;
  readonly pathType: string;
  /** It is a location of a snippet; closed if it has no settings. */
  readonly location?: Pick<HostLocation, "match"> & Partial<HostLocation>;
  readonly backend: NonNullable<NonNullable<Ingress["spec"]>["defaultBackend"]>;
  readonly lookup: AnnotationLookup;
  /** What closes the path. */
  readonly closedBy: readonly Closer[];
  /** What keeps the path from being done as written. */
  readonly invalid: string | undefined;
  readonly place: Place;
}

/** What an Ingress is translated with for one load balancer. */
export interface IngressScope {
  readonly balancer: LoadBalancer;
  readonly context: AuthContext;
  /** What the namespace of the Ingress knows of a host. */
  readonly factsOf: ReturnType<HostOwners["factsFor"]>;
  /** Whether an Ingress wants TLS for a host. */
  readonly isTls: ReturnType<TlsHosts["reader"]>;
  /** What is to be bound. */
  readonly claims: PathClaim[];
  /** Of `withAliases`, by list of aliases. A WeakMap would keep the scope of every Ingress until a full garbage collection. */
  readonly names: Map<readonly HostPattern[], (host: HostPattern) => readonly HostPattern[]>;
}

/**
 * The ports that serve a host of an Ingress. HTTP and HTTPS both do, as in ingress-nginx; an ALB2 with a defaultSSLStrategy serves
 * hosts without TLS where the strategy and the annotation enable-https say.
 */
export function portsFor(
  { ingress }: PreparedIngress,
  host: HostPattern,
  { balancer, context, isTls }: IngressScope,
): readonly EntryPort[] {
  const { http, https, sslStrategy = "Both" } = balancer.ingress;
  const onlyHttp = http === undefined ? [] : [http];
  const onlyHttps = https === undefined ? [] : [https];
  const both = [...onlyHttp, ...onlyHttps];
  if (isTls(host)) return both;
  const enabled = enableHttpsOf(ingress, context.options.domains);
  switch (sslStrategy) {
    case "Always":
      return enabled === false ? onlyHttp : onlyHttps;
    case "Request":
      return enabled === true ? onlyHttps : onlyHttp;
    case "Never":
      return onlyHttp;
    case "Both":
      return enabled === false ? onlyHttp : both;
  }
}

/**
 * The host of a rule, and the further names that server-alias gives it: those that no rule of the namespace has, and of which no
 * older object of another namespace has one. The same list for each path of a host.
 */
export function withAliases(
  { aliases, ingress }: PreparedIngress,
  host: HostPattern,
  { factsOf, names }: IngressScope,
): readonly HostPattern[] {
  if (host.kind === "any") return [host];
  return getOrInsert(names, aliases, () => {
    const own = aliases.filter((alias) => {
      const { isOwned, isRuled } = factsOf(alias);
      // A refused Ingress owns nothing: its paths come after those of other namespaces.
      return (isOwned || ingress.closed !== undefined) && !isRuled;
    });
    const lists = new Map<HostPattern, readonly HostPattern[]>();
    return (each) => getOrInsert(lists, each, () => [each, ...own]);
  })(host);
}
