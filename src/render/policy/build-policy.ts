/** Model → PolicyDocument, but for what there may be thousands of: hosts, routes, upstreams. */
import type { RoutingModel } from "../../model/config.js";
import { hostKey } from "../../model/host-pattern.js";
import type { CompileOptions } from "../../options.js";
import { policyAuth } from "./auth-shard.js";
import { policyBackendTls } from "./backend-tls-shard.js";
import { groupBy } from "../../support/group-by.js";
import type { ListenerTables } from "./listener-tables.js";
import type { PolicyDocument, PolicyServer } from "./policy-document.js";
import { policyServer } from "./server-shard.js";

/** Paths of the files with secrets, by id of the credential set or certificate, and which tables the listeners have. */
export interface PolicyNames {
  readonly credentials: ReadonlyMap<string, string>;
  readonly certificates: ReadonlyMap<string, string>;
  readonly tables: ListenerTables;
}

/** A policy but for those, and for its version, which follows from the rest. */
export type PolicyFrame = Omit<
  PolicyDocument,
  "format" | "version" | "hosts" | "matches" | "routes" | "upstreams"
>;

export function buildPolicy(
  config: RoutingModel,
  options: CompileOptions,
  names: PolicyNames,
): PolicyFrame {
  return {
    settings: { authTimeout: options.auth.timeout, authTlsVerify: options.auth.tlsVerify },
    servers: servers(config, names.tables),
    ...(config.inherited.length > 0 && {
      inherited: byId(config.inherited, ({ id: _, ...inherited }) => inherited),
    }),
    auths: byId(config.auths, (auth) => policyAuth(auth, names.credentials)),
    ...(config.backendTls.length > 0 && { backendTls: byId(config.backendTls, policyBackendTls) }),
    certificates: certificates(config, names.certificates),
  };
}

function byId<T extends { readonly id: string }, Shard>(
  entries: readonly T[],
  shard: (entry: T) => Shard,
): Record<string, Shard> {
  return Object.fromEntries(entries.map((entry) => [entry.id, shard(entry)]));
}

function servers(config: RoutingModel, tables: ListenerTables): Record<string, PolicyServer> {
  const listeners = groupBy(config.listeners, (listener) => listener.server);
  return byId(config.servers, (server) =>
    policyServer(server, listeners.get(server.id) ?? [], tables),
  );
}

function certificates(
  config: RoutingModel,
  paths: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    config.serverCertificates.flatMap(({ server, host, certificate }) => {
      const path = certificate === undefined ? "" : paths.get(certificate);
      return path === undefined ? [] : [[`${server}|${hostKey(host)}`, path]];
    }),
  );
}
