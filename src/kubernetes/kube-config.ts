import { KubeConfig } from "@kubernetes/client-node";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";

/**
 * From KUBECONFIG, ~/.kube/config, or the service account of the pod. `namespace`: of the current context, may be empty. Throws
 * EnvironmentError.
 */
export function loadKubeConfig(): { readonly config: KubeConfig; readonly namespace: string } {
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (error: unknown) {
    // Only the first line: the others quote the file, including tokens.
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
  // client-node would throw at each call, so that tokens are not sent unencrypted by mistake.
  if (protocol === "http:" && !cluster.skipTLSVerify) {
    throw new EnvironmentError(
      `the kubeconfig's server ${cluster.server} is not encrypted: give an https:// server, or set insecure-skip-tls-verify for one that may be asked in the clear`,
    );
  }
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "";
  return { config, namespace };
}
