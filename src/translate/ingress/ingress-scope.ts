import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import type { LoadBalancer } from "../load-balancer.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import type { TlsHosts } from "./ingress-tls.js";
import { translateIngressTls } from "./ingress-tls.js";
import { enableHttpsOf } from "./origin-annotations.js";
import { HostOwners } from "./host-owners.js";
import { IngressBindings } from "./ingress-bindings.js";
import { regexHosts, regexKey } from "./regex-hosts.js";

/** What the Ingresses of one load balancer share. */
export interface IngressScope {
  readonly balancer: LoadBalancer;
  readonly context: BuildContext;
  readonly tlsHosts: TlsHosts;
  /** Keys of hosts whose paths are all patterns, with the Ingresses that make them so. */
  readonly regexHosts: ReadonlyMap<string, readonly Ingress[]>;
  readonly owners: HostOwners;
  readonly bindings: IngressBindings;
  /** Hosts that rules name, as each namespace has them (regexKey). */
  readonly ruleHosts: ReadonlySet<string>;
  /** What `withAliases` found, once for all hosts and paths of an Ingress. */
  readonly aliases: Map<readonly HostPattern[], readonly HostPattern[]>;
}

/** `ingresses` oldest first. */
export function ingressScope(
  ingresses: readonly PreparedIngress[],
  balancer: LoadBalancer,
  context: BuildContext,
): IngressScope {
  const owners = hostOwners(ingresses, balancer, context);
  return {
    balancer,
    context,
    tlsHosts: translateIngressTls(ingresses, balancer.ingress.https, owners, context),
    regexHosts: regexHosts(ingresses),
    owners,
    bindings: new IngressBindings(balancer, context),
    ruleHosts: new Set(
      ingresses.flatMap(({ ingress, hosts }) => hosts.map(({ host }) => regexKey(ingress, host))),
    ),
    aliases: new Map(),
  };
}

/** Rules of the load balancer name hosts, too. */
function hostOwners(
  ingresses: readonly PreparedIngress[],
  { ports }: LoadBalancer,
  { config, resources }: BuildContext,
): HostOwners {
  const owners = new HostOwners();
  const listeners = new Set(ports.map(({ listener }) => listener));
  for (const { host, source } of config.boundHosts(listeners)) {
    if (source.kind !== "Rule") continue;
    const rule = resources.get("Rule", source.namespace, source.name);
    if (rule !== undefined) owners.claim(host, rule);
  }
  for (const { ingress, hosts, aliases } of ingresses) {
    for (const { host } of hosts) owners.claim(host, ingress);
    for (const alias of aliases) owners.claim(alias, ingress);
  }
  return owners;
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
  { ruleHosts, owners, aliases: known }: IngressScope,
): readonly HostPattern[] {
  if (host.kind === "any") return [host];
  const own =
    known.get(aliases) ??
    aliases.filter(
      (alias) =>
        !ruleHosts.has(regexKey(ingress, alias)) &&
        owners.isOwner(ingress.metadata.namespace, alias),
    );
  known.set(aliases, own);
  return [host, ...own];
}
