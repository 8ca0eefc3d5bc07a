import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import { KubernetesController } from "../../controller/kubernetes-controller.js";
import type { Replica } from "../../controller/status-publisher.js";
import { ApiClient } from "../../kubernetes/api-client.js";
import { loadKubeConfig } from "../../kubernetes/kube-config.js";
import type { Apply, RunContext, RunSource } from "./run-source.js";
import { fixedFiles, runOptions } from "./run-source.js";

/**
 * How much the heap may grow, in percent, before it is collected. By itself Node lets it double, and most of a large cluster's heap is
 * objects that stay.
 */
const HEAP_GROWTH = 10;

/** The objects of the cluster that the kubeconfig names, else of the one that albc runs in. */
export async function clusterSource(context: RunContext, apply: Apply): Promise<RunSource> {
  const { settings, log, observer, terminal } = context;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const config = loadKubeConfig();
  const replica = await thisReplica(terminal.variables, config.namespace);
  const wanted = settings.list("secretNamespaces");
  const secretNamespaces = wanted.length > 0 ? wanted : [replica.namespace];
  const controller = new KubernetesController({
    client: new ApiClient(config.config),
    options: { ...runOptions(context), secretNamespaces },
    scope: {
      namespaces: settings.list("namespaces"),
      secretNamespaces,
      labelSelector: settings.text("selector"),
    },
    replica,
    log,
    observer,
    fixedFiles: await fixedFiles(context),
    apply,
  });
  return { controller, start: () => controller.start(), close: () => controller.close() };
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
