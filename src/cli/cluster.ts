/** The cluster of the kubeconfig, or the one that albc runs in: how the settings limit what is read, and reading it once. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiClient, ApiError } from "../kubernetes/api-client.js";
import type { WatchScope } from "../kubernetes/cluster-watch.js";
import { kindTable } from "../input/kind-table.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import { SERVICE_ACCOUNT } from "../kubernetes/service-account.js";
import { readTextFile } from "../output/files.js";
import type { CompileOptions } from "../model/options.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import { type Settings, compileOptions } from "./settings.js";
import type { Terminal } from "./terminal.js";

/** Bytes of a kubeconfig, and of a certificate or key that it names. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** `namespace`: the one that albc runs in, or the kubeconfig's. Throws EnvironmentError. */
export async function openApi(
  settings: Settings,
  { POD_NAMESPACE }: Terminal["variables"],
): Promise<{
  readonly client: ApiClient;
  readonly namespace: string;
  readonly scope: WatchScope;
}> {
  const { ApiClient, loadKubeConfig } = await import("../kubernetes/api-client.js");
  const { config, namespace: ofContext } = await loadKubeConfig((path) => {
    readTextFile(path, LARGEST_FILE);
  });
  const mounted = await readFile(join(SERVICE_ACCOUNT, "namespace"), "utf8").catch(() => "");
  const namespace = [POD_NAMESPACE, mounted.trim(), ofContext].find(Boolean) ?? "default";
  const secretNamespaces = settings.list("secretNamespaces");
  const scope = {
    namespaces: settings.list("namespaces"),
    secretNamespaces: secretNamespaces.length > 0 ? secretNamespaces : [namespace],
    labelSelector: settings.text("selector"),
    backendSelector: settings.text("backendSelector"),
  };
  return { client: new ApiClient(config), namespace, scope };
}

/** The options for objects of a cluster. */
export function clusterOptions(
  options: CompileOptions,
  settings: Settings,
  { secretNamespaces }: Pick<WatchScope, "secretNamespaces">,
): CompileOptions {
  // In a cluster an Ingress without a class may belong to another controller.
  const ingressWithoutClass = settings.switch("ingressWithoutClass");
  const authAddresses = settings.list("authAddresses");
  return { ...options, ingressWithoutClass, authAddresses, secretNamespaces };
}

/** All objects that `albc run --kubernetes` would watch. Throws EnvironmentError if one kind of them can't be read. */
export async function readCluster(
  settings: Settings,
  variables: Terminal["variables"],
): Promise<{ readonly objects: readonly RawObject[]; readonly options: CompileOptions }> {
  const { ClusterWatch } = await import("../kubernetes/cluster-watch.js");
  const { client, scope } = await openApi(settings, variables);
  const objects: RawObject[] = [];
  let onFailure: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (onFailure = reject));
  const watch = new ClusterWatch({
    ...{ client, scope, table: kindTable(settings.text("albApiGroup")) },
    onObject: (_, object) => void objects.push(object),
    onGone: () => undefined,
    onListedAgain: () => undefined,
    onError: (kind: string, { message }: ApiError) => {
      onFailure(new EnvironmentError(`the cluster's objects of ${kind} can't be read: ${message}`));
    },
    onDiscoveryError: (error: unknown) => {
      onFailure(new EnvironmentError(`the cluster can't be read: ${errorText(error)}`));
    },
  });
  try {
    await Promise.race([watch.start(), failed]);
  } finally {
    await watch.close();
    client.close();
  }
  return { objects, options: clusterOptions(compileOptions(settings), settings, scope) };
}
