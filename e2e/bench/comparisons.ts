/** nginx without us: bare `proxy_pass`, the limit; and its own ways to authenticate. */
import type { Subject } from "./subject.js";
import { PROXY_CPU } from "./processors.js";
import { startStaticNginx } from "./static-nginx.js";
import type { Upstreams } from "./upstreams.js";

/** `proxy_pass` over kept connections and nothing else: one location, no header but those of the protocol. */
export async function startBare(upstreams: Upstreams, rules: number): Promise<Subject> {
  const { port, pids, close } = await startStaticNginx({
    cpu: PROXY_CPU,
    http: (own) => http(own, upstreams, `location / { ${forward} }`),
  });
  return { name: "bare proxy_pass", rules, port, pids, close };
}

/** `proxy_pass` with the headers for the backend that every gateway adds, from this one's own list. */
export async function startWithHeaders(upstreams: Upstreams, rules: number): Promise<Subject> {
  const { port, pids, close } = await startStaticNginx({
    cpu: PROXY_CPU,
    http: (own) => `
    map $http_upgrade $upgrade_to { default ""; websocket websocket; }
    map $upgrade_to $connection_to { default ""; websocket upgrade; }
    map $http_x_request_id $id { default $request_id; "~^[\\w.:+/=@-]{1,128}$" $http_x_request_id; }
    proxy_buffering off;
    proxy_request_buffering off;
    ${http(
      own,
      upstreams,
      `location / {
            proxy_pass http://backend;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto http;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Port ${own};
            proxy_set_header X-Scheme http;
            proxy_set_header X-Request-ID $id;
            proxy_set_header Upgrade $upgrade_to;
            proxy_set_header Connection $connection_to;
        }`,
    )}`,
  });
  return { name: "proxy_pass, X-Forwarded-* and request id", rules, port, pids, close };
}

/** Bare, with `auth_basic`; it computes the hash for every request. */
export async function startAuthBasic(
  upstreams: Upstreams,
  login: { readonly htpasswd: string; readonly authorization: string },
): Promise<Subject> {
  const { port, pids, close } = await startStaticNginx({
    cpu: PROXY_CPU,
    files: { htpasswd: `${login.htpasswd}\n` },
    http: (own) =>
      http(
        own,
        upstreams,
        `location / { auth_basic "bench"; auth_basic_user_file htpasswd; ${forward} }`,
      ),
  });
  const { authorization } = login;
  return { name: "nginx auth_basic, apr1", rules: 10, port, pids, authorization, close };
}

/** Bare, with `auth_request`. */
export async function startAuthRequest(upstreams: Upstreams): Promise<Subject> {
  const { port, pids, close } = await startStaticNginx({
    cpu: PROXY_CPU,
    http: (own) =>
      http(
        own,
        upstreams,
        `location / { auth_request /.auth; ${forward} }
        location = /.auth {
            internal;
            proxy_pass http://auth/auth;
            proxy_http_version 1.1;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header Connection "";
            proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
        }`,
      ),
  });
  return { name: "nginx auth_request", rules: 10, port, pids, close };
}

const forward = `
            proxy_pass http://backend;
            proxy_http_version 1.1;
            proxy_set_header Connection "";`;

function http(port: number, upstreams: Upstreams, locations: string): string {
  return `
    upstream backend { server 127.0.0.1:${upstreams.backend}; keepalive 512; keepalive_requests 1000000; }
    upstream auth { server 127.0.0.1:${upstreams.auth}; keepalive 512; keepalive_requests 1000000; }
    server {
        listen 127.0.0.1:${port} backlog=4096;
        ${locations}
    }`;
}
