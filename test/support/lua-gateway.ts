import { filled } from "../../src/support/json-object.js";
import type { SourceRef } from "../../src/model/values.js";
import { fileURLToPath } from "node:url";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { send, type Request, type Target } from "../../e2e/harness/http-client.js";
import type { HttpResponse } from "../../e2e/harness/http-message.js";
import type { Closable } from "../../e2e/harness/scene.js";
import type { AuthConfig, CredentialSet } from "../../src/model/auth.js";
import type { DataPlaneConfig } from "../../src/model/config.js";
import { onePlace, type Route } from "../../src/model/route.js";
import type { Upstream } from "../../src/model/upstream.js";
import { DEFAULT_OPTIONS, type CompileOptions } from "../../src/model/options.js";
import { Renderer } from "../../src/render.js";
import { startNginx, type NginxProcess } from "./nginx-process.js";

const LUA = fileURLToPath(new URL("../../lua", import.meta.url));
const SOURCE: SourceRef = ["Test", "default", "test", ""];

/** What a test says about a route; the rest is the simplest that there is. */
export type TestRoute = Partial<Omit<Route, "auth">> & { readonly auth?: readonly AuthConfig[] };

export interface LuaGatewaySetup {
  /** Port of the backend, on 127.0.0.1. */
  readonly backend: number;
  /** Routes by the host that they serve. */
  readonly routes: Readonly<Record<string, TestRoute>>;
  /** Routes that nginx.conf is made for, where a reload for the others is still to come. */
  readonly loaded?: Readonly<Record<string, TestRoute>>;
  readonly credentials?: readonly CredentialSet[];
  /** Besides the backend's, which is `backend`. */
  readonly upstreams?: readonly Upstream[];
  readonly options?: Partial<CompileOptions>;
  /** Files below environment/: what the machine knows, such as the name servers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Changes the model that is made of all that; `port` is the server's. */
  readonly model?: (model: DataPlaneConfig, port: number) => DataPlaneConfig;
}

/** The data plane as it is shipped, rendered from a model that a test makes. */
export class LuaGateway implements Closable {
  readonly nginx: NginxProcess;
  #log = "";

  private constructor(nginx: NginxProcess) {
    this.nginx = nginx;
  }

  static async start(setup: LuaGatewaySetup): Promise<LuaGateway> {
    const options = { ...DEFAULT_OPTIONS, ...setup.options };
    const dataPlane = { workers: 1, accessLog: "off", ...setup.options?.dataPlane };
    const rendered = (from: LuaGatewaySetup, port: number) =>
      Object.fromEntries(
        new Renderer()
          .render((from.model ?? same)(modelOf(from, port), port), {
            ...options,
            dataPlane: { ...options.dataPlane, ...dataPlane },
          })
          .map(({ path, contents }) => [
            path,
            typeof contents === "string" ? contents : contents.reveal(),
          ]),
      );
    const files = (port: number) => {
      const all = rendered(setup, port);
      if (setup.loaded === undefined) return all;
      const before = rendered({ ...setup, routes: setup.loaded }, port);
      return { ...all, "nginx.conf": before["nginx.conf"] ?? "" };
    };
    const environment = Object.entries(setup.environment ?? {});
    const nginx = await startNginx({
      files: (port) => ({
        ...files(port),
        ...Object.fromEntries(environment.map(([name, text]) => [`environment/${name}`, text])),
      }),
      prepare: (dir) => symlinkSync(LUA, join(dir, "lua")),
    });
    return new LuaGateway(nginx);
  }

  target(over: Partial<Target> = {}): Target {
    return { port: this.nginx.port, ...over };
  }

  /** One request on a connection of its own. */
  async send(request: Request & Partial<Target>): Promise<HttpResponse> {
    return send(this.target(request), request);
  }

  /** What nginx has logged since this was last asked. */
  newLog(): string {
    const before = this.#log.length;
    this.#log = this.nginx.errorLog();
    return this.#log.slice(before);
  }

  async close(): Promise<void> {
    await this.nginx.stop();
  }
}

const same = (model: DataPlaneConfig) => model;

function modelOf(setup: LuaGatewaySetup, port: number): DataPlaneConfig {
  const hosts = Object.entries(setup.routes);
  const auths = new Map(
    hosts.flatMap(([, { auth = [] }]) => auth.map((policy) => [policy.id, policy])),
  );
  const backend = {
    id: "backend",
    endpoints: [["127.0.0.1", setup.backend] as const],
  };
  return {
    servers: [{ id: "test", addresses: ["127.0.0.1"], port, tls: false }],
    listeners: [{ id: "test", server: "test", hostname: { kind: "any" } }],
    bindings: hosts.map(([host], index) => ({
      at: onePlace("test", { kind: "exact", host }),
      path: undefined,
      when: [],
      order: String(index).padStart(4, "0"),
      route: host,
    })),
    routes: hosts.map(([host, { auth = [], ...route }]) => ({
      id: host,
      source: SOURCE,
      backends: [{ upstream: "backend", weight: 1, protocol: "http" }],
      ...route,
      ...filled(
        "auth",
        auth.map(({ id }) => id),
      ),
    })),
    auths: [...auths.values()],
    inherited: [],
    credentials: setup.credentials ?? [],
    backendTls: [],
    upstreams: [backend, ...(setup.upstreams ?? [])],
    serverCertificates: [],
    certificates: [],
    streams: [],
    pools: [],
    streamUpstreams: [],
  };
}

let policies = 0;

/** An auth policy with an id of its own. */
export function authPolicy(parts: Partial<AuthConfig>): AuthConfig {
  policies += 1;
  return { id: `test/${policies}`, source: SOURCE, ...parts };
}

/** Stands for the gateway's own port in auth URLs until that is known. */
export const OWN_PORT = 1;

/** For `model` of `LuaGateway.start`: the upstream `self` and auth URLs with OWN_PORT lead to the gateway itself. */
export function withOwnPort(model: DataPlaneConfig, port: number): DataPlaneConfig {
  const auths = JSON.parse(
    JSON.stringify(model.auths).replaceAll(`"port":["${OWN_PORT}"]`, `"port":["${port}"]`),
  ) as DataPlaneConfig["auths"];
  const self = { id: "self", endpoints: [["127.0.0.1", port]] } as const;
  return { ...model, auths, upstreams: [...model.upstreams, self] };
}
