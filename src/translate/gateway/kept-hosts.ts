import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { Ingress, KubernetesObject } from "../../api/wire.js";
import type { HostPattern } from "../../model/values.js";
import { ANY_HOST, hostKey, hostText } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { BuildContext } from "../context.js";
import type { TranslateContext } from "../context.js";
import { keysAbove, parseHostPattern } from "../hostnames.js";
import type { LoadBalancer } from "../load-balancer.js";
import { serverId } from "../load-balancer.js";
import { nameOf, placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { ListenerState, TranslatedGateway, TranslatedListener } from "./model.js";
import { NamedRoutes } from "./named-routes.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

type Owned = Pick<ListenerState, "gateway" | "parent">;

/** What a listener's claims are as old as: the younger one of its Gateway and its ListenerSet. */
export function claimantOf({ gateway, parent }: Owned): Gateway | ListenerSet {
  return compareAge(gateway, parent) < 0 ? parent : gateway;
}

/** Whether a host of the object stays its own although the listener covers it. */
function keepsHosts(object: KubernetesObject, listener: Owned): boolean {
  const claimant = claimantOf(listener);
  return (
    object.metadata.namespace !== claimant.metadata.namespace && compareAge(object, claimant) < 0
  );
}

/** What names a host: a claimant, or a route. */
interface Naming {
  readonly object: KubernetesObject;
  readonly gateway: Gateway;
}

/** By host key, then by Gateway and namespace: the oldest is enough of those. */
type Namings = Map<string, Map<string, Naming>>;

interface PortNames {
  /** What names the host, and the hosts below it. */
  readonly named: Namings;
  /** By the key of a hostname: what names a host below it, on a listener above it. */
  readonly below: Namings;
  /** Not in these yet: most ports have listeners of one Gateway, which never asks for its own. */
  waiting: ListenerDraft[];
}

const noNames = (): PortNames => ({ named: new Map(), below: new Map(), waiting: [] });

/**
 * Hosts on the ports that Gateways share: a younger listener of another namespace gets none that an Ingress or Rule names, nor one below
 * an older listener's hostname, nor one that an older route on a wider listener names. With the option sharedHosts it gets the latter two.
 */
export class KeptHosts {
  readonly #balancers: readonly LoadBalancer[];
  readonly #routes: NamedRoutes;
  readonly #isShared: boolean;
  readonly #ports = new Map<number, PortNames>();

  constructor(balancers: readonly LoadBalancer[], context: BuildContext) {
    this.#balancers = balancers;
    this.#routes = new NamedRoutes(context);
    this.#isShared = context.options.sharedHosts;
  }

  /** Before the first listener has its port: those that may be in conflict with others. */
  expect(drafts: readonly ListenerDraft[]): void {
    for (const draft of drafts) if (isNamed(draft)) this.#routes.ask(draft.hostname);
  }

  /** A listener has its port: what it and its routes name. */
  add(draft: ListenerDraft): void {
    if (this.#isShared || !isNamed(draft)) return;
    getOrInsert(this.#ports, draft.port, noNames).waiting.push(draft);
  }

  #name({ named, below }: PortNames, draft: ListenerDraft): void {
    const { gateway, hostname } = draft;
    const { namespace, name } = gateway.metadata;
    const whose = `${namespace}/${name} `;
    const own = hostKey(hostname);
    if (own !== "") addTo(named, own, whose, { object: claimantOf(draft), gateway });
    for (const { object, keys } of this.#routes.of(draft)) {
      const naming = { object, gateway };
      for (const key of keys.named) addTo(named, key, whose, naming);
      for (const key of keys.below) addTo(below, key, whose, naming);
    }
  }

  /** Why a listener can't be served; to be asked in the order of claimants' age. */
  conflict(draft: ListenerDraft): Refused | undefined {
    const { port, hostname } = draft;
    if (!isNamed(draft) || hostname.kind === "any") return undefined;
    const owner = this.#ownerOf(draft) ?? this.#namingOf(draft);
    if (owner === undefined) return undefined;
    const message = `hostname ${hostText(hostname)} on port ${String(port)} can't be had: it belongs to ${nameOf(owner)}`;
    return refused("HostnameConflict", message);
  }

  /** Wildcards of Ingresses and Rules are for one label; the listener's wildcard with the same suffix covers them. */
  #ownerOf(draft: ListenerDraft): KubernetesObject | undefined {
    const { port, hostname } = draft;
    const server = serverId(port);
    const host: HostPattern =
      hostname.kind === "wildcard" ? { ...hostname, labels: "one" } : hostname;
    return this.#balancers
      .filter(({ ports }) => ports.some((each) => each.server === server))
      .flatMap(({ owners }) => owners.ownerOfName(host) ?? [])
      .find((owner) => keepsHosts(owner, draft));
  }

  #namingOf(draft: ListenerDraft): KubernetesObject | undefined {
    const { port, hostname, gateway } = draft;
    const known = this.#ports.get(port);
    if (known?.waiting.some((taken) => taken.gateway !== gateway) === true) {
      for (const taken of known.waiting) this.#name(known, taken);
      known.waiting = [];
    }
    const maps = [
      ...keysAbove(hostname, "many").map((key) => known?.named.get(key)),
      known?.below.get(hostKey(hostname)),
    ];
    return maps
      .flatMap((map) => [...(map?.values() ?? [])])
      .find((naming) => naming.gateway !== gateway && keepsHosts(naming.object, draft))?.object;
  }

  /** Gives hosts of Ingresses and Rules that such a listener covers to the next narrower one, or to the Ingresses. */
  keep(listeners: readonly TranslatedListener[], { config }: BuildContext): void {
    const serving = servingByHost(listeners);
    for (const { ports, owners } of this.#balancers) {
      const places = ports.flatMap((port) => owners.names().map((host) => ({ ...port, host })));
      for (const { server, listener, host } of serving.size === 0 ? [] : places) {
        const above = listenersAbove(server, host, serving);
        const [first] = above;
        const object = owners.ownerOfName(host);
        if (first === undefined || object === undefined || !keepsHosts(object, first)) continue;
        const next = above.find((each) => !keepsHosts(object, each));
        config.keepHost(next?.serves?.listener ?? listener, host);
        if (first.tls && next === undefined) config.keepDefaultCertificate(server, host);
      }
    }
  }
}

