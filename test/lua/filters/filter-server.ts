import { EchoBackend, type EchoScript, asking } from "../../../e2e/harness/echo-backend.js";
import { type Request, send, sendBytes } from "../../../e2e/harness/http-client.js";
import type { HeaderLines, HttpResponse } from "../../../e2e/harness/http-message.js";
import type { PolicyRoute, PolicyServer } from "../../../src/model/policy.js";
import { startLuaNginx } from "../../support/lua-nginx.js";

/** What one request meets. */
export interface Setup {
  /** Filters of the route; it needs nothing else. */
  readonly route: Partial<PolicyRoute>;
  readonly server?: Pick<PolicyServer, "port" | "tls">;
  /** Scheme of the client's access. */
  readonly scheme?: "http" | "https";
  /** What the backend answers. */
  readonly answer?: EchoScript;
  /** The backend is in a location that sends the request's own target, as gRPC's does. */
  readonly inPlace?: boolean;
}

/** nginx that applies the filters of the route that a request brings, in front of an echo backend. */
export interface FilterServer {
  send(setup: Setup, request: Request): Promise<HttpResponse>;
  /** GET over HTTP/1.0, which needs no Host header. */
  sendWithoutHost(setup: Setup, path: string): Promise<HttpResponse>;
  errorLog(): string;
  stop(): Promise<void>;
}

const conf = (backend: number) => `
location / {
    set $albc_after "";
      set $albc_target "";
    set $albc_host "";
    set $albc_reason "";
    set $albc_marked "";
    rewrite_by_lua_block { require("filters.phases").rewrite() }
    header_filter_by_lua_block { require("filters.phases").header_filter() }
    proxy_http_version 1.1;
    proxy_set_header Host $albc_upstream_host;
    proxy_pass http://127.0.0.1:${backend}$albc_target;
}
location @in_place {
    header_filter_by_lua_block { require("filters.phases").header_filter() }
    proxy_http_version 1.1;
    proxy_pass http://127.0.0.1:${backend};
}`;

/** The setup as the request carries it. */
function linesOf(setup: Setup): HeaderLines {
  const { route, server = { port: 80, tls: false }, scheme, answer, inPlace } = setup;
  const json = Buffer.from(JSON.stringify({ route, server, inPlace })).toString("base64");
  return [
    ["X-Test-Setup", json],
    ...(scheme === undefined ? [] : [["X-Test-Scheme", scheme] as const]),
    ...(answer === undefined ? [] : [asking(answer)]),
  ];
}

export async function startFilterServer(): Promise<FilterServer> {
  const backend = await EchoBackend.start("backend");
  const nginx = await startLuaNginx({
    http: `
      lua_transform_underscores_in_response_headers off;
      large_client_header_buffers 4 64k;
      absolute_redirect off;
      map $albc_host $albc_upstream_host { default $albc_host; "" $http_host; }
      map $http_x_test_scheme $albc_scheme { default $http_x_test_scheme; "" $scheme; }`,
    server: conf(backend.port),
  });
  return {
    send: (setup, request) =>
      send(nginx, { ...request, headers: [...linesOf(setup), ...(request.headers ?? [])] }),
    sendWithoutHost: (setup, path) => {
      const lines = linesOf(setup).map(([name, value]) => `${name}: ${value}\r\n`);
      return sendBytes(nginx, `GET ${path} HTTP/1.0\r\n${lines.join("")}\r\n`);
    },
    errorLog: () => nginx.errorLog(),
    stop: async () => {
      await nginx.stop();
      await backend.close();
    },
  };
}
