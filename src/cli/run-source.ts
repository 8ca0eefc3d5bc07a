import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { cpus, hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { ClusterSource } from "../controller/cluster-source.js";
import { FileSource } from "../controller/file-source.js";
import type { Observe } from "../health/observer.js";
import { readSources } from "../input/files.js";
import type { CompileOptions } from "../model/options.js";
import type { NginxBinary } from "../output/nginx-binary.js";
import { mostSockets } from "../output/nginx-binary.js";
import type { Log } from "../support/log.js";
import type { RunCall } from "./arguments.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { Terminal } from "./terminal.js";

interface RunContext {
  readonly call: RunCall;
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly log: Log;
  readonly observe: Observe;
  /** Undefined if albc does not run nginx. */
  readonly nginx?: NginxBinary | undefined;
}

/** Percent by which the heap may grow before it is collected. Node's default is 100, and most of a large cluster's heap stays alive. */
const HEAP_GROWTH = 10;

/** The source of the objects, and the options to compile them with. Throws EnvironmentError. */
export function openSource(
  context: RunContext,
): Promise<{ readonly source: FileSource | ClusterSource; readonly options: CompileOptions }> {
  return context.call.kubernetes ? openCluster(context) : openFiles(context);
}

/** The settings, limited to what nginx and this machine can do. */
export function runOptions({
  call,
  settings,
  nginx,
}: Pick<RunContext, "call" | "settings" | "nginx">): CompileOptions {
  const options = compileOptions(settings);
  return {
    ...options,
    // In a cluster an Ingress without a class may belong to another controller.
    ingressWithoutClass: !call.kubernetes || settings.switch("ingressWithoutClass"),
    stream: options.stream && (nginx?.stream ?? true),
    listenerSockets: Math.min(options.listenerSockets, mostSockets()),
    processors: cpus().length,
  };
}

async function openFiles(
  context: RunContext,
): Promise<{ readonly source: FileSource; readonly options: CompileOptions }> {
  const { call, settings, log, terminal } = context;
  const options = runOptions(context);
  // Standard input can be read only once.
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

/** The cluster of the kubeconfig, or the one that albc runs in. Only here the Kubernetes client is loaded, which takes long. */
async function openCluster(
  context: RunContext,
): Promise<{ readonly source: ClusterSource; readonly options: CompileOptions }> {
  const { settings, log, observe, terminal } = context;
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
    ...{ replica, options, log, observe },
  });
  return { source, options };
}

const SERVICE_ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** From the variables that the deployment sets, or else from the pod and the kubeconfig. */
async function thisReplica(
  { POD_NAMESPACE, POD_NAME }: Readonly<Record<string, string | undefined>>,
  contextNamespace: string,
): Promise<{ readonly namespace: string; readonly identity: string }> {
  const mounted = await readFile(SERVICE_ACCOUNT_NAMESPACE, "utf8").catch(() => "");
  return {
    namespace: [POD_NAMESPACE, mounted.trim(), contextNamespace].find(Boolean) ?? "default",
    // A pod's name is unique, but a process that was killed and its successor must differ.
    identity: `${POD_NAME ?? hostname()}_${randomUUID()}`,
  };
}
