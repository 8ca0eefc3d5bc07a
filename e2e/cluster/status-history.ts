import { KindWatch } from "../../src/kubernetes/kind-watch.js";
import type { RawObject } from "../../src/kubernetes/raw-object.js";
import type { Closable } from "../harness/scene.js";
import type { Cluster } from "./cluster.js";

const INGRESSES = {
  kind: "Ingress",
  group: "networking.k8s.io",
  version: "v1",
  namespaced: true,
} as const;

/** Every address that the statuses of Ingresses ever had, in order, as a watch tells it. */
export class StatusHistory implements Closable {
  readonly #addresses = new Map<string, string[]>();
  readonly #watch: KindWatch;

  private constructor({ client, namespace }: Cluster) {
    this.#watch = new KindWatch({
      ...{ client, namespace, resource: INGRESSES },
      onObject: (object) => {
        this.#note(object);
      },
      onGone: () => undefined,
      onListedAgain: () => undefined,
      onError: () => undefined,
    });
  }

  /** Of all Ingresses of the cluster's namespace, from now on. */
  static async start(cluster: Cluster): Promise<StatusHistory> {
    const history = new StatusHistory(cluster);
    history.#watch.start();
    await history.#watch.listed;
    return history;
  }

  of(name: string): readonly string[] {
    return this.#addresses.get(name) ?? [];
  }

  async close(): Promise<void> {
    await this.#watch.close();
  }

  #note({ metadata: { name }, status }: RawObject): void {
    const known = this.#addresses.get(name) ?? [];
    const [entry] = (status as IngressStatus | undefined)?.loadBalancer?.ingress ?? [];
    if (entry?.ip !== undefined && known.at(-1) !== entry.ip) known.push(entry.ip);
    this.#addresses.set(name, known);
  }
}

interface IngressStatus {
  readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
}
