import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { KubernetesObject } from "../../api/wire.js";
import { ANY_HOST, type HostPattern, hostKey, hostText } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { BuildContext } from "../config-builder.js";
import type { TranslateContext } from "../context.js";
import { keysAbove, parseHostPattern } from "../hostnames.js";
import { type LoadBalancer, serverId } from "../load-balancer.js";
import { nameOf, placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import type {
  ListenerState,
  TranslatedGateway,
  TranslatedListener,
  WrittenListener,
} from "./model.js";
import { NamedRoutes } from "./named-routes.js";
import { type Refused, refused } from "./verdict.js";

/** The object whose age is the age of a listener's claims: the younger one of its Gateway and its ListenerSet. */
export function claimantOf({
  gateway,
  parent,
}: Pick<ListenerState, "gateway" | "parent">): Gateway | ListenerSet {
  return compareAge(gateway, parent) < 0 ? parent : gateway;
}

/** Whether the object keeps its hosts although the listener covers them. */
function keepsHosts(object: KubernetesObject, listener: WrittenListener): boolean {
  const claimant = claimantOf(listener);
  return (
    object.metadata.namespace !== claimant.metadata.namespace && compareAge(object, claimant) < 0
  );
}

/**
 * Claimants and routes that name a host, and the Gateway where they do: by host key, then by Gateway and namespace. The oldest object is
 * enough for each of these.
 */
type Namings = Map<
  string,
  Map<string, { readonly object: KubernetesObject; readonly gateway: Gateway }>
>;

interface PortNames {
  /** Objects that name the host itself. */
  readonly named: Namings;
  /** By the key of a hostname: objects that name a host below it on a listener above it. */
  readonly below: Namings;
  /** Listeners that are not in these maps yet. Most ports have listeners of one Gateway, which never needs the maps. */
  waiting: WrittenListener[];
}

/** How to have what another object has on the addresses that Gateways share. */
export const OWN_ADDRESS =
  "with addresses in the option gatewayAddresses, each Gateway has one of its own";

/**
 * Hosts on the ports that Gateways share. A younger listener of another namespace gets no host that an Ingress or Rule names, none below
 * an older listener's hostname, and none that an older route on a wider listener names. With the option sharedHosts only the first of
 * these rules holds.
 */
export class KeptHosts {
  readonly #balancers: readonly LoadBalancer[];
  readonly #routes: NamedRoutes;
  readonly #isShared: boolean;
  readonly #ports = new Map<number, PortNames>();

  constructor(balancers: readonly LoadBalancer[], context: TranslateContext) {
    this.#balancers = balancers;
    this.#routes = new NamedRoutes(context);
    this.#isShared = context.options.sharedHosts;
  }

  /** Announces listeners that may conflict with others; to be called for all of them before `add`. */
  expect(listeners: readonly WrittenListener[]): void {
    for (const listener of listeners) if (isNamed(listener)) this.#routes.ask(listener.hostname);
  }

  /** Adds the hosts that a listener and its routes name, once the listener has its port. */
  add(listener: WrittenListener): void {
    if (this.#isShared || !isNamed(listener)) return;
    const none = (): PortNames => ({ named: new Map(), below: new Map(), waiting: [] });
    getOrInsert(this.#ports, listener.port, none).waiting.push(listener);
  }

  #name({ named, below }: PortNames, listener: WrittenListener): void {
    const { gateway, hostname } = listener;
    const { namespace, name } = gateway.metadata;
    const whose = `${namespace}/${name} `;
    const own = hostKey(hostname);
    if (own !== "") addTo(named, own, whose, { object: claimantOf(listener), gateway });
    for (const { object, keys } of this.#routes.of(listener)) {
      const naming = { object, gateway };
      for (const key of keys.named) addTo(named, key, whose, naming);
      for (const key of keys.below) addTo(below, key, whose, naming);
    }
  }

  /** Why a listener can't be served; to be called in the order of the claimants' age. */
  conflict(listener: WrittenListener): Refused | undefined {
    const { port, hostname } = listener;
    if (!isNamed(listener) || hostname.kind === "any") return undefined;
    const owner = this.#ownerOf(listener) ?? this.#namingOf(listener);
    if (owner === undefined) return undefined;
    const message = `hostname ${hostText(hostname)} on port ${String(port)} can't be had: it belongs to ${nameOf(owner)}; ${OWN_ADDRESS}`;
    return refused("HostnameConflict", message);
  }

  /** Ingresses and Rules have wildcards for one label; the listener's wildcard with the same suffix covers them. */
  #ownerOf(listener: WrittenListener): KubernetesObject | undefined {
    const { port, hostname } = listener;
    const server = serverId(port);
    const host: HostPattern =
      hostname.kind === "wildcard" ? { ...hostname, labels: "one" } : hostname;
    return this.#balancers
      .filter(({ ports }) => ports.some((each) => each.server === server))
      .flatMap(({ owners }) => owners.ownerOfName(host) ?? [])
      .find((owner) => keepsHosts(owner, listener));
  }

  #namingOf(listener: WrittenListener): KubernetesObject | undefined {
    const { port, hostname, gateway } = listener;
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
      .find((naming) => naming.gateway !== gateway && keepsHosts(naming.object, listener))?.object;
  }

  /** Gives hosts that Ingresses and Rules keep to the next wider listener that may have them, or else to the Ingresses. */
  keep(listeners: readonly TranslatedListener[], { config }: BuildContext): void {
    const serving = servingByHost(listeners);
    const servers = serversOf(listeners);
    for (const { ports, owners } of this.#balancers) {
      const shared = ports.filter(({ server }) => servers.has(server));
      const places = shared.flatMap((port) => owners.names().map((host) => ({ ...port, host })));
      for (const { server, listener, host } of places) {
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

function isNamed({ spec }: WrittenListener): boolean {
  return ["HTTP", "HTTPS", "TLS"].includes(spec.protocol);
}

function addTo(
  namings: Namings,
  key: string,
  whose: string,
  added: { readonly object: KubernetesObject; readonly gateway: Gateway },
): void {
  const known = getOrInsert(namings, key, () => new Map());
  const owner = whose + added.object.metadata.namespace;
  const same = known.get(owner);
  if (same === undefined || compareAge(added.object, same.object) < 0) known.set(owner, added);
}

/** Served listeners by server and hostname. */
function servingByHost(
  listeners: readonly TranslatedListener[],
): ReadonlyMap<string, TranslatedListener> {
  return new Map(
    listeners.flatMap((each) =>
      each.serves ? [[`${each.serves.server} ${hostKey(each.hostname)}`, each] as const] : [],
    ),
  );
}

function serversOf(listeners: readonly TranslatedListener[]): ReadonlySet<string> {
  return new Set(listeners.flatMap(({ serves }) => serves?.server ?? []));
}

/** The listeners that cover a named host, the narrowest first. */
function listenersAbove(
  server: string,
  host: HostPattern,
  serving: ReadonlyMap<string, TranslatedListener>,
): readonly TranslatedListener[] {
  const keys = [...keysAbove(host, "many"), hostKey(ANY_HOST)];
  return keys.flatMap((key) => serving.get(`${server} ${key}`) ?? []);
}

/** Reports hosts of Ingresses that belong to a Gateway's listener on the same port. */
export function reportShadowedIngresses(
  gateways: readonly TranslatedGateway[],
  balancers: readonly LoadBalancer[],
  { resources, diagnostics, options }: TranslateContext,
): void {
  const listeners = gateways.flatMap((gateway) => gateway.listeners);
  const serving = servingByHost(listeners);
  const taken = serversOf(listeners);
  for (const { alb, ingress: entry, owners } of balancers) {
    const servers =
      alb === undefined
        ? [options.httpPort, options.httpsPort].map((port) => serverId(port))
        : [entry.http, entry.https].flatMap((port) => port?.server ?? []);
    const shared = servers.filter((server) => taken.has(server));
    if (shared.length === 0) continue;
    const rivalOf = (host: HostPattern): TranslatedListener | undefined => {
      const rivals = shared.flatMap((server) => listenersAbove(server, host, serving));
      const owner = owners.ownerOfName(host);
      return rivals.find((rival) => owner === undefined || !keepsHosts(owner, rival));
    };
    const rules = resources
      .list("Ingress")
      .filter(entry.selects)
      .flatMap((ingress) =>
        (ingress.spec?.rules ?? []).map(({ host }, index) => ({ ingress, host, index })),
      );
    for (const { ingress, host, index } of rules) {
      const pattern = parseHostPattern(host, "one");
      const rival = pattern.ok ? rivalOf(pattern.value) : undefined;
      if (rival === undefined) continue;
      const message = `${host ?? "every host"} on port ${String(rival.port)} belongs to listener ${rival.name} of ${nameOf(rival.parent)}`;
      const place = placeOf(ingress, "spec", "rules", index, "host");
      diagnostics.report({ code: "INGRESS_HOST_TAKEN", message, ...place });
    }
  }
}
