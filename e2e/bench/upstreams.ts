import { freePort } from "../harness/free-port.js";
import type { Closable } from "../harness/scene.js";
import { LOAD_CPU } from "./processors.js";
import { startStaticNginx } from "./static-nginx.js";

/** Ports of what stands behind the proxies. */
export interface Upstreams extends Closable {
  /** Answers everything with 100 bytes. */
  readonly backend: number;
  /** The same with other bytes, to see a change of endpoints. */
  readonly otherBackend: number;
  /** Answers everything with 200 and a short body, as auth services do. */
  readonly auth: number;
}

export const BODY = "b".repeat(100);
export const OTHER_BODY = "o".repeat(100);

export async function startUpstreams(): Promise<Upstreams> {
  const [otherBackend, auth] = [await freePort(), await freePort()];
  const { port, close } = await startStaticNginx({
    cpu: LOAD_CPU,
    http: (own) =>
      [server(own, BODY), server(otherBackend, OTHER_BODY), server(auth, "ok")].join(""),
  });
  return { backend: port, otherBackend, auth, close };
}

function server(port: number, body: string): string {
  return `
    server {
        listen 127.0.0.1:${port} backlog=4096;
        default_type text/plain;
        location / { return 200 "${body}"; }
    }`;
}
