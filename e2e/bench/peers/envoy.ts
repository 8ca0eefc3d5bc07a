/** Envoy, configured for the work that the gateway does on its plainest route. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeyPair } from "../../harness/certificates.js";
import { freePort } from "../../harness/free-port.js";
import { makeTempFolder, removeFolder } from "../../harness/temp-folder.js";
import { PinnedProcess } from "../pinned-process.js";
import { processorsFor } from "../processors.js";
import type { ProxyOptions, Subject } from "../subject.js";
import { rules } from "../traffic.js";

export interface EnvoyOptions extends ProxyOptions {
  readonly command: string;
  readonly rules: number;
  readonly backend: number;
  /** Basic auth; Envoy knows SHA-1 hashes only. */
  readonly login?: {
    readonly user: string;
    readonly password: string;
    readonly authorization: string;
  };
  /** Port of the auth service. */
  readonly auth?: number;
}

export async function startEnvoy(options: EnvoyOptions): Promise<Subject> {
  const folder = await makeTempFolder();
  const port = await freePort();
  const { workers = 1 } = options;
  await writeFile(join(folder, "envoy.json"), JSON.stringify(bootstrap(options, port)));
  const server = new PinnedProcess(
    processorsFor(workers),
    [
      ...[options.command, "-c", "envoy.json", "--concurrency", String(workers)],
      ...["--disable-hot-restart", "--log-level", "warning"],
    ],
    { cwd: folder },
  );
  const close = async (): Promise<void> => {
    await server.close();
    await removeFolder(folder);
  };
  try {
    await server.listening(port);
  } catch (error: unknown) {
    await close();
    throw error;
  }
  return { port, pids: [server.pid], authorization: options.login?.authorization, close };
}

function bootstrap(options: EnvoyOptions, port: number): object {
  const apps = rules(options.rules).map(({ index }) => cluster(`app-${index}`, options.backend));
  const auth = options.auth === undefined ? [] : [cluster("auth", options.auth)];
  return {
    static_resources: {
      listeners: [
        {
          name: "bench",
          address: address(port),
          filter_chains: [
            { filters: [connectionManager(options, port)], ...transport(options.tls) },
          ],
        },
      ],
      clusters: [...apps, ...auth],
    },
  };
}

function transport(tls: KeyPair | undefined): object {
  if (tls === undefined) return {};
  const pair = {
    certificate_chain: { inline_string: tls.certificate },
    private_key: { inline_string: tls.key },
  };
  return {
    transport_socket: {
      name: "envoy.transport_sockets.tls",
      typed_config: {
        "@type": `${TYPE}/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext`,
        common_tls_context: { alpn_protocols: ["h2", "http/1.1"], tls_certificates: [pair] },
      },
    },
  };
}

function connectionManager(options: EnvoyOptions, port: number): object {
  return {
    name: "envoy.filters.network.http_connection_manager",
    typed_config: {
      "@type": `${TYPE}/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: "bench",
      use_remote_address: true,
      route_config: {
        request_headers_to_add: [
          added("X-Real-IP", "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%"),
          added("X-Forwarded-Host", "%REQ(:AUTHORITY)%"),
          added("X-Forwarded-Port", String(port)),
          added("X-Scheme", "http"),
          added("X-Original-URI", "%REQ(:PATH)%"),
        ],
        request_headers_to_remove: ["proxy"],
        virtual_hosts: virtualHosts(options.rules),
      },
      http_filters: [...authFilters(options), filter("router", "router.v3.Router", {})],
    },
  };
}

function virtualHosts(count: number): object[] {
  const byHost = new Map<string, object[]>();
  for (const { host, path, index } of rules(count)) {
    const routes = byHost.get(host) ?? [];
    routes.push({ match: { path_separated_prefix: path }, route: { cluster: `app-${index}` } });
    byHost.set(host, routes);
  }
  return [...byHost].map(([host, routes]) => ({ name: host, domains: [host], routes }));
}

function authFilters({ login, auth }: EnvoyOptions): object[] {
  if (login) {
    const digest = createHash("sha1").update(login.password).digest("base64");
    const users = { inline_string: `${login.user}:{SHA}${digest}` };
    return [filter("basic_auth", "basic_auth.v3.BasicAuth", { users })];
  }
  if (auth === undefined) return [];
  const server_uri = { uri: `http://127.0.0.1:${auth}`, cluster: "auth", timeout: "5s" };
  return [filter("ext_authz", "ext_authz.v3.ExtAuthz", { http_service: { server_uri } })];
}

const TYPE = "type.googleapis.com";

function filter(name: string, type: string, config: object): object {
  return {
    name: `envoy.filters.http.${name}`,
    typed_config: { "@type": `${TYPE}/envoy.extensions.filters.http.${type}`, ...config },
  };
}

function added(key: string, value: string): object {
  return { header: { key, value }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" };
}

function cluster(name: string, port: number): object {
  return {
    name,
    type: "STATIC",
    connect_timeout: "5s",
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port) } }] }],
    },
  };
}

function address(port: number): object {
  return { socket_address: { address: "127.0.0.1", port_value: port } };
}
