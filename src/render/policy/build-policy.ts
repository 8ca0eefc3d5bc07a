/** Model → policy.json. Hosts, routes and upstreams, of which there may be thousands, are rendered shard by shard. */
import type { AuthConfig, HeaderTemplate } from "../../model/auth.js";
import type { RoutingModel } from "../../model/config.js";
import type { Listener, Server } from "../../model/listener.js";
import type {
  PolicyAuth,
  PolicyBackendTls,
  PolicyDocument,
  PolicyErrorPages,
  PolicyServer,
} from "../../model/policy.js";
import type { Route } from "../../model/route.js";
import { type BackendTls, type Upstream, upstreamId } from "../../model/upstream.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import type { CompileOptions, DataPlaneOptions } from "../../model/options.js";
import {
  compareBy,
  compareIds,
  compareStrings,
  getOrInsert,
  groupBy,
  listDifferences,
  memoized,
} from "../../support/collections.js";
import { SHARED_SHAPE, filled, present } from "../../support/json-object.js";
import { RenderedPolicy, SETTINGS_KEY } from "../rendered-file.js";
import { canonicalJson, wellFormed } from "./canonical-json.js";
import type { ListenerTables } from "./host-shards.js";
import { authorityFile, digestOf } from "./named-files.js";
import { ShardMap } from "../shard-map.js";

/** Takes the paths of the files with secrets, by id of the credential set or certificate, and the tables of the listeners. */
export function buildPolicy(
  config: RoutingModel,
  options: CompileOptions,
  names: {
    readonly credentials: ReadonlyMap<string, string>;
    readonly certificates: ReadonlyMap<string, string>;
    readonly tables: ListenerTables;
  },
): Omit<PolicyDocument, "format" | "version" | "hosts" | "matches" | "routes" | "upstreams"> {
  return {
    settings: {
      authTimeout: options.auth.timeout,
      authTlsVerify: options.auth.tlsVerify,
      ...present("errorPages", errorPages(options)),
    },
    servers: servers(config, names.tables),
    ...(config.inherited.length > 0 && {
      inherited: byId(config.inherited, ({ id: _, ...inherited }) => inherited),
    }),
    ...present("headers", headers(config)),
    auths: byId(config.auths, (auth) => policyAuth(auth, names.credentials)),
    ...(config.backendTls.length > 0 && { backendTls: byId(config.backendTls, policyBackendTls) }),
    certificates: certificates(config, names.certificates),
  };
}

function errorPages({ errorPages: pages }: CompileOptions): PolicyErrorPages | undefined {
  if (pages === undefined) return undefined;
  const { statuses, service, files } = pages;
  return {
    statuses,
    ...(service && { upstream: upstreamId(service) }),
    ...present("files", files),
  };
}

function byId<T extends { readonly id: string }, Shard>(
  entries: readonly T[],
  shard: (entry: T) => Shard,
): Record<string, Shard> {
  return Object.fromEntries(entries.map((entry) => [entry.id, shard(entry)]));
}

function servers(config: RoutingModel, tables: ListenerTables): Record<string, PolicyServer> {
  const known = serversOf(tables.state)(config.listeners);
  return byId(config.servers, (server) =>
    getOrInsert(known, server, () => policyServer(server, config.listeners, tables)),
  );
}

/** What `servers` has made of servers, until their listeners or the tables of these change. */
const serversOf = memoized((_state: object) =>
  memoized((_listeners: readonly Listener[]) => new Map<Server, PolicyServer>()),
);

function policyServer(
  server: Server,
  all: readonly Listener[],
  tables: ListenerTables,
): PolicyServer {
  const listeners = byServer(all).get(server.id) ?? [];
  return {
    port: server.port,
    tls: server.tls,
    listeners: listeners
      .flatMap(({ id, hostname, keeps = [] }) => [hostname, ...keeps].map((host) => ({ id, host })))
      .sort(mostSpecificFirst)
      .map(({ id, host }) => [hostKey(host), id, ...tables.sharedBy(id)] as const),
    ...filled(
      "isolated",
      listeners.filter(({ isolated }) => isolated).map(({ id }) => id),
    ),
    ...filled(
      "apart",
      listeners.filter(({ apart }) => apart).map(({ id }) => id),
    ),
    ...present("clientCertificates", clientCertificates(listeners)),
  };
}

