/** nginx without us: bare `proxy_pass`, the limit; and what its own directives can do of the gateway's work. */
import type { ProxyOptions, Subject } from "./subject.js";
import type { Login } from "./credentials.js";
import { processorsFor } from "./processors.js";
import { startStaticNginx } from "./static-nginx.js";
import { rules } from "./traffic.js";
import type { Upstreams } from "./upstreams.js";

/** `proxy_pass` over kept connections and nothing else: one location, no header but those of the protocol. */
export async function startBare(
  upstreams: Upstreams,
  options: ProxyOptions & {
    /** Upgrades of connections are passed on; others are as without. */
    readonly upgrade?: boolean;
  },
): Promise<Subject> {
  const upgrade = `
        location ~ /socket$ {
            proxy_pass http://backend;
            proxy_http_version 1.1;
            proxy_set_header Upgrade websocket;
            proxy_set_header Connection upgrade;
            proxy_read_timeout 1h;
        }`;
  const locations = `location / { ${FORWARD} } ${options.upgrade === true ? upgrade : ""}`;
  return start(upstreams, { ...options, locations });
}

/** Bare, with three Lua handlers that do nothing but name the backend: what any gateway in Lua costs at least. */
export async function startEmptyHandlers(upstreams: Upstreams): Promise<Subject> {
  return start(upstreams, {
    lua: true,
    http: () => `
    init_by_lua_block { require("resty.core") set_peer = require("ngx.balancer").set_current_peer }
    upstream lua {
        server 0.0.0.1;
        balancer_by_lua_block { set_peer("127.0.0.1", ${upstreams.backend}) }
        keepalive 512;
        keepalive_requests 1000000;
    }
    header_filter_by_lua_block { return }`,
    locations: `location / { access_by_lua_block { return } ${FORWARD.replace("backend", "lua")} }`,
  });
}

/** A server for each host, two locations for each path, and the headers for the backend that this gateway adds. */
export async function startLocations(upstreams: Upstreams, count: number): Promise<Subject> {
  const hosts = new Map<string, string[]>();
  for (const { host, path } of rules(count)) {
    const own = hosts.get(host) ?? [];
    for (const match of [`= ${path}`, `${path}/`]) {
      own.push(`location ${match} { proxy_pass http://backend; }`);
    }
    hosts.set(host, own);
  }
  return start(upstreams, {
    http: (port) => `
    server_names_hash_max_size 8192;
    map $http_upgrade $upgrade_to { default ""; websocket websocket; }
    map $upgrade_to $connection_to { default ""; websocket upgrade; }
    map $http_x_request_id $id { default $request_id; "~^[\\w.:+/=@-]{1,128}$" $http_x_request_id; }
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto http;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Port ${port};
    proxy_set_header X-Scheme http;
    proxy_set_header X-Original-URI $request_uri;
    proxy_set_header X-Request-ID $id;
    proxy_set_header Upgrade $upgrade_to;
    proxy_set_header Connection $connection_to;
    server { listen 127.0.0.1:${port} backlog=4096 default_server; return 404; }
    ${[...hosts]
      .map(
        ([host, own]) => `server {
        listen 127.0.0.1:${port};
        server_name ${host};
        ${own.join("\n")}
    }`,
      )
      .join("\n")}`,
  });
}

/** Bare, with `auth_basic`; it computes the hash for every request. */
export async function startAuthBasic(upstreams: Upstreams, login: Login): Promise<Subject> {
  const { htpasswd, authorization } = login;
  const subject = await start(upstreams, {
    files: { htpasswd: `${htpasswd}\n` },
    locations: `location / { auth_basic "bench"; auth_basic_user_file htpasswd; ${FORWARD} }`,
  });
  return { ...subject, authorization };
}

/** Bare, with `auth_request`: it closes the connection to the auth service unless the answer is empty. */
export async function startAuthRequest(
  upstreams: Upstreams,
  /** Port of the auth service. */
  auth: number,
): Promise<Subject> {
  return start(upstreams, {
    http: () => `
    upstream auth {
        server 127.0.0.1:${auth};
        keepalive 512;
        keepalive_requests 1000000;
    }`,
    locations: `
        location / { auth_request /.auth; ${FORWARD} }
        location = /.auth {
            internal;
            proxy_pass http://auth/auth;
            proxy_http_version 1.1;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header Connection "";
            proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
        }`,
  });
}

const FORWARD = `
            proxy_pass http://backend;
            proxy_http_version 1.1;
            proxy_set_header Connection "";`;

const TLS = "http2 on; ssl_certificate tls.crt; ssl_certificate_key tls.key;";

interface Work extends ProxyOptions {
  /** Text inside `http { }`, by port. */
  readonly http?: (port: number) => string;
  /** Text inside one `server { }`. */
  readonly locations?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly lua?: boolean;
}

async function start(
  upstreams: Upstreams,
  { http, locations, files = {}, lua, tls, workers = 1 }: Work,
): Promise<Subject> {
  const server = (port: number): string =>
    locations === undefined
      ? ""
      : `server { listen 127.0.0.1:${port}${tls ? " ssl" : ""} backlog=4096; ${tls ? TLS : ""} ${locations} }`;
  const { port, pids, close } = await startStaticNginx({
    ...{ cpus: processorsFor(workers), workers, lua },
    files: { ...files, ...(tls && { "tls.crt": tls.certificate, "tls.key": tls.key }) },
    http: (own) => `
    upstream backend { server 127.0.0.1:${upstreams.backend}; keepalive 512; keepalive_requests 1000000; }
    ${http?.(own) ?? ""}
    ${server(own)}`,
  });
  return { port, pids, close };
}
