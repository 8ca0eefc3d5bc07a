import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import type { LoadBalancer } from "../load-balancer.js";
import { AnnotationReader } from "./annotation-reader.js";
import { SERVER_ALIAS } from "./annotations/routing-table.js";
import type { AnnotationLookup } from "./annotation-lookup.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import type { TlsHosts } from "./ingress-tls.js";
import { translateIngressTls } from "./ingress-tls.js";
import { enableHttpsOf } from "./origin-annotations.js";
import { regexHosts } from "./regex-hosts.js";
import { parseHostPattern } from "../hostnames.js";

/** What the Ingresses of one load balancer share. */
export interface IngressScope {
  readonly balancer: LoadBalancer;
  readonly context: BuildContext;
  readonly tlsHosts: TlsHosts;
  /** Keys of hosts whose paths are all patterns, with the Ingresses that make them so. */
  readonly regexHosts: ReadonlyMap<string, readonly Ingress[]>;
  /** Keys of the hosts that rules name. */
  readonly ruleHosts: ReadonlySet<string>;
  /** What `withAliases` found, once for all hosts and paths of an Ingress. */
  readonly aliases: Map<AnnotationLookup, readonly HostPattern[]>;
}

/** `ingresses` oldest first. */
export function ingressScope(
  ingresses: readonly PreparedIngress[],
  balancer: LoadBalancer,
  context: BuildContext,
): IngressScope {
  return {
    balancer,
    context,
    tlsHosts: translateIngressTls(ingresses, balancer.ingress.https, context),
    regexHosts: regexHosts(ingresses),
    ruleHosts: new Set(ingresses.flatMap(({ hosts }) => hosts.map(({ host }) => hostKey(host)))),
    aliases: new Map(),
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

/** The host of a rule, and the further names that server-alias gives it unless a rule has them. */
export function withAliases(
  { lookup }: PreparedIngress,
  host: HostPattern,
  { ruleHosts, aliases: known }: IngressScope,
): readonly HostPattern[] {
  if (host.kind === "any") return [host];
  const aliases = known.get(lookup) ?? aliasesIn(lookup, ruleHosts);
  known.set(lookup, aliases);
  return [host, ...aliases];
}

function aliasesIn(
  lookup: AnnotationLookup,
  ruleHosts: ReadonlySet<string>,
): readonly HostPattern[] {
  return (new AnnotationReader(lookup).get(SERVER_ALIAS) ?? []).flatMap((name) => {
    const pattern = parseHostPattern(name, "one");
    return pattern.ok && !ruleHosts.has(hostKey(pattern.value)) ? [pattern.value] : [];
  });
}
