/** A run folder with a rendered configuration, and the nginx that runs on it, for tests of src/output. */
import { findNginx, type NginxBinary } from "../../src/output/nginx-binary.js";
import { luaBundle } from "../../src/output/environment.js";
import { NginxProcess } from "../../src/output/nginx-process.js";
import { DEFAULT_OPTIONS, type DataPlaneOptions } from "../../src/model/options.js";
import type { DataPlaneConfig } from "../../src/model/config.js";
import type { RenderedFile } from "../../src/render/rendered-file.js";
import { Renderer } from "../../src/render.js";
import { EMPTY_CONFIG, plainRoute } from "./data-plane-config.js";
import { onePlace } from "../../src/model/route.js";

/** What a test's nginx did and said. */
export interface Events {
  readonly lines: string[];
  readonly deaths: string[];
  restarts: number;
}

export async function testBinary(): Promise<NginxBinary> {
  return findNginx({ given: process.env["ALBC_TEST_NGINX"], path: "" });
}

export function makeProcess(
  binary: NginxBinary,
  folder: string,
  drainTimeout = 5000,
): { readonly nginx: NginxProcess; readonly events: Events } {
  const events: Events = { lines: [], deaths: [], restarts: 0 };
  const nginx = new NginxProcess({
    binary,
    folder,
    drainTimeout,
    onLine: (line) => events.lines.push(line),
    onDeath: (reason) => events.deaths.push(reason),
    onRestart: () => {
      events.restarts += 1;
    },
  });
  return { nginx, events };
}

/** A server at the port that forwards each of the paths to the backend. */
export function forwarding(
  port: number,
  backend: number,
  paths: readonly string[],
): DataPlaneConfig {
  return {
    ...EMPTY_CONFIG,
    servers: [{ id: `p${String(port)}`, addresses: ["127.0.0.1"], port, tls: false }],
    listeners: [{ id: "l", server: `p${String(port)}`, hostname: { kind: "any" } }],
    bindings: paths.map((path) => ({
      at: onePlace("l", { kind: "any" }),
      path: ["exact", path],
      when: [],
      order: path,
      route: path,
    })),
    routes: paths.map((path) => plainRoute(path)),
    upstreams: [{ id: "default/web/80", endpoints: [["127.0.0.1", backend]] }],
  };
}

/** All files of a run folder, the Lua code included. */
export async function filesOf(
  config: DataPlaneConfig,
  dataPlane: Partial<DataPlaneOptions> = {},
): Promise<readonly RenderedFile[]> {
  const options = {
    ...DEFAULT_OPTIONS,
    dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 2, accessLog: "off", ...dataPlane },
  };
  return [...new Renderer().render(config, options), ...(await luaBundle())];
}
