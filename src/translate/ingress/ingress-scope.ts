import type { HostPattern } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { HostOwners } from "../host-owners.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import type { PathClaim } from "../shadowed-paths.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { enableHttpsOf } from "./origin-annotations.js";
import type { TlsHosts } from "./tls-hosts.js";

/** What an Ingress is translated with for one load balancer. */
export interface IngressScope {
  readonly balancer: LoadBalancer;
  readonly context: AuthContext;
  /** What the namespace of the Ingress knows of a host. */
  readonly factsOf: ReturnType<HostOwners["factsFor"]>;
  readonly tlsOf: ReturnType<TlsHosts["reader"]>;
  /** What is to be bound. */
  readonly claims: PathClaim[];
  /** What `withAliases` found, once for all hosts and paths of an Ingress. */
  readonly aliases: Map<readonly HostPattern[], readonly HostPattern[]>;
  readonly names: Map<readonly HostPattern[], Map<HostPattern, readonly HostPattern[]>>;
}

/**
 * The ports that serve a host of an Ingress. HTTP and HTTPS both do, as in ingress-nginx; an ALB2 with a defaultSSLStrategy serves
 * hosts without TLS where the strategy and the annotation enable-https say.
 */
export function portsFor(
  { ingress }: PreparedIngress,
  host: HostPattern,
  { balancer, context, tlsOf }: IngressScope,
): readonly EntryPort[] {
  const { http, https, sslStrategy } = balancer.ingress;
  const both = [http, https].flatMap((port) => port ?? []);
  if (tlsOf(host).isWanted) return both;
  const enabled = enableHttpsOf(ingress, context.options.domains);
  const isAllowed = enabled !== false;
  const onlyHttp = http === undefined ? [] : [http];
  const onlyHttps = https === undefined ? [] : [https];
  switch (sslStrategy ?? "Both") {
    case "Always":
      return isAllowed ? onlyHttps : onlyHttp;
    case "Request":
      return enabled === true ? onlyHttps : onlyHttp;
    case "Never":
      return onlyHttp;
    case "Both":
      return isAllowed ? both : onlyHttp;
  }
}

/**
 * The host of a rule, and the further names that server-alias gives it: those that no rule of the namespace has, and of which no
 * older object of another namespace has one.
 */
export function withAliases(
  { aliases }: PreparedIngress,
  host: HostPattern,
  { factsOf, aliases: known, names }: IngressScope,
): readonly HostPattern[] {
  if (host.kind === "any") return [host];
  const own = getOrInsert(known, aliases, () =>
    aliases.filter((alias) => factsOf(alias).isOwned && !factsOf(alias).isRuled),
  );
  return getOrInsert(
    getOrInsert(names, own, () => new Map()),
    host,
    () => [host, ...own],
  );
}
