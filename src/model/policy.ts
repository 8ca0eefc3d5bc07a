import type { AuthConfig, ForwardAuth, HeaderTemplate } from "./auth.js";
import type { BackendTls, Port, Upstream } from "./upstream.js";
import type { InheritedAuth } from "./listener.js";
import type { ErrorPages, Milliseconds, PathMatch, Predicate, Route } from "./route.js";

export const POLICY_FORMAT = 5;

/** The host key of bindings for requests whose host no other binding of the listener names. */
export const UNNAMED_HOST = "?";

/**
 * policy.json: what the data plane does with each request (docs/policy-format.md). Its JSON Schema and the Lua types are generated from
 * this type and the types that it uses. Every entry of a map is a shard: a worker decodes it on first use, and a change replaces only
 * that shard. Absent and empty fields are left out.
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
  /** By `<table>|<host key>`: bindings in ascending byte order of `order`. A listener's own table is named after its id. */
  readonly hosts: Readonly<Record<string, readonly HostBinding[]>>;
  /** By id: bindings shared by several hosts or tables, in ascending byte order of `order`. Absent: none. */
  readonly matches?: Readonly<Record<string, readonly PolicyBinding[]>>;
  /** By route id. */
  readonly routes: Readonly<Record<string, PolicyRoute>>;
  /** By listener id: auth that its routes inherit. Absent: none. */
  readonly inherited?: Readonly<Record<string, PolicyInheritedAuth>>;
  /** By id: headers of ConfigMaps for auth services. Absent: none. */
  readonly headers?: Readonly<Record<string, readonly HeaderTemplate[]>>;
  /** By auth policy id. */
  readonly auths: Readonly<Record<string, PolicyAuth>>;
  /** By upstream id. */
  readonly upstreams: Readonly<Record<string, PolicyUpstream>>;
  /** By id: verified TLS to backends; the rest of it is in nginx.conf. Absent: none. */
  readonly backendTls?: Readonly<Record<string, PolicyBackendTls>>;
  /**
   * By `<server id>|<host key>`: file below the run folder with key and chain in PEM. Empty: the server's default, even if a wildcard
   * matches.
   */
  readonly certificates: Readonly<Record<string, CertificateFile>>;
}

export interface PolicyRoute extends Omit<Route, "id" | "bodyLimit" | "outageErrors"> {
  /**
   * Bytes; the gateway's own limit if the route has none. nginx.conf has a location for each limit in use. Absent: no limit.
   * @minimum 1
   */
  readonly bodyLimit?: number;
  /**
   * See Route; the gateway's own number if the route has none. Absent: answers say nothing of their endpoint.
   * @minimum 1
   */
  readonly outageErrors?: number;
}

/** @minProperties 1 */
export type PolicyInheritedAuth = Omit<InheritedAuth, "id">;

export type PolicyUpstream = Omit<Upstream, "id">;

/** Authorities and client certificate are in nginx.conf. */
export type PolicyBackendTls = Omit<BackendTls, "id" | "authorities" | "clientCertificate">;

/** @pattern ^(certificates/[0-9a-f]{32}\.pem)?$ */
type CertificateFile = string;

/** @pattern ^authorities/[0-9a-f]{32}\.pem$ */
type AuthoritiesFile = string;

/** Settings for all routes. */
export interface PolicySettings {
  /** Timeout of a whole auth request. */
  readonly authTimeout: Milliseconds;
  /** Whether certificates of https auth services are checked. */
  readonly authTlsVerify: boolean;
  readonly errorPages?: PolicyErrorPages;
}

/** Pages for errors of routes that have none of their own, and of requests without a route. */
export interface PolicyErrorPages extends ErrorPages {
  readonly statuses: readonly number[];
  /** By name: `404.html`, `404.json`; `5xx.html` for the rest of its class. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One bound port. */
export interface PolicyServer {
  readonly port: Port;
  readonly tls: boolean;
  /** `[host key, listener id, …tables shared with other listeners]`, most specific first. */
  readonly listeners: readonly (readonly [string, string, ...string[]])[];
  /** Ids of listeners that a request reaches only over a connection whose server name is theirs. */
  readonly isolated?: readonly string[];
  /** Ids of listeners whose bindings without a host are for hosts that no other binding of them names. */
  readonly apart?: readonly string[];
  /** By listener id: how it wants client certificates, and a file below the run folder with its authorities in PEM. */
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

/** Stands for shared bindings: `order` is put before the order of each. */
export interface PolicyMatches {
  readonly order: string;
  /** Their id in `matches`. */
  readonly matches: string;
}

export type HostBinding = PolicyBinding | PolicyMatches;

export interface PolicyAuth extends Omit<AuthConfig, "id" | "forward"> {
  readonly forward?: PolicyForwardAuth;
}

export interface PolicyForwardAuth extends Omit<ForwardAuth, "headers"> {
  /** Their id in `headers`, because thousands of auth policies may have the same ones. */
  readonly headers?: string;
}
