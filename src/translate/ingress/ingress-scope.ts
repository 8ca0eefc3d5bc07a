import type { Ingress } from "../../api/wire.js";
import type { HostPattern } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { translateIngressTls } from "./ingress-tls.js";
import { enableHttpsOf } from "./origin-annotations.js";
import { regexHosts, regexKey } from "./regex-hosts.js";
import type { TlsHosts } from "./tls-hosts.js";

/** What the Ingresses of one load balancer share. */
export interface IngressScope {
  readonly balancer: LoadBalancer;
  readonly context: AuthContext;
  readonly tlsHosts: TlsHosts;
  /** Keys of hosts whose paths are all patterns, with the Ingresses that make them so. */
  readonly regexHosts: ReadonlyMap<string, readonly Ingress[]>;
  /** Hosts that rules name, as each namespace has them (regexKey). */
  readonly ruleHosts: ReadonlySet<string>;
  /** What `withAliases` found, once for all hosts and paths of an Ingress. */
  readonly aliases: Map<readonly HostPattern[], readonly HostPattern[]>;
  readonly names: Map<readonly HostPattern[], Map<HostPattern, readonly HostPattern[]>>;
}

/** `ingresses` oldest first. */
export function ingressScope(
  ingresses: readonly PreparedIngress[],
  balancer: LoadBalancer,
  context: AuthContext,
): IngressScope {
  return {
    balancer,
    context,
    tlsHosts: translateIngressTls(ingresses, balancer, context),
    regexHosts: regexHosts(ingresses),
    ruleHosts: new Set(
      ingresses.flatMap(({ ingress, hosts }) => hosts.map(({ host }) => regexKey(ingress, host))),
    ),
    aliases: new Map(),
    names: new Map(),
  };
}

/**
 * The ports that serve a host of an Ingress. HTTP and HTTPS both do, as in ingress-nginx; an ALB2 with a defaultSSLStrategy serves
 * hosts without TLS where the strategy and the annotation enable-https say.
 */
export function portsFor(
  { ingress }: PreparedIngress,
  host: HostPattern,
  { balancer, context, tlsHosts }: IngressScope,
): readonly EntryPort[] {
  const { http, https, sslStrategy } = balancer.ingress;
  const both = [http, https].flatMap((port) => port ?? []);
  if (tlsHosts.has(host)) return both;
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
  { ingress, aliases }: PreparedIngress,
  host: HostPattern,
  { ruleHosts, balancer: { owners }, aliases: known, names }: IngressScope,
): readonly HostPattern[] {
  if (host.kind === "any") return [host];
  const own = getOrInsert(known, aliases, () =>
    aliases.filter(
      (alias) =>
        !ruleHosts.has(regexKey(ingress, alias)) &&
        owners.isOwner(ingress.metadata.namespace, alias),
    ),
  );
  return getOrInsert(
    getOrInsert(names, own, () => new Map()),
    host,
    () => [host, ...own],
  );
}