function isNamed({ protocol }: ListenerDraft): boolean {
  return ["HTTP", "HTTPS", "TLS"].includes(protocol);
}

function addTo(namings: Namings, key: string, whose: string, added: Naming): void {
  const known = getOrInsert(namings, key, () => new Map<string, Naming>());
  const owner = whose + added.object.metadata.namespace;
  const same = known.get(owner);
  if (same === undefined || compareAge(added.object, same.object) < 0) known.set(owner, added);
}

/** Listeners that are served, by server and hostname. */
type ServingListeners = ReadonlyMap<string, TranslatedListener>;

function servingByHost(listeners: readonly TranslatedListener[]): ServingListeners {
  return new Map(
    listeners.flatMap((each) =>
      each.serves ? [[`${each.serves.server} ${hostKey(each.hostname)}`, each] as const] : [],
    ),
  );
}

/** Those that cover a named host, the narrowest first. */
function listenersAbove(
  server: string,
  host: HostPattern,
  serving: ServingListeners,
): readonly TranslatedListener[] {
  const keys = [...keysAbove(host, "many"), hostKey(ANY_HOST)];
  return keys.flatMap((key) => serving.get(`${server} ${key}`) ?? []);
}

/** Hosts belong to one listener: says of hosts of Ingresses that a Gateway's listener on the same port takes them. */
export function reportShadowedIngresses(
  gateways: readonly TranslatedGateway[],
  balancers: readonly LoadBalancer[],
  { resources, diagnostics, options }: TranslateContext,
): void {
  const serving = servingByHost(gateways.flatMap((gateway) => gateway.listeners));
  for (const { alb, ingress: entry, owners } of balancers) {
    const servers =
      alb === undefined
        ? [options.httpPort, options.httpsPort].map(serverId)
        : [entry.http, entry.https].flatMap((port) => port?.server ?? []);
    if (serving.size === 0) continue;
    const rivalOf = (host: HostPattern): TranslatedListener | undefined => {
      const rivals = servers.flatMap((server) => listenersAbove(server, host, serving));
      const owner = owners.ownerOfName(host);
      return rivals.find((rival) => owner === undefined || !keepsHosts(owner, rival));
    };
    for (const ingress of resources.list("Ingress").filter(entry.selects)) {
      reportIngress(ingress, rivalOf, diagnostics);
    }
  }
}

function reportIngress(
  ingress: Ingress,
  rivalOf: (host: HostPattern) => TranslatedListener | undefined,
  diagnostics: TranslateContext["diagnostics"],
): void {
  for (const [index, { host }] of (ingress.spec?.rules ?? []).entries()) {
    const pattern = parseHostPattern(host, "one");
    const rival = pattern.ok ? rivalOf(pattern.value) : undefined;
    if (rival === undefined) continue;
    const message = `${host ?? "every host"} on port ${String(rival.port)} belongs to listener ${rival.name} of ${nameOf(rival.parent)}`;
    const place = placeOf(ingress, "spec", "rules", index, "host");
    diagnostics.report({ code: "INGRESS_HOST_TAKEN", message, ...place });
  }
}
