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
  /** Answers everything with 204. */
  readonly emptyAuth: number;
}

export const BODY = "b".repeat(100);
export const OTHER_BODY = "o".repeat(100);

export async function startUpstreams(): Promise<Upstreams> {
  const [otherBackend, auth, emptyAuth] = [await freePort(), await freePort(), await freePort()];
  const { port, close } = await startStaticNginx({
    cpu: LOAD_CPU,
    http: (own) =>
      [
        server(own, `200 "${BODY}"`),
        server(otherBackend, `200 "${OTHER_BODY}"`),
        server(auth, '200 "ok"'),
        server(emptyAuth, "204"),
      ].join(""),
  });
  return { backend: port, otherBackend, auth, emptyAuth, close };
}

function server(port: number, answer: string): string {
  return `
    server {
        listen 127.0.0.1:${port} backlog=4096;
        default_type text/plain;
        location / { return ${answer}; }
    }`;
}
