import type { HostPattern } from "./values.js";

/** A bound port whose connections or datagrams are passed on as they are: nobody looks into them. A change here is a reload. */
export type StreamServer = PortStream | NamedStream;

interface BoundPort {
  /** Generated, as of a Server: `p9000`, `p53-udp`. */
  readonly id: string;
  /** IP addresses, or none for every IPv4 and IPv6 address of the machine. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** A port with one destination (Gateway API, TCPRoute and UDPRoute). */
export interface PortStream extends BoundPort {
  readonly protocol: "tcp" | "udp";
  /** Id of the pool; absent: connections are closed, datagrams dropped. */
  readonly pool?: string;
}

/** TLS connections, told apart by the server name of their handshake (RFC 6066, section 3; Gateway API, TLSRoute). */
export interface NamedStream extends BoundPort {
  readonly protocol: "tls";
  /**
   * Distinct hosts, sorted by key; one list for all ports that share routes. The most specific one that a connection's name matches
   * counts; without one it is closed.
   */
  readonly names: readonly StreamName[];
  /** Where the classes in `names` lead; one list for all ports where they lead to the same. Without a class of its own: closed. */
  readonly classes: readonly StreamClass[];
}

export interface StreamName {
  readonly host: HostPattern;
  readonly to: StreamTarget | NameClass;
}

/** Names that lead to the same on each port, but not on all of them. */
export interface NameClass {
  readonly kind: "class";
  /** `c2`, or `c7.c2`: a port that has no `c7.c2` has what `c2` says, as names below a wildcard have. */
  readonly id: string;
}

export interface StreamClass {
  readonly id: string;
  readonly to: StreamTarget;
}

export type StreamTarget =
  | { readonly kind: "closed" }
  /** The Server with the same id, which is reached by this way only. */
  | { readonly kind: "https" }
  /** With the id of a certificate TLS ends here, else at the backend. */
  | { readonly kind: "pool"; readonly pool: string; readonly certificate?: string };

/** Where the connections of one rule go; a backend's share is its weight over the sum of weights. */
export interface StreamPool {
  /** Of the rule, such as `tcproute/default/db`. */
  readonly id: string;
  readonly transport: "tcp" | "udp";
  /** Only with a weight above 0, one at least. */
  readonly backends: readonly StreamBackend[];
  /** Id of the verified TLS to its endpoints, which `hostname` names and nginx itself can check. */
  readonly tls?: string;
}

export interface StreamBackend {
  /** Id of the upstream. Absent, or one without endpoints: its share is closed. */
  readonly upstream?: string;
  readonly weight: number;
}
