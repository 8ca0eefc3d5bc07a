/**
 * The API server and credentials of the pod that albc runs in, as @kubernetes/client-node would read them. That library loads generated
 * clients of 70 MiB for half a second, so only kubeconfigs are left to it.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { isIPv6 } from "node:net";
import { join } from "node:path";

/** What ApiClient needs of a KubeConfig. */
export interface ApiAccess {
  getCurrentCluster(): { readonly server: string; readonly proxyUrl?: string | undefined } | null;
  /** Adds certificates and credentials. Throws if they can't be read. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}

/** Where pods have theirs: token, namespace and the API server's CA. */
export const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Milliseconds after which the token is read again, as client-go does: the kubelet replaces it. */
const TOKEN_AGE = 60_000;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Undefined if there is a kubeconfig, or no service account. The home is HOME only: os.homedir() throws for a user whom /etc/passwd does not
 * name, as the users of pods are.
 */
export function serviceAccount(
  { HOME, KUBECONFIG = "", ...variables }: Variables,
  folder = SERVICE_ACCOUNT,
): ApiAccess | undefined {
  if (KUBECONFIG !== "") return undefined;
  if (HOME !== undefined && existsSync(join(HOME, ".kube/config"))) return undefined;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = variables;
  if (host === undefined || port === undefined || !existsSync(join(folder, "token"))) return;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new ServiceAccount(server, folder);
}

class ServiceAccount implements ApiAccess {
  readonly #server: string;
  readonly #folder: string;
  #known:
    { readonly ca: string; readonly authorization: string; readonly until: number } | undefined;

  constructor(server: string, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  getCurrentCluster(): { readonly server: string } {
    return { server: this.#server };
  }

  async applyToHTTPSOptions(options: RequestOptions): Promise<void> {
    if (this.#known === undefined || this.#known.until <= performance.now()) {
      const read = (name: string): Promise<string> => readFile(join(this.#folder, name), "utf8");
      const [ca, token] = await Promise.all([read("ca.crt"), read("token")]);
      const authorization = `Bearer ${token.trim()}`;
      this.#known = { ca, authorization, until: performance.now() + TOKEN_AGE };
    }
    const { ca, authorization } = this.#known;
    options.ca = ca;
    Object.assign((options.headers ??= {}), { Authorization: authorization });
  }
}
