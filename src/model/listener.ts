import type { HostPattern } from "./values.js";
import type { Port, Refusal } from "./upstream.js";
import type { SecretText } from "../support/secret-text.js";

/** A bound port: an nginx server block. A change needs a reload. */
export interface Server {
  /** Generated: letters, digits and dashes only, such as `p80`. */
  readonly id: string;
  /** IP addresses; empty: every IPv4 and IPv6 address of the machine. */
  readonly addresses: readonly string[];
  readonly port: Port;
  readonly tls: boolean;
}

/** Hosts of a server with common routes. A request belongs to the listener with the most specific matching hostname. */
export interface Listener {
  readonly id: string;
  readonly server: string;
  readonly hostname: HostPattern;
  /** More hosts of the listener, within narrower hostnames of other listeners. */
  readonly keeps?: readonly HostPattern[];
  /**
   * Belongs to a Gateway. One for TLS stands at the HTTPS server of its port without bindings. Over TLS a request whose Host belongs to another listener than its server name did is answered 421
   * (Gateway API, HTTPS listeners; RFC 9110, 15.5.20).
   */
  readonly isolated?: true;
  /** Bindings without a host are for hosts that no other binding of the listener names, as in ingress-nginx. */
  readonly apart?: true;
  /** Client certificates that it requires or requests. */
  readonly clientCertificates?: ClientCertificates;
}

/**
 * Auth that routes inherit from a listener of a Gateway.
 * @minProperties 1
 */
export interface InheritedAuth {
  /** Of the listener. */
  readonly id: string;
  /** Answers all requests of the listener, because one of its filters can't be applied. */
  readonly refuse?: Refusal;
  /** Ids of the auth policies of the listener's own filters (GEP-5224), which run first on every route. */
  readonly filters?: readonly string[];
  /** Ids of the auth policies for the listener, its ListenerSet or its Gateway; they apply to routes without their own auth. */
  readonly policies?: readonly string[];
}

/** Gateway API, FrontendTLSValidation. */
export interface ClientCertificates {
  /** PEM. */
  readonly authorities: string;
  /** `required`: a client without a valid one has its connection closed. `requested`: it is asked for one, and served anyway. */
  readonly mode: "required" | "requested";
}

/** A certificate for the server names that match `host`; `any` is the server's default certificate. */
export interface ServerCertificate {
  readonly server: string;
  readonly host: HostPattern;
  /** Id of the certificate; absent: the server's default, even if a wildcard matches. */
  readonly certificate?: string;
}

export interface Certificate {
  /** Digest of chain and key, so a changed certificate has a new id. */
  readonly id: string;
  /** PEM, leaf first. */
  readonly chain: string;
  readonly key: SecretText;
}
