import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { cpus, hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { ClusterSource, Replica } from "../controller/cluster-source.js";
import type { ControllerOptions } from "../controller/controller.js";
import { Controller } from "../controller/controller.js";
import { FileSource } from "../controller/file-source.js";
import { readSources } from "../input/files.js";
import { environmentFiles } from "../output/environment.js";
import { luaBundle } from "../output/lua-bundle.js";
import type { NginxBinary } from "../output/nginx-binary.js";
import { mostSockets } from "../output/nginx-binary.js";
import type { CompileOptions } from "../model/options.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { RunCall } from "./arguments.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { Terminal } from "./terminal.js";

export interface RunContext extends Pick<ControllerOptions, "log" | "observer" | "apply"> {
  readonly call: RunCall;
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** Undefined when somebody else runs nginx. */
  readonly nginx?: NginxBinary | undefined;
}

/**
 * How much the heap may grow, in percent, before it is collected. By itself Node lets it double, and most of a large cluster's heap is
 * objects that stay.
 */
const HEAP_GROWTH = 10;

/** Of the files below the paths, or of the cluster that the kubeconfig names, else the one that albc runs in. Throws EnvironmentError. */
export async function createController(context: RunContext): Promise<Controller> {
  const { log, observer, apply } = context;
  const { source, options } = await (context.call.kubernetes ? cluster(context) : files(context));
  const common = { options, log, observer, apply, fixedFiles: await fixedFiles(context) };
  return new Controller(source, common);
}

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

interface SourceWithOptions<T> {
  readonly source: T;
  readonly options: CompileOptions;
}

async function files(context: RunContext): Promise<SourceWithOptions<FileSource>> {
  const { call, settings, log, terminal } = context;
  const options = runOptions(context);
  // Standard input can be read once only.
  const text = call.paths.includes("-") ? await terminal.readInput() : "";
  const source = new FileSource({
    options,
    log,
    paths: call.paths.filter((path) => path !== "-"),
    readSources: () =>
      readSources(call.paths, {
        readInput: () => Promise.resolve(text),
        missing: "report",
        followLinks: settings.switch("followLinks"),
      }),
  });
  return { source, options };
}

/** Loads the Kubernetes client, which takes longer than all the rest, only here. */
async function cluster(context: RunContext): Promise<SourceWithOptions<ClusterSource>> {
  const { settings, log, observer, terminal } = context;
  const { loadKubeConfig } = await import("../kubernetes/kube-config.js");
  const { ApiClient } = await import("../kubernetes/api-client.js");
  const { ClusterSource } = await import("../controller/cluster-source.js");
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const { config, namespace } = loadKubeConfig();
  const replica = await thisReplica(terminal.variables, namespace);
  const wanted = settings.list("secretNamespaces");
  const secretNamespaces = wanted.length > 0 ? wanted : [replica.namespace];
  const options = { ...runOptions(context), secretNamespaces };
  const source = new ClusterSource({
    client: new ApiClient(config),
    scope: {
      namespaces: settings.list("namespaces"),
      secretNamespaces,
      labelSelector: settings.text("selector"),
    },
    ...{ replica, options, log, observer },
  });
  return { source, options };
}

const SERVICE_ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** By the variables that the deployment sets, else by what can be found out. */
async function thisReplica(
  { POD_NAMESPACE, POD_NAME }: Readonly<Record<string, string | undefined>>,
  contextNamespace: string,
): Promise<Replica> {
  const mounted = await readFile(SERVICE_ACCOUNT_NAMESPACE, "utf8").catch(() => "");
  return {
    namespace: [POD_NAMESPACE, mounted.trim(), contextNamespace].find(Boolean) ?? "default",
    // A pod's name is unique, but a process that was killed and one that follows it are two.
    identity: `${POD_NAME ?? hostname()}_${randomUUID()}`,
  };
}

/** Files that do not come from compiling: the Lua code and what the machine needs. */
async function fixedFiles({ settings, nginx }: RunContext): Promise<readonly RenderedFile[]> {
  return [
    ...(await luaBundle()),
    ...(await environmentFiles({
      resolver: settings.list("resolver"),
      caFile: settings.text("authCaFile"),
      ...(nginx !== undefined && { nginx: nginx.version }),
    })),
  ];
}
