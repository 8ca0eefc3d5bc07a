/** Puts a site on the API server and takes it away again. */
import { posix } from "node:path";
import type { Cluster, Manifest } from "../../cluster/cluster.js";
import { waitFor } from "../../harness/wait.js";
import { ApiError } from "../../../src/kubernetes/api-client.js";
import { CLASS, type Site } from "./site.js";

/** Calls under way at a time. */
const CALLERS = 8;

export async function populate(
  cluster: Cluster,
  site: Site,
  { routes, htpasswd }: { readonly routes: number; readonly htpasswd: string },
): Promise<void> {
  await cluster.apply(CLASS);
  for (const object of site.shared(htpasswd)) await create(cluster, object);
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < routes) {
      for (const object of site.application(next++)) await create(cluster, object);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Resolves when the last object of its namespace is gone, so that the next site has the API server for itself. Closes the client. */
export async function depopulate(cluster: Cluster): Promise<void> {
  const path = `/api/v1/namespaces/${cluster.namespace}`;
  await cluster.client.call({ method: "DELETE", path });
  await waitFor(`${cluster.namespace} is gone`, async () => !(await exists(cluster, path)), {
    deadline: 10 * 60_000,
    every: 500,
  });
  cluster.client.close();
}

async function create(cluster: Cluster, object: Manifest): Promise<void> {
  const path = posix.dirname(cluster.path(object));
  await cluster.client.call({ method: "POST", path, body: object });
}

async function exists(cluster: Cluster, path: string): Promise<boolean> {
  try {
    await cluster.client.call({ path });
    return true;
  } catch (error: unknown) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
