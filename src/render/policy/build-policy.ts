/** IR → PolicyDocument, but for its upstreams. */
import type { RoutingModel } from "../../ir/config.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { RouteBinding } from "../../ir/route.js";
import type { CompileOptions } from "../../options.js";
import { compareStrings } from "../../support/compare.js";
import { policyAuth } from "./auth-shard.js";
import { policyBackendTls } from "./backend-tls-shard.js";
import { policyBinding } from "./binding-shard.js";
import type { PolicyBinding, PolicyDocument, PolicyServer } from "./policy-document.js";
import { policyRoute } from "./route-shard.js";
import { policyServer } from "./server-shard.js";

/** Paths of the files with secrets, by id of the credential set or certificate. */
export interface SecretPaths {
  readonly credentials: ReadonlyMap<string, string>;
  readonly certificates: ReadonlyMap<string, string>;
}

/** A policy but for its upstreams, which change without it, and for its version, which follows from the rest. */
export type RoutingPolicy = Omit<PolicyDocument, "format" | "version" | "upstreams">;

export function buildPolicy(
  config: RoutingModel,
  options: CompileOptions,
  paths: SecretPaths,
): RoutingPolicy {
  const { bodyLimit } = options.dataPlane;
  return {
    settings: { authTimeout: options.auth.timeout, authTlsVerify: options.auth.tlsVerify },
    servers: servers(config),
    hosts: hosts(config.bindings),
    routes: byId(config.routes, (route) => policyRoute(route, bodyLimit)),
    auths: byId(config.auths, (auth) => policyAuth(auth, paths.credentials)),
    ...(config.backendTls.length > 0 && { backendTls: byId(config.backendTls, policyBackendTls) }),
    certificates: certificates(config, paths.certificates),
  };
}

function byId<T extends { readonly id: string }, Shard>(
  entries: readonly T[],
  shard: (entry: T) => Shard,
): Record<string, Shard> {
  return Object.fromEntries(entries.map((entry) => [entry.id, shard(entry)]));
}

function servers(config: RoutingModel): Record<string, PolicyServer> {
  const listeners = groupBy(config.listeners, (listener) => listener.server);
  return byId(config.servers, (server) => policyServer(server, listeners.get(server.id) ?? []));
}

function hosts(bindings: readonly RouteBinding[]): Record<string, readonly PolicyBinding[]> {
  const byHost = groupBy(bindings, (binding) => `${binding.listener}|${hostKey(binding.host)}`);
  return Object.fromEntries(
    [...byHost].map(([key, group]) => [
      key,
      group.sort((a, b) => compareStrings(a.order, b.order)).map(policyBinding),
    ]),
  );
}

function certificates(
  config: RoutingModel,
  paths: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    config.serverCertificates.flatMap(({ server, host, certificate }) => {
      const path = paths.get(certificate);
      return path === undefined ? [] : [[`${server}|${hostKey(host)}`, path]];
    }),
  );
}

/** In the order of the entries (Map.groupBy needs Node 21). */
function groupBy<T>(entries: readonly T[], key: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const group = groups.get(key(entry));
    if (group === undefined) groups.set(key(entry), [entry]);
    else group.push(entry);
  }
  return groups;
}
