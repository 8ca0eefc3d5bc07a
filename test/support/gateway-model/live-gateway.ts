/** The product on one real nginx, whose policy is swapped for each world. */
import type { Closable } from "../../../e2e/harness/scene.js";
import { asking, EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { Connection } from "../../../e2e/harness/http-client.js";
import type { HttpResponse } from "../../../e2e/harness/http-message.js";
import { compile } from "../../../src/compile.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { Applier } from "../../../src/output/apply.js";
import { luaBundle } from "../../../src/output/environment.js";
import type { NginxProcess } from "../../../src/output/nginx-process.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";
import { freePort } from "../free-port.js";
import { makeProcess, testBinary } from "../run-folder.js";
import type { Ports } from "./evaluate.js";
import { manifests } from "./manifests.js";
import {
  ANSWERED,
  type Outcome,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  type Request,
  type World,
} from "./world.js";

const OPTIONS = {
  ...DEFAULT_OPTIONS,
  // No Ingress is served.
  httpPort: 0,
  httpsPort: 0,
  dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "off", ipv6: false },
};
const ANSWER = asking({
  headers: Object.entries(ANSWERED).filter(([, value]) => value !== ""),
});

export class LiveGateway implements Closable {
  readonly ports: Ports;
  readonly #backends: readonly EchoBackend[];
  readonly #applier: Applier;
  readonly #nginx: NginxProcess;
  readonly #lua: readonly RenderedFile[];
  readonly #connections = new Map<number, Connection>();
  #started = false;

  private constructor(
    parts: {
      readonly ports: Ports;
      readonly backends: readonly EchoBackend[];
      readonly lua: readonly RenderedFile[];
    },
    applier: Applier,
    nginx: NginxProcess,
  ) {
    this.ports = parts.ports;
    this.#backends = parts.backends;
    this.#lua = parts.lua;
    this.#applier = applier;
    this.#nginx = nginx;
  }

  /** `folder`: an empty one. */
  static async start(folder: string): Promise<LiveGateway> {
    const ports = [await freePort(), await freePort()] as const;
    const backends = [await EchoBackend.start("one"), await EchoBackend.start("two")];
    const run = await makeRunFolder(folder);
    const { nginx } = makeProcess(await testBinary(), run);
    const parts = { ports, backends, lua: await luaBundle() };
    return new LiveGateway(parts, new Applier({ folder: run, reloader: nginx }), nginx);
  }

  /** Returns when the world is served. */
  async serve(world: World): Promise<void> {
    const backends = Object.fromEntries(this.#backends.map(({ name, port }) => [name, port]));
    const { resources } = resourcesFromObjects(manifests(world, this.ports, backends));
    if (resources.refused.length > 0) {
      throw new Error(`refused: ${JSON.stringify(resources.refused)}`);
    }
    const files = [...compile(resources, OPTIONS).files, ...this.#lua];
    if (this.#started) {
      await this.#applier.apply(files);
    } else {
      await this.#applier.prepare(files);
      await this.#nginx.start();
      this.#started = true;
    }
  }

  async ask(request: Request): Promise<Outcome> {
    const port = this.ports[request.port];
    const open = this.#connections.get(port);
    const connection = open && !open.reader.ended ? open : await Connection.open({ port });
    const response = await connection.send({
      method: request.method,
      path: request.target,
      host: request.host,
      headers: [...request.headers.map(({ name, value }) => [name, value] as const), ANSWER],
    });
    // nginx closes after requests that it can't read and after errors of its own.
    if (response.header("connection") === "close") {
      connection.close();
      this.#connections.delete(port);
    } else {
      this.#connections.set(port, connection);
    }
    return outcomeOf(response);
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.values()) connection.close();
    if (this.#started) await this.#nginx.stop(0);
    for (const backend of this.#backends) await backend.close();
  }
}

function outcomeOf(response: HttpResponse): Outcome {
  const { status } = response;
  const location = response.header("location");
  if (location !== undefined) return { status, location };
  if (response.header("x-echo") === undefined) return { status };
  const echo = echoOf(response);
  const values = (names: readonly string[], all: (name: string) => string[]) =>
    Object.fromEntries(names.map((name) => [name, all(name).join(",")]));
  return {
    status,
    forwarded: {
      backend: echo.backend,
      url: echo.url,
      host: echo.all("host").join(","),
      request: values(REQUEST_HEADERS, (name) => echo.all(name)),
      response: values(RESPONSE_HEADERS, (name) => response.all(name)),
    },
  };
}
