/**
 * HAProxy, configured for the work that the gateway does on its plainest route. A map finds the route, as its documentation
 * recommends for many; all routes have one backend, so that they share its connections.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.js";
import { makeTempFolder, removeFolder } from "../../harness/temp-folder.js";
import { PinnedProcess } from "../pinned-process.js";
import { processorsFor } from "../processors.js";
import type { ProxyOptions, Subject } from "../subject.js";
import { rules } from "../traffic.js";

export interface HaproxyOptions extends ProxyOptions {
  /** Command that runs it. */
  readonly command: string;
  readonly rules: number;
  readonly backend: number;
  readonly login?: { readonly user: string; readonly hash: string; readonly authorization: string };
}

export async function startHaproxy(options: HaproxyOptions): Promise<Subject> {
  const folder = await makeTempFolder();
  const port = await freePort();
  await writeFile(join(folder, "routes.map"), routesMap(options.rules));
  await writeFile(join(folder, "haproxy.cfg"), configuration(options, port));
  const { tls, workers = 1 } = options;
  if (tls) await writeFile(join(folder, "tls.pem"), `${tls.certificate}${tls.key}`);
  const words = [options.command, "-f", "haproxy.cfg"];
  const server = new PinnedProcess(processorsFor(workers), words, { cwd: folder });
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

/** `host/path` → route, looked up by the longest beginning. */
function routesMap(count: number): string {
  return rules(count)
    .map(({ host, path, index }) => `${host}${path} app-${index}\n`)
    .join("");
}

function configuration(options: HaproxyOptions, port: number): string {
  const { login, backend, tls, workers = 1 } = options;
  const users = login && `userlist users\n    user ${login.user} password ${login.hash}\n`;
  const auth = login && "    http-request auth unless { http_auth(users) }\n";
  return `global
    nbthread ${workers}
    maxconn 4096
defaults
    mode http
    http-reuse always
    timeout connect 5s
    timeout client 60s
    timeout server 60s
${users ?? ""}frontend bench
    bind 127.0.0.1:${port} backlog 4096${tls ? " ssl crt tls.pem alpn h2,http/1.1" : ""}
${auth ?? ""}    option forwardfor
    unique-id-format %{+X}o%ci:%cp_%fi:%fp_%Ts_%rt:%pid
    http-request set-header X-Real-IP %[src]
    http-request set-header X-Forwarded-Proto http
    http-request set-header X-Forwarded-Host %[req.hdr(host)]
    http-request set-header X-Forwarded-Port %[dst_port]
    http-request set-header X-Scheme http
    http-request set-header X-Original-URI %[pathq]
    http-request set-header X-Request-ID %[unique-id]
    http-request del-header Proxy
    http-request set-var(txn.route) base,map_beg(routes.map)
    http-request return status 404 unless { var(txn.route) -m found }
    default_backend apps
backend apps
    server one 127.0.0.1:${backend}
`;
}
