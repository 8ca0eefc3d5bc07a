import type { ForwardAuth } from "../../model/auth.js";
import type { InheritedAuth } from "../../model/listener.js";
import type { PathMatch, Predicate } from "../../model/match.js";
import type { Route } from "../../model/route.js";
import type { SourceRef } from "../../model/source-ref.js";

/**
 * The shape of policy.json: the contract between the compiler and the Lua data plane (docs/policy-format.md,
 * policy.schema.json). Every entry of the maps is a shard: it is decoded by a worker when first needed and replaced alone.
 * Absent and empty fields are left out. Times are milliseconds, sizes bytes.
 */
export const POLICY_FORMAT = 3;

export interface PolicyDocument {
  readonly format: typeof POLICY_FORMAT;
  /** Digest of everything else, so equal policies have equal versions. */
  readonly version: string;
  readonly settings: PolicySettings;
  /** By server id. */
  readonly servers: Readonly<Record<string, PolicyServer>>;
  /** By `<table>|<host key>`: bindings in ascending byte order of `order`. A listener's own table has its id. */
  readonly hosts: Readonly<Record<string, readonly (PolicyBinding | PolicyMatches)[]>>;
  /** By id: bindings that several hosts or tables have, in ascending byte order of `order`. Absent: none. */
  readonly matches?: Readonly<Record<string, readonly PolicyBinding[]>>;
  /** By route id. */
  readonly routes: Readonly<Record<string, PolicyRoute>>;
  /** By listener id: what its routes have from it. Absent: nothing anywhere. */
  readonly inherited?: Readonly<Record<string, Omit<InheritedAuth, "id">>>;
  /** By auth policy id. */
  readonly auths: Readonly<Record<string, PolicyAuth>>;
  /** By upstream id. */
  readonly upstreams: Readonly<Record<string, PolicyUpstream>>;
  /** By id: verified TLS to backends; what more it is stands in nginx.conf. Absent: none. */
  readonly backendTls?: Readonly<Record<string, PolicyBackendTls>>;
  /** By `<server id>|<host key>`: file below the run folder with key and chain in PEM; empty: the default's, and no wildcard's. */
  readonly certificates: Readonly<Record<string, string>>;
}

export type PolicyRoute = Omit<Route, "id">;

export interface PolicySettings {
  readonly authTimeout: number;
  readonly authTlsVerify: boolean;
}

export interface PolicyServer {
  readonly port: number;
  readonly tls: boolean;
  /** `[host key, listener id, …tables that it shares with others]`, most specific first. */
  readonly listeners: readonly (readonly [string, string, ...string[]])[];
  /** Ids of listeners that a request reaches only by a connection for one of their names. */
  readonly isolated?: readonly string[];
  /** By listener id: what it wants of clients, and a file below the run folder with its authorities in PEM. */
  readonly clientCertificates?: Readonly<
    Record<string, readonly ["required" | "requested", string]>
  >;
}

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

export interface PolicyBackendTls {
  /** Server name indication, and the name in the certificate unless there are `names`. */
  readonly hostname?: string;
  /** One of them must be in the certificate. */
  readonly names?: readonly (readonly ["hostname" | "uri", string])[];
  /** Lua opens the connection, because nginx can't check the certificate. */
  readonly inLua?: true;
}

export interface PolicyUpstream {
  /** `[address, port]`. */
  readonly endpoints: readonly (readonly [string, number])[];
}

export interface PolicyAuth {
  readonly source: SourceRef;
  readonly invalid?: string;
  /** `file`: below the run folder, JSON `{ "<user>": ["<salt>", "<hash>"] }`, mode 0600. */
  readonly basic?: { readonly realm: string; readonly file: string };
  readonly forward?: ForwardAuth;
}
