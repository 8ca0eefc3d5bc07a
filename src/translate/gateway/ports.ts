/** Ports of Gateways: which ones they ask for, and which listener gets each port and hostname. */
import type { Gateway } from "../../api/gateway.js";
import type { CompileOptions } from "../../model/options.js";
import { ANY_HOST, type HostPattern, hostKey, hostText } from "../../model/values.js";
import { own } from "../../support/json-object.js";
import { type GatewayPort, type LoadBalancer, allPorts, protocolOf } from "../load-balancer.js";
import { nameOf } from "../place.js";
import { compareAge } from "../precedence.js";
import type { AddressedGateway } from "./addresses.js";
import { type KeptHosts, OWN_ADDRESS, claimantOf } from "./kept-hosts.js";
import type { WrittenListener } from "./model.js";
import { type Refused, refused } from "./verdict.js";
import { type WrittenGateway, isServedProtocol, listenersOf } from "./written-gateways.js";

/** The ports that Gateways ask for, including those with addresses of their own. */
export function portsOfGateways(
  gateways: readonly WrittenGateway[],
  options: CompileOptions,
): readonly GatewayPort[] {
  return gateways
    .filter(({ written }) => written.ok)
    .flatMap((gateway) =>
      listenersOf(gateway).flatMap((listener) => {
        if ((listener.parent.closed ?? listener.gateway.closed) !== undefined) return [];
        const { protocol, port, hostname = "" } = listener.spec;
        if (protocol === "UDP" || !isServedProtocol(protocol, options)) return [];
        return {
          port,
          protocol,
          claimant: claimantOf(listener),
          isShared: gateway.pool.length === 0,
          isForEveryHost: hostname === "",
        };
      }),
    );
}

/**
 * Gives listeners their ports and returns the listeners in conflict. Older Gateways and ListenerSets come first: a young ListenerSet of an
 * old Gateway takes nothing from other Gateways. A ListenerSet always comes after its own Gateway (GEP-1713). A Gateway that is
 * not accepted, or has no address, takes no ports.
 */
export function claimPorts(
  gateways: readonly AddressedGateway[],
  balancers: readonly LoadBalancer[],
  kept: KeptHosts,
  options: CompileOptions,
): ReadonlyMap<WrittenListener, Refused> {
  const shared = sharedPorts(balancers, options);
  const claims = gateways
    .filter(({ assignment }) => assignment.isServed)
    .flatMap(({ gateway, pool, own: listeners, sets }) => {
      const isShared = pool.length === 0;
      const ports = isShared ? shared : new PortTable(options);
      const parents = [
        { parent: gateway, listeners },
        ...sets.map((set) => ({ parent: set.listenerSet, listeners: set.listeners })),
      ];
      return parents.map((each) => ({
        ...{ ...each, gateway, ports, isShared },
        claimant: claimantOf({ gateway, parent: each.parent }),
      }));
    });
  for (const { listeners, isShared } of claims) if (isShared) kept.expect(listeners);
  const conflicts = new Map<WrittenListener, Refused>();
  // Closed objects take nothing from others.
  const isClosed = ({ parent, claimant }: (typeof claims)[number]): number =>
    (parent.closed ?? claimant.closed) === undefined ? 0 : 1;
  const byAge = claims.sort(
    (a, b) => isClosed(a) - isClosed(b) || compareAge(a.claimant, b.claimant),
  );
  for (const { parent, gateway, listeners, ports, isShared } of byAge) {
    for (const listener of isShared ? listeners : []) {
      const conflict = kept.conflict(listener);
      if (conflict !== undefined) conflicts.set(listener, conflict);
    }
    const open = listeners.filter((listener) => !conflicts.has(listener));
    for (const [listener, conflict] of ports.claim(open, { name: nameOf(parent), gateway })) {
      conflicts.set(listener, conflict);
    }
    for (const listener of isShared ? open : []) if (!conflicts.has(listener)) kept.add(listener);
  }
  return conflicts;
}

/** Gateways without addresses of their own share ports with ALB2s and the options httpPort and httpsPort. */
function sharedPorts(balancers: readonly LoadBalancer[], options: CompileOptions): PortTable {
  const ports = new PortTable(options);
  for (const balancer of balancers) {
    for (const each of allPorts(balancer)) {
      const owner = each.frontend ?? balancer.alb;
      const name =
        owner === undefined ? "the Ingresses (options httpPort, httpsPort)" : nameOf(owner);
      ports.reserve({ protocol: protocolOf(each), port: each.port }, ANY_HOST, { name });
    }
  }
  return ports;
}

/**
 * What a port can serve, by protocol; different uses conflict. The server name of a handshake tells HTTPS and TLS apart. A protocol that
 * is not listed conflicts with nothing.
 */
const USES: Readonly<Record<string, string | undefined>> = {
  HTTP: "http",
  HTTPS: "tls",
  TLS: "tls",
  TCP: "tcp",
  UDP: "udp",
};

