/** A service account for albc, as pods have it: the users of a kubeconfig may be exempt from the API server's flow control. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE_ACCOUNT } from "../../../src/kubernetes/service-account.js";
import type { Cluster, Manifest } from "../../cluster/cluster.js";

const NAME = "albc-bench";
/** Seconds. */
const VALID = 4 * 3600;

/** Creates it and puts its files where pods have them. Returns the variables that the kubelet would set. */
export async function giveServiceAccount(cluster: Cluster): Promise<Record<string, string>> {
  const { namespace, client, config } = cluster;
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } };
  await cluster.apply(account);
  await cluster.apply({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `${NAME}-${namespace}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: NAME, namespace }],
  } satisfies Manifest);
  const answer = (await client.call({
    method: "POST",
    path: `${cluster.path(account)}/token`,
    body: { spec: { expirationSeconds: VALID } },
  })) as { readonly status: { readonly token: string } };
  const { server, caData = "" } = config.getCurrentCluster() ?? { server: "" };
  await mkdir(SERVICE_ACCOUNT, { recursive: true });
  await writeFile(join(SERVICE_ACCOUNT, "ca.crt"), Buffer.from(caData, "base64"));
  await writeFile(join(SERVICE_ACCOUNT, "token"), answer.status.token, { mode: 0o600 });
  const { hostname, port } = new URL(server);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: "" };
}
