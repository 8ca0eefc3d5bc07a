import type { KubernetesObject } from "../../api/wire.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import { parseDslx } from "../alb/dslx.js";
import { albNameOf } from "../alb/labels.js";
import type { BuildContext } from "../build-context.js";
import type { TranslateContext } from "../context.js";
import type { EntryPort } from "../entry-port.js";
import { serverId } from "../entry-port.js";
import { parseHostPattern } from "../hostnames.js";
import type { LoadBalancer } from "../load-balancer.js";
import { compareAge } from "../precedence.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { TranslatedListener } from "./translated.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

/** Whether a host of the object stays its own although a listener of the Gateway or ListenerSet covers it. */
export function keepsHosts(object: KubernetesObject, parent: KubernetesObject): boolean {
  return object.metadata.namespace !== parent.metadata.namespace && compareAge(object, parent) < 0;
}

interface Named {
  readonly host: HostPattern;
  readonly object: KubernetesObject;
  readonly listener: string;
}

/**
 * Hosts that Ingresses and Rules name, on the ports that Gateways share with them: a younger listener of another namespace does not
 * get them.
 */
export class KeptHosts {
  /** By server, then by host key: the oldest object that names it. */
  readonly #named = new Map<string, Map<string, Named>>();

  constructor(balancers: readonly LoadBalancer[], context: TranslateContext) {
    for (const balancer of balancers) {
      this.#addIngresses(balancer, context);
      this.#addRules(balancer, context);
    }
  }

  #addIngresses({ ingress }: LoadBalancer, { resources }: TranslateContext): void {
    const ports = [ingress.http, ingress.https].flatMap((port) => port ?? []);
    for (const object of resources.list("Ingress").filter(ingress.selects)) {
      for (const { host } of object.spec?.rules ?? []) {
        const pattern = parseHostPattern(host, "one");
        if (pattern.ok) this.#add(pattern.value, object, ports);
      }
    }
  }

  #addRules({ alb, ports }: LoadBalancer, { resources, options }: TranslateContext): void {
    const { name, namespace } = alb?.metadata ?? {};
    for (const rule of name === undefined ? [] : resources.list("Rule")) {
      const isOwn = rule.metadata.namespace === namespace;
      if (!isOwn || albNameOf(rule, options.domains) !== name) continue;
      const { match } = parseDslx(rule.spec.dslx ?? []);
      for (const host of match?.hosts ?? []) this.#add(host, rule, ports);
    }
  }

  #add(host: HostPattern, object: KubernetesObject, ports: readonly EntryPort[]): void {
    if (host.kind === "any") return;
    const key = hostKey(host);
    for (const { server, listener } of ports) {
      const hosts = this.#named.get(server) ?? new Map<string, Named>();
      const known = hosts.get(key);
      if (known === undefined || compareAge(object, known.object) < 0) {
        this.#named.set(server, hosts.set(key, { host, object, listener }));
      }
    }
  }

  /** Why a listener for one name can't be served. */
  conflict({ protocol, port, hostname, parent }: ListenerDraft): Refused | undefined {
    const isNamed = ["HTTP", "HTTPS", "TLS"].includes(protocol);
    const named = this.#named.get(serverId(port))?.get(hostKey(hostname));
    if (!isNamed || named === undefined || !keepsHosts(named.object, parent)) return undefined;
    const { kind, metadata } = named.object;
    const message = `hostname ${hostKey(hostname)} on port ${String(port)} can't be had: it belongs to ${kind} ${metadata.namespace}/${metadata.name}`;
    return refused("HostnameConflict", message);
  }

  /** Gives the hosts that such a listener covers to the next narrower one, or to the Ingresses. */
  keep(listeners: readonly TranslatedListener[], { config }: BuildContext): void {
    const serving = new Map<string, TranslatedListener>();
    for (const each of listeners) {
      if (each.serves) serving.set(`${each.serves.server} ${hostKey(each.hostname)}`, each);
    }
    for (const [server, named] of this.#named) {
      for (const { host, object, listener } of named.values()) {
        const above = keysAbove(host).flatMap((key) => serving.get(`${server} ${key}`) ?? []);
        const [first] = above;
        if (first === undefined || !keepsHosts(object, first.parent)) continue;
        const next = above.find(({ parent }) => !keepsHosts(object, parent));
        config.keepHost(next?.serves?.listener ?? listener, host);
        if (first.tls && next === undefined) config.keepDefaultCertificate(server, host);
      }
    }
  }
}

/** Keys of listeners that cover a host, the narrowest first. */
function keysAbove(host: HostPattern): readonly string[] {
  if (host.kind === "any") return [];
  const labels = (host.kind === "exact" ? host.host : host.suffix).split(".");
  const first = host.kind === "exact" ? 1 : 0;
  const wildcards = labels.slice(first).map((_, at) => `**.${labels.slice(first + at).join(".")}`);
  return [hostKey(host), ...wildcards];
}
