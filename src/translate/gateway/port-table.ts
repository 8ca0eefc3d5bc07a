import { ANY_HOST, hostKey } from "../../ir/host-pattern.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { isServedProtocol } from "./route-kinds.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

/** A listener as far as it can be in another one's way. */
export interface PortUse {
  readonly protocol: string;
  readonly port: number;
  readonly hostname: HostPattern;
}

interface PortOwner {
  readonly protocol: string;
  readonly owner: string;
  /** By host key: whose it is. */
  readonly hosts: Map<string, string>;
}

/** Protocols over TCP, which a port of another such protocol is in the way of. */
const OVER_TCP = ["HTTP", "HTTPS", "TLS", "TCP"];

/** Who has which port and hostname of one set of addresses. */
export class PortTable {
  readonly #ports = new Map<number, PortOwner>();

  /** A port that something else than a Gateway serves for every host. */
  reserve(port: number, tls: boolean, owner: string): void {
    this.#claim({ protocol: tls ? "HTTPS" : "HTTP", port, hostname: ANY_HOST }, owner);
  }

  /**
   * Gives the listeners of one object their ports, as far as no earlier object has them. Of listeners of one object that are in
   * each other's way all lose, so that their order means nothing (Gateway API, Gateway.spec.listeners); one that an earlier object
   * is in the way of is in nobody's way itself.
   */
  claim<T extends PortUse>(listeners: readonly T[], owner: string): ReadonlyMap<T, Refused> {
    const conflicts = new Map<T, Refused>();
    for (const listener of listeners) {
      const conflict = this.#conflict(listener);
      if (conflict !== undefined) conflicts.set(listener, conflict);
    }
    const left = listeners.filter((listener) => !conflicts.has(listener));
    for (const listener of left) {
      const conflict = siblingConflict(listener, left);
      if (conflict !== undefined) conflicts.set(listener, conflict);
      else if (isServedProtocol(listener.protocol)) this.#claim(listener, owner);
    }
    return conflicts;
  }

  #claim({ protocol, port, hostname }: PortUse, owner: string): void {
    const existing = this.#ports.get(port);
    const entry = existing ?? { protocol, owner, hosts: new Map<string, string>() };
    entry.hosts.set(hostKey(hostname), owner);
    this.#ports.set(port, entry);
  }

  #conflict({ protocol, port, hostname }: PortUse): Refused | undefined {
    const existing = this.#ports.get(port);
    if (existing === undefined || !OVER_TCP.includes(protocol)) return undefined;
    if (existing.protocol !== protocol) {
      return protocolConflict(
        port,
        protocol,
        `it belongs to ${existing.owner} for ${existing.protocol}`,
      );
    }
    const owner = existing.hosts.get(hostKey(hostname));
    return owner === undefined
      ? undefined
      : hostnameConflict(port, hostname, `it belongs to ${owner}`);
  }
}

/** Listeners whose protocol is not served are in nobody's way. */
function siblingConflict<T extends PortUse>(
  listener: T,
  siblings: readonly T[],
): Refused | undefined {
  const { protocol, port, hostname } = listener;
  if (!isServedProtocol(protocol)) return undefined;
  const rivals = siblings.filter(
    (other) => other !== listener && other.port === port && isServedProtocol(other.protocol),
  );
  const ofOtherProtocol = rivals.find((other) => other.protocol !== protocol);
  if (ofOtherProtocol !== undefined) {
    const message = `another listener here is for ${ofOtherProtocol.protocol} on it`;
    return protocolConflict(port, protocol, message);
  }
  return rivals.some((other) => hostKey(other.hostname) === hostKey(hostname))
    ? hostnameConflict(port, hostname, "another listener here is for it, too")
    : undefined;
}

function protocolConflict(port: number, protocol: string, why: string): Refused {
  return refused("ProtocolConflict", `port ${String(port)} can't be used for ${protocol}: ${why}`);
}

function hostnameConflict(port: number, hostname: HostPattern, why: string): Refused {
  const host = hostKey(hostname).replace("**.", "*.");
  const what = host === "" ? "every host" : `hostname ${host}`;
  return refused("HostnameConflict", `${what} on port ${String(port)} can't be had: ${why}`);
}