type ListenerPort = Pick<WrittenListener["spec"], "protocol" | "port">;

interface Owner {
  readonly name: string;
  /** The Gateway that it is, or belongs to. */
  readonly gateway?: Gateway;
}

/** Which object has which port and hostname on one set of addresses. */
class PortTable {
  readonly #ports = new Map<
    string,
    {
      readonly protocol: string;
      readonly owner: Owner;
      /** Owners by host key. */
      readonly hosts: Map<string, Owner>;
    }
  >();
  readonly #options: CompileOptions;

  constructor(options: CompileOptions) {
    this.#options = options;
  }

  reserve({ protocol, port }: ListenerPort, hostname: HostPattern, owner: Owner): void {
    const key = portKey({ protocol, port });
    const entry = this.#ports.get(key) ?? { protocol, owner, hosts: new Map<string, Owner>() };
    entry.hosts.set(hostKey(hostname), owner);
    this.#ports.set(key, entry);
  }

  /**
   * Reserves the ports of one object's listeners that no earlier object has, and returns the listeners in conflict. If listeners of one
   * object conflict, all of them lose, so their order means nothing (Gateway API, Gateway.spec.listeners). A listener that loses to an
   * earlier object conflicts with no other one.
   */
  claim(
    listeners: readonly WrittenListener[],
    owner: Owner,
  ): ReadonlyMap<WrittenListener, Refused> {
    const conflicts = new Map<WrittenListener, Refused>();
    for (const listener of listeners) {
      const conflict = this.#conflict(listener, owner);
      if (conflict !== undefined) conflicts.set(listener, conflict);
    }
    const left = listeners.filter((listener) => !conflicts.has(listener));
    for (const listener of left) {
      const conflict = this.#siblingConflict(listener, left);
      if (conflict !== undefined) conflicts.set(listener, conflict);
      else if (this.#isServed(listener)) this.reserve(listener.spec, listener.hostname, owner);
    }
    return conflicts;
  }

  #conflict({ spec, hostname }: WrittenListener, claimant: Owner): Refused | undefined {
    const existing = this.#ports.get(portKey(spec));
    const use = own(USES, spec.protocol);
    if (existing === undefined || use === undefined) return undefined;
    if (own(USES, existing.protocol) !== use) {
      return protocolConflict(
        spec,
        belongsTo(existing.owner, claimant, ` for ${existing.protocol}`),
      );
    }
    const owner = existing.hosts.get(hostKey(hostname));
    return owner === undefined
      ? undefined
      : hostnameConflict(spec, hostname, belongsTo(owner, claimant));
  }

  /** Listeners whose protocol is not served conflict with nothing. */
  #siblingConflict(
    listener: WrittenListener,
    siblings: readonly WrittenListener[],
  ): Refused | undefined {
    const { spec, hostname } = listener;
    if (!this.#isServed(listener)) return undefined;
    const rivals = siblings.filter(
      (other) =>
        other !== listener && portKey(other.spec) === portKey(spec) && this.#isServed(other),
    );
    const use = own(USES, spec.protocol);
    const ofOtherUse = rivals.find((other) => own(USES, other.spec.protocol) !== use);
    if (ofOtherUse !== undefined) {
      return protocolConflict(
        spec,
        `another listener here is for ${ofOtherUse.spec.protocol} on it`,
      );
    }
    return rivals.some((other) => hostKey(other.hostname) === hostKey(hostname))
      ? hostnameConflict(spec, hostname, "another listener here is for it, too")
      : undefined;
  }

  #isServed({ spec }: WrittenListener): boolean {
    return isServedProtocol(spec.protocol, this.#options);
  }
}

/** TCP and UDP have ports of their own. */
function portKey({ protocol, port }: ListenerPort): string {
  return `${String(port)}/${protocol === "UDP" ? "udp" : "tcp"}`;
}

function protocolConflict({ port, protocol }: ListenerPort, why: string): Refused {
  return refused("ProtocolConflict", `port ${String(port)} can't be used for ${protocol}: ${why}`);
}

/** Only ports of the shared addresses have owners that are not of the claimant's Gateway. */
function belongsTo({ name, gateway }: Owner, claimant: Owner, use = ""): string {
  const advice = gateway === claimant.gateway ? "" : `; ${OWN_ADDRESS}`;
  return `it belongs to ${name}${use}${advice}`;
}

function hostnameConflict(
  { protocol, port }: ListenerPort,
  hostname: HostPattern,
  why: string,
): Refused {
  const host = hostText(hostname);
  const isNamed = protocol !== "TCP" && protocol !== "UDP";
  const what = isNamed ? `${host === "" ? "every host" : `hostname ${host}`} on ` : "";
  const transport = isNamed ? "" : ` of ${protocol}`;
  const message = `${what}port ${String(port)}${transport} can't be had: ${why}`;
  return refused("HostnameConflict", message);
}
