import { KubeConfig } from "@kubernetes/client-node";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";

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
    // The lines after the first quote the file, tokens included.
    const [reason] = errorText(error).split("\n", 1);
    throw new EnvironmentError(`the kubeconfig can't be read: ${reason}`, { cause: error });
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new EnvironmentError(
      "no cluster was found: set KUBECONFIG, or run albc in a pod with a service account",
    );
  }
  const protocol = URL.canParse(cluster.server) ? new URL(cluster.server).protocol : "";
  if (protocol !== "https:" && protocol !== "http:") {
    throw new EnvironmentError(
      `the kubeconfig's server "${cluster.server}" is no https:// URL: correct it`,
    );
  }
  // client-node throws at each call otherwise, so that tokens don't travel in the clear by mistake.
  if (protocol === "http:" && !cluster.skipTLSVerify) {
    throw new EnvironmentError(
      `the kubeconfig's server ${cluster.server} is not encrypted: give an https:// server, or set insecure-skip-tls-verify for one that may be asked in the clear`,
    );
  }
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "";
  return { config, namespace };
}
