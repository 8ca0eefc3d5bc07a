import { fileURLToPath } from "node:url";
import { startNginx, type NginxProcess } from "./nginx-process.js";

/** Folder of the shipped Lua code, and of the Lua code of tests. */
const LUA = fileURLToPath(new URL("../../lua", import.meta.url));
const TEST_LUA = fileURLToPath(new URL("../lua", import.meta.url));

export interface LuaNginxSetup {
  /** Directives of `http`, before the server. */
  readonly http?: string;
  /** Directives of the server that also has the location for `call`. */
  readonly server?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly workers?: number;
}

/** nginx that runs Lua functions for tests. */
export interface LuaNginx extends NginxProcess {
  /**
   * Calls a function of a Lua module (shipped ones and those of test/lua) in the content phase of a worker and returns
   * all it returns. Strings may hold any bytes: give and get those beyond printable ASCII as Buffer. `nil` is null. A Lua error is thrown.
   */
  call(module: string, name: string, ...args: readonly unknown[]): Promise<readonly unknown[]>;
}

const encode = (_key: string, value: unknown): unknown => {
  if (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "Buffer" &&
    "data" in value
  ) {
    return { "%base64": Buffer.from(value.data as number[]).toString("base64") };
  }
  return value;
};

const decode = (_key: string, value: unknown): unknown => {
  if (typeof value === "object" && value !== null && "%base64" in value) {
    return Buffer.from(String(value["%base64"]), "base64");
  }
  return value;
};

/** Directives of `http` that every nginx of a test needs for Lua. */
export const luaDirectives = `
    lua_package_path "${LUA}/?.lua;${TEST_LUA}/?.lua;;";
    lua_shared_dict albc_policy 8m;
    lua_shared_dict albc_state 1m;
    lua_shared_dict albc_counters 1m;
    lua_shared_dict albc_outages 1m;
    lua_socket_log_errors off;
    uninitialized_variable_warn off;
    underscores_in_headers on;
    access_log off;
    client_body_temp_path tmp/client_body;
    proxy_temp_path tmp/proxy;
    fastcgi_temp_path tmp/fastcgi;
    uwsgi_temp_path tmp/uwsgi;
    scgi_temp_path tmp/scgi;
`;

const conf = (setup: LuaNginxSetup) => (port: number) => `
worker_processes ${setup.workers ?? 1};
pid nginx.pid;
error_log stderr warn;
pcre_jit on;
events { worker_connections 4096; }
http {
    ${luaDirectives}
    ${setup.http ?? ""}
    server {
        listen 127.0.0.1:${port};
        http2 on;
        client_max_body_size 0;
        location = /.lua {
            client_body_buffer_size 8m;
            content_by_lua_block { require("call").run() }
        }
        ${setup.server ?? ""}
    }
}
`;

/** Starts an nginx for Lua tests; stop it in afterAll. */
export async function startLuaNginx(setup: LuaNginxSetup = {}): Promise<LuaNginx> {
  const nginx = await startNginx({
    files: (port) => ({ "nginx.conf": conf(setup)(port), ...setup.files }),
  });
  return {
    ...nginx,
    call: async (module, name, ...args) => {
      const response = await fetch(`${nginx.origin}/.lua`, {
        method: "POST",
        body: JSON.stringify({ module, name, args }, encode),
      });
      const text = await response.text();
      if (!response.ok)
        throw new Error(`${module}.${name}: ${text}\n${nginx.errorLog().slice(-2000)}`);
      return JSON.parse(text, decode) as readonly unknown[];
    },
  };
}
