import { cpus } from "node:os";
import type { Controller } from "../../controller/controller.js";
import type { Log } from "../../controller/log.js";
import type { Observer } from "../../controller/observer.js";
import type { Applied } from "../../output/apply.js";
import { environmentFiles } from "../../output/environment.js";
import { luaBundle } from "../../output/lua-bundle.js";
import type { NginxBinary } from "../../output/nginx-binary.js";
import { mostSockets } from "../../output/nginx-directives.js";
import type { CompileOptions } from "../../options.js";
import type { RenderedFile } from "../../render/rendered-file.js";
import type { RunCall } from "../arguments.js";
import { compileOptions } from "../settings.js";
import type { Settings } from "../settings.js";
import type { Terminal } from "../terminal.js";

/** Where `albc run` has its objects from. */
export interface RunSource {
  readonly controller: Controller;
  /** Resolves when the first objects are known and changes are noticed. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface RunContext {
  readonly call: RunCall;
  readonly settings: Settings;
  readonly log: Log;
  readonly observer: Observer;
  readonly terminal: Terminal;
  /** Absent when somebody else runs nginx. */
  readonly nginx?: NginxBinary;
}

export type Apply = (files: readonly RenderedFile[]) => Promise<Applied>;

/** Those of the settings; what nginx is found not to have can't be switched on. */
export function runOptions({
  call,
  settings,
  nginx,
}: Pick<RunContext, "call" | "settings" | "nginx">): CompileOptions {
  const options = compileOptions(settings);
  return {
    ...options,
    // In a cluster an Ingress without a class may be another controller's.
    ingressWithoutClass: !call.kubernetes || settings.switch("ingressWithoutClass"),
    stream: options.stream && (nginx?.stream ?? true),
    listenerSockets: Math.min(options.listenerSockets, mostSockets()),
    processors: cpus().length,
  };
}

/** Files that do not come from compiling: the Lua code and what the machine needs. */
export async function fixedFiles({
  settings,
  nginx,
}: RunContext): Promise<readonly RenderedFile[]> {
  return [
    ...(await luaBundle()),
    ...(await environmentFiles({
      resolver: settings.list("resolver"),
      caFile: settings.text("authCaFile"),
      ...(nginx !== undefined && { nginx: nginx.version }),
    })),
  ];
}
