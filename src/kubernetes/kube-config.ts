import { KubeConfig } from "@kubernetes/client-node";
import { EnvironmentError } from "../support/environment-error.js";

export interface LoadedKubeConfig {
  readonly config: KubeConfig;
  /** Of the current context; empty when it names none. */
  readonly namespace: string;
}

/** KUBECONFIG, else ~/.kube/config, else the service account of the pod. Throws EnvironmentError when none of them is there. */
export function loadKubeConfig(): LoadedKubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EnvironmentError(`the kubeconfig can't be read: ${reason}`, { cause: error });
  }
  if (config.getCurrentCluster() === null) {
    throw new EnvironmentError(
      "no cluster was found: set KUBECONFIG, or run albc in a pod with a service account",
    );
  }
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "";
  return { config, namespace };
}
