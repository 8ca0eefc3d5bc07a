import type { Server } from "./listener.js";
import type { HostPattern } from "./values.js";

/** A bound port whose connections or datagrams are passed on unread. A change needs a reload. */
export type StreamServer = PortStream | NamedStream;

/** A port with one destination (Gateway API, TCPRoute and UDPRoute). Its id is such as `p9000` or `p53-udp`. */
export interface PortStream extends Omit<Server, "tls"> {
  readonly protocol: "tcp" | "udp";
  /** Id of the pool; absent: connections are closed, datagrams dropped. */
  readonly pool?: string;
}

/** A TLS port whose connections are routed by server name (RFC 6066, section 3; Gateway API, TLSRoute). */
export interface NamedStream extends Omit<Server, "tls"> {
  readonly protocol: "tls";
  /**
   * Distinct hosts, sorted by key; one list for all ports that share routes. The most specific matching host wins; a connection without
   * one is closed.
   */
  readonly names: readonly StreamName[];
  /** The targets of the classes in `names`; one list for all ports with the same targets. A class without a target is closed. */
  readonly classes: readonly StreamClass[];
}

export interface StreamName {
  readonly host: HostPattern;
  readonly to: StreamTarget | NameClass;
}

/** A class of names: on each port all of them have the same target, which differs between ports. */
export interface NameClass {
  readonly kind: "class";
  /** `c2`, or `c7.c2`: a port without `c7.c2` uses `c2`, like names below a wildcard. */
  readonly id: string;
}

export interface StreamClass {
  readonly id: string;
  readonly to: StreamTarget;
}

export type StreamTarget =
  | { readonly kind: "closed" }
  /** The Server with the same id, which gets connections only from here. */
  | { readonly kind: "https" }
  /** With a certificate (its id) TLS ends here, otherwise at the backend. */
  | { readonly kind: "pool"; readonly pool: string; readonly certificate?: string };

/** The backends of a rule. A backend's share of connections is its weight divided by the sum of weights. */
export interface StreamPool {
  /** Named after the rule, such as `tcproute/default/db`. */
  readonly id: string;
  readonly transport: "tcp" | "udp";
  /** At least one; all have a weight above 0. */
  readonly backends: readonly StreamBackend[];
  /** Id of the verified TLS to its endpoints. It has no `names`, so nginx itself checks their certificates. */
  readonly tls?: string;
}

export interface StreamBackend {
  /** Id of the upstream; if it is absent or has no endpoints, connections of its share are closed. */
  readonly upstream?: string;
  readonly weight: number;
}