const byServer = memoized((listeners: readonly Listener[]) =>
  groupBy(listeners, ({ server }) => server),
);

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

/** Headers of ConfigMaps by their digests: thousands of auths may have the same ones. */
function headers({ auths }: RoutingModel): PolicyDocument["headers"] {
  const all = auths.flatMap(({ forward }) =>
    forward?.headers === undefined ? [] : [[headersId(forward.headers), forward.headers] as const],
  );
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

const headersId = memoized((list: readonly HeaderTemplate[]) => digestOf(canonicalJson(list)));

/** Of thousands of auths few are new. By the paths of their credentials. */
const AUTHS = memoized((_auth: AuthConfig) => new Map<string, PolicyAuth>());

/** `credentialFiles`: path of the file of each credential set, by id. The same object for the same auth with the same files. */
function policyAuth(auth: AuthConfig, credentialFiles: ReadonlyMap<string, string>): PolicyAuth {
  const files = Object.values(methodsOf(auth)).map((method) =>
    "file" in method ? (credentialFiles.get(method.file) ?? "") : "",
  );
  return getOrInsert(AUTHS(auth), files.join(" "), () => renderedAuth(auth, credentialFiles));
}

function methodsOf({
  id: _,
  source: __,
  invalid: ___,
  ...methods
}: AuthConfig): Omit<AuthConfig, "id" | "source" | "invalid"> {
  return methods;
}

function renderedAuth(auth: AuthConfig, credentialFiles: ReadonlyMap<string, string>): PolicyAuth {
  const { source, invalid } = auth;
  const methods = methodsOf(auth);
  const missing = Object.values(methods).some(
    (method) => "file" in method && !credentialFiles.has(method.file),
  );
  // Without its credentials a path is closed, not open.
  if (missing) return { source, invalid: invalid ?? "auth-secret" };
  const rendered = Object.entries(methods).map(([name, method]) => {
    const file = "file" in method && { file: credentialFiles.get(method.file) };
    return [name, { ...method, ...file }] as const;
  });
  const { forward } = methods;
  const shared = forward?.headers && {
    forward: { ...forward, headers: headersId(forward.headers) },
  };
  return { source, ...present("invalid", invalid), ...Object.fromEntries(rendered), ...shared };
}

/** Without the fields that are in nginx.conf. */
function policyBackendTls({
  id: _,
  authorities: _authorities,
  clientCertificate: _certificate,
  ...tls
}: BackendTls): PolicyBackendTls {
  return tls;
}

function clientCertificates(listeners: readonly Listener[]): PolicyServer["clientCertificates"] {
  const wanted = listeners.flatMap(({ id, clientCertificates: certificates }) =>
    certificates === undefined
      ? []
      : [[id, [certificates.mode, authorityFile(certificates.authorities).path]] as const],
  );
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}

/** Exact names, wildcards by length of the suffix (one label before any depth), then any host. */
const mostSpecificFirst = compareBy<{ readonly id: string; readonly host: HostPattern }>(
  (a, b) => rank(a.host) - rank(b.host),
  (a, b) => suffixLength(b.host) - suffixLength(a.host),
  (a, b) => Number(isDeep(a.host)) - Number(isDeep(b.host)),
  (a, b) => compareStrings(hostKey(a.host), hostKey(b.host)),
  compareIds,
);

function rank(pattern: HostPattern): number {
  return { exact: 0, wildcard: 1, any: 2 }[pattern.kind];
}

function suffixLength(pattern: HostPattern): number {
  return pattern.kind === "wildcard" ? pattern.suffix.length : 0;
}

function isDeep(pattern: HostPattern): boolean {
  return pattern.kind === "wildcard" && pattern.labels === "many";
}

/** The map that `upstreams` follows. */
const AFTER_AUTHS = "auths";

/** All maps of policy.json except `upstreams`, in the order of the file. */
export function routingShards(
  {
    settings,
    servers,
    inherited,
    headers,
    auths,
    backendTls,
    certificates,
  }: ReturnType<typeof buildPolicy>,
  {
    hosts,
    matches,
    routes,
    records = {},
  }: {
    readonly hosts: ShardMap;
    readonly matches: ShardMap;
    readonly routes: ShardMap;
    /** Shards of maps with many or large entries, which are kept for the next call. */
    readonly records?: Readonly<
      Partial<Record<"servers" | "headers" | "auths" | "certificates", RecordShards>>
    >;
  },
): ReadonlyMap<string, ShardMap> {
  const shardsOf = (name: keyof typeof records, map: Readonly<Record<string, unknown>>) =>
    records[name]?.map(map) ?? shardMap(map);
  return new Map([
    ["settings", ShardMap.of([[SETTINGS_KEY, canonicalJson(settings)]])],
    ["servers", shardsOf("servers", servers)],
    ["hosts", hosts],
    ...(matches.size === ShardMap.EMPTY.size ? [] : [["matches", matches] as const]),
    ["routes", routes],
    ...(inherited === undefined ? [] : [["inherited", shardMap(inherited)] as const]),
    ...(headers === undefined ? [] : [["headers", shardsOf("headers", headers)] as const]),
    [AFTER_AUTHS, shardsOf("auths", auths)],
    ...(backendTls === undefined ? [] : [["backendTls", shardMap(backendTls)] as const]),
    ["certificates", shardsOf("certificates", certificates)],
  ]);
}

export function renderedPolicy(
  format: number,
  routing: ReadonlyMap<string, ShardMap>,
  upstreams: ShardMap,
): RenderedPolicy {
  const maps = [...routing].flatMap(([name, map]): (readonly [string, ShardMap])[] =>
    name === AFTER_AUTHS
      ? [
          [name, map],
          ["upstreams", upstreams],
        ]
      : [[name, map]],
  );
  return new RenderedPolicy(format, new Map(maps));
}

/** Shards of a list that is sorted by id. `map` renders only the entries that changed since the last call. */
export class ListShards<T extends { readonly id: string }> {
  readonly #text: (entry: T) => string;
  #list: readonly T[] = [];
  #map = ShardMap.EMPTY;

  constructor(text: (entry: T) => string) {
    this.#text = text;
  }

  map(list: readonly T[]): ShardMap {
    const changes = new Map<string, string | undefined>();
    const differing = listDifferences(this.#list, list, compareIds);
    for (const { before } of differing) if (before) changes.set(wellFormed(before.id), undefined);
    for (const { now } of differing) if (now) changes.set(wellFormed(now.id), this.#text(now));
    this.#list = list;
    this.#map = this.#map.with(changes);
    return this.#map;
  }
}

/** Shards of a record. `map` renders only values that are not the same as in the last call. */
export class RecordShards {
  #values: ReadonlyMap<string, unknown> = new Map();
  #map = ShardMap.EMPTY;

  map(record: Readonly<Record<string, unknown>>): ShardMap {
    const values = new Map(Object.entries(record));
    const changes = new Map<string, string | undefined>();
    for (const key of this.#values.keys()) {
      if (!values.has(key)) changes.set(wellFormed(key), undefined);
    }
    for (const [key, value] of values) {
      if (this.#values.get(key) !== value) changes.set(wellFormed(key), canonicalJson(value));
    }
    this.#values = values;
    this.#map = this.#map.with(changes);
    return this.#map;
  }
}

export function upstreamText({ endpoints }: Upstream): string {
  return canonicalJson({ endpoints });
}

/** What routes have that say nothing else. */
export type RouteDefaults = Pick<DataPlaneOptions, "bodyLimit" | "outageErrors">;

export function routeText({ id: _, ...route }: Route, defaults: RouteDefaults): string {
  const { bodyLimit = defaults.bodyLimit, outageErrors = defaults.outageErrors, ...rest } = route;
  return canonicalJson({
    ...SHARED_SHAPE,
    ...rest,
    ...(bodyLimit > 0 && { bodyLimit }),
    ...(outageErrors > 0 && rest.backends !== undefined && { outageErrors }),
  });
}

function shardMap(map: Readonly<Record<string, unknown>>): ShardMap {
  return ShardMap.of(
    Object.entries(map).map(([key, value]) => [wellFormed(key), canonicalJson(value)] as const),
  );
}
