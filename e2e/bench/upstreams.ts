import { fileURLToPath } from "node:url";
import { freePort } from "../harness/free-port.js";
import { type Closable, Scene } from "../harness/scene.js";
import { PinnedProcess } from "./pinned-process.js";
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
  /** For large bodies and connections that stay, see streams.ts. */
  readonly streams: number;
}

export const BODY = "b".repeat(100);
export const OTHER_BODY = "o".repeat(100);

export async function startUpstreams(): Promise<Upstreams> {
  const cpus = String(LOAD_CPU);
  const [otherBackend, auth, emptyAuth] = [await freePort(), await freePort(), await freePort()];
  const scene = new Scene();
  const { port } = await scene.use(
    startStaticNginx({
      cpus,
      http: (own) =>
        [
          server(own, `200 "${BODY}"`),
          server(otherBackend, `200 "${OTHER_BODY}"`),
          server(auth, '200 "ok"'),
          server(emptyAuth, "204"),
        ].join(""),
    }),
  );
  const streams = await freePort();
  const program = fileURLToPath(new URL("streams.js", import.meta.url));
  const words = [process.execPath, program, String(streams)];
  const backend = await scene.use(Promise.resolve(new PinnedProcess(cpus, words, { cwd: "/" })));
  await backend.listening(streams);
  return { backend: port, otherBackend, auth, emptyAuth, streams, close: () => scene.close() };
}

function server(port: number, answer: string): string {
  return `
    server {
        listen 127.0.0.1:${port} backlog=4096;
        default_type text/plain;
        location / { return ${answer}; }
    }`;
}
