import { ANY_HOST, hostKey, hostText } from "../../model/values.js";
import type { HostPattern } from "../../model/values.js";
import type { CompileOptions } from "../../model/options.js";
import { isServedProtocol } from "./route-kinds.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";
import { own } from "../../support/json-object.js";

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

/**
 * What a port can be for, by protocol: others are in each other's way. The server name of a handshake tells HTTPS and TLS apart; ports of
 * UDP are others than those of TCP. A protocol that is not here is in nobody's way.
 */
const USES: Readonly<Record<string, string | undefined>> = {
  HTTP: "http",
  HTTPS: "tls",
  TLS: "tls",
  TCP: "tcp",
  UDP: "udp",
};

/** Who has which port and hostname of one set of addresses. */
export class PortTable {
  readonly #ports = new Map<string, PortOwner>();
  readonly #options: Pick<CompileOptions, "stream">;

  constructor(options: Pick<CompileOptions, "stream">) {
    this.#options = options;
  }

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
      const conflict = this.#siblingConflict(listener, left);
      if (conflict !== undefined) conflicts.set(listener, conflict);
      else if (this.#isServed(listener)) this.#claim(listener, owner);
    }
    return conflicts;
  }

  #claim({ protocol, port, hostname }: PortUse, owner: string): void {
    const key = portKey({ protocol, port });
    const existing = this.#ports.get(key);
    const entry = existing ?? { protocol, owner, hosts: new Map<string, string>() };
    entry.hosts.set(hostKey(hostname), owner);
    this.#ports.set(key, entry);
  }

  #conflict({ protocol, port, hostname }: PortUse): Refused | undefined {
    const existing = this.#ports.get(portKey({ protocol, port }));
    if (existing === undefined || own(USES, protocol) === undefined) return undefined;
    if (own(USES, existing.protocol) !== own(USES, protocol)) {
      return protocolConflict(
        port,
        protocol,
        `it belongs to ${existing.owner} for ${existing.protocol}`,
      );
    }
    const owner = existing.hosts.get(hostKey(hostname));
    return owner === undefined
      ? undefined
      : hostnameConflict({ protocol, port, hostname }, `it belongs to ${owner}`);
  }

  /** Listeners whose protocol is not served are in nobody's way. */
  #siblingConflict<T extends PortUse>(listener: T, siblings: readonly T[]): Refused | undefined {
    const { protocol, port, hostname } = listener;
    if (!this.#isServed(listener)) return undefined;
    const rivals = siblings.filter(
      (other) =>
        other !== listener && portKey(other) === portKey(listener) && this.#isServed(other),
    );
    const ofOtherProtocol = rivals.find(
      (other) => own(USES, other.protocol) !== own(USES, protocol),
    );
    if (ofOtherProtocol !== undefined) {
      const message = `another listener here is for ${ofOtherProtocol.protocol} on it`;
      return protocolConflict(port, protocol, message);
    }
    return rivals.some((other) => hostKey(other.hostname) === hostKey(hostname))
      ? hostnameConflict(listener, "another listener here is for it, too")
      : undefined;
  }

  #isServed({ protocol }: PortUse): boolean {
    return isServedProtocol(protocol, this.#options);
  }
}

/** Ports of TCP and UDP have nothing to do with each other. */
function portKey({ protocol, port }: Pick<PortUse, "protocol" | "port">): string {
  return `${String(port)}/${protocol === "UDP" ? "udp" : "tcp"}`;
}

function protocolConflict(port: number, protocol: string, why: string): Refused {
  return refused("ProtocolConflict", `port ${String(port)} can't be used for ${protocol}: ${why}`);
}

function hostnameConflict({ protocol, port, hostname }: PortUse, why: string): Refused {
  const host = hostText(hostname);
  const what = host === "" ? "every host" : `hostname ${host}`;
  const isNamed = protocol !== "TCP" && protocol !== "UDP";
  const place = `port ${String(port)}${isNamed ? "" : ` of ${protocol}`}`;
  return refused(
    "HostnameConflict",
    `${isNamed ? `${what} on ` : ""}${place} can't be had: ${why}`,
  );
}
