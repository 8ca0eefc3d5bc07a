/** nginx with a configuration written here: backend, auth service, and what the gateway is compared with. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { freePort } from "../harness/free-port.js";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { waitFor } from "../harness/wait.js";
import { findNginx } from "../../src/output/nginx-binary.js";
import { childrenOf } from "./cpu-time.js";
import { PinnedProcess } from "./pinned-process.js";

export interface StaticNginx extends Closable {
  readonly port: number;
  /** Its workers. */
  readonly pids: readonly number[];
}

export interface StaticNginxOptions {
  /** As taskset takes them. */
  readonly cpus: string;
  readonly workers?: number;
  /** Text inside `http { }`; `port` is free to listen on. */
  readonly http: (port: number) => string;
  /** With ngx_lua. */
  readonly lua?: boolean | undefined;
  /** Files below its folder. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function startStaticNginx(options: StaticNginxOptions): Promise<StaticNginx> {
  const folder = await makeTempFolder();
  // Workers may have another user than the one who measures.
  await chmod(folder, 0o755);
  const port = await freePort();
  const { cpus, workers = 1 } = options;
  const files = { "nginx.conf": configuration(options.http(port), workers), ...options.files };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { directives, variables } = options.lua
    ? await findNginx({ given: nginxBinary(), path: "" })
    : { directives: "", variables: {} };
  const words = [nginxBinary(), "-p", folder, "-c", "nginx.conf", "-e", "stderr", "-g", directives];
  const server = new PinnedProcess(cpus, words, { cwd: folder, env: variables });
  const close = async (): Promise<void> => {
    await server.close();
    await removeFolder(folder);
  };
  try {
    await server.listening(port);
    const pids = await waitFor("nginx has its workers", async () => {
      const children = await childrenOf(server.pid);
      return children.length === workers && children;
    });
    return { port, pids, close };
  } catch (error: unknown) {
    await close();
    throw error;
  }
}

/** The nginx that is measured. */
export function nginxBinary(): string {
  const path = process.env["NGINX_BIN"];
  if (path === undefined) throw new Error("NGINX_BIN names no nginx");
  return path;
}

function configuration(http: string, workers: number): string {
  return `
daemon off;
worker_processes ${workers};
pid nginx.pid;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000;
    client_max_body_size 0;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    ${http}
}
`;
}
