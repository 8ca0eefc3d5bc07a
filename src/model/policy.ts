import type { AuthConfig, BasicAuth } from "./auth.js";
import type { BackendTls, Port, Upstream } from "./upstream.js";
import type { InheritedAuth } from "./listener.js";
import type { Milliseconds, PathMatch, Predicate, Route } from "./route.js";

export const POLICY_FORMAT = 4;

/**
 * policy.json: what the data plane does with each request (docs/policy-format.md). Its JSON Schema and the types of the Lua code are
 * made from this type and those that it names. Every entry of the maps is a shard: it is decoded by a worker when first needed and
 * replaced alone. Absent and empty fields are left out.
 */
export interface PolicyDocument {
  readonly format: typeof POLICY_FORMAT;
  /**
   * Digest of everything else, so equal policies have equal versions.
   * @pattern ^[0-9a-f]{32}$
   */
  readonly version: string;
  readonly settings: PolicySettings;
  /** By server id. */
  readonly servers: Readonly<Record<string, PolicyServer>>;
  /** By `<table>|<host key>`: bindings in ascending byte order of `order`. A listener's own table has its id. */
  readonly hosts: Readonly<Record<string, readonly HostBinding[]>>;
  /** By id: bindings that several hosts or tables have, in ascending byte order of `order`. Absent: none. */
  readonly matches?: Readonly<Record<string, readonly PolicyBinding[]>>;
  /** By route id. */
  readonly routes: Readonly<Record<string, PolicyRoute>>;
  /** By listener id: what its routes have from it. Absent: nothing anywhere. */
  readonly inherited?: Readonly<Record<string, PolicyInheritedAuth>>;
  /** By auth policy id. */
  readonly auths: Readonly<Record<string, PolicyAuth>>;
  /** By upstream id. */
  readonly upstreams: Readonly<Record<string, PolicyUpstream>>;
  /** By id: verified TLS to backends; what more it is stands in nginx.conf. Absent: none. */
  readonly backendTls?: Readonly<Record<string, PolicyBackendTls>>;
  /** By `<server id>|<host key>`: file below the run folder with key and chain in PEM; empty: the default's, and no wildcard's. */
  readonly certificates: Readonly<Record<string, CertificateFile>>;
}

export interface PolicyRoute extends Omit<Route, "id" | "bodyLimit"> {
  /**
   * Bytes, the gateway's own limit for a route that has none of its own; nginx.conf has a location for each that is in use. Absent: any.
   * @minimum 1
   */
  readonly bodyLimit?: number;
}

/** @minProperties 1 */
export type PolicyInheritedAuth = Omit<InheritedAuth, "id">;

export type PolicyUpstream = Omit<Upstream, "id">;

/** Authorities and client certificate stand in nginx.conf. */
export type PolicyBackendTls = Omit<BackendTls, "id" | "authorities" | "clientCertificate">;

/** @pattern ^(certificates/[0-9a-f]{32}\.pem)?$ */
type CertificateFile = string;

/** @pattern ^authorities/[0-9a-f]{32}\.pem$ */
type AuthoritiesFile = string;

/** Settings that hold for all routes. */
export interface PolicySettings {
  /** For a whole auth request. */
  readonly authTimeout: Milliseconds;
  /** Certificates of https auth services are checked. */
  readonly authTlsVerify: boolean;
}

/** One bound port. */
export interface PolicyServer {
  readonly port: Port;
  readonly tls: boolean;
  /** `[host key, listener id, …tables that it shares with others]`, most specific first. */
  readonly listeners: readonly (readonly [string, string, ...string[]])[];
  /** Ids of listeners that a request reaches only by a connection for one of their names. */
  readonly isolated?: readonly string[];
  /** By listener id: what it wants of clients, and a file below the run folder with its authorities in PEM. */
  readonly clientCertificates?: Readonly<
    Record<string, readonly ["required" | "requested", AuthoritiesFile]>
  >;
}

/** Where a route is tried. */
export interface PolicyBinding {
  readonly order: string;
  readonly route: string;
  /** Absent: any path. */
  readonly path?: PathMatch;
  readonly when?: readonly Predicate[];
}

/** Stands for bindings: `order` comes before the order of each. */
export interface PolicyMatches {
  readonly order: string;
  /** Their id in `matches`. */
  readonly matches: string;
}

export type HostBinding = PolicyBinding | PolicyMatches;

export interface PolicyAuth extends Omit<AuthConfig, "id" | "basic"> {
  readonly basic?: PolicyBasicAuth;
}

export interface PolicyBasicAuth extends Omit<BasicAuth, "credentials"> {
  /**
   * Below the run folder, JSON `{ "<user>": ["<salt>", "<hash>"] }`, mode 0600.
   * @pattern ^credentials/[0-9a-f]{32}\.json$
   */
  readonly file: string;
}
