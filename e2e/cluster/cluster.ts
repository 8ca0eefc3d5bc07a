/** The API server that the tests of this folder run against: e2e/conformance/main.go started it and set KUBECONFIG. */
import { randomUUID } from "node:crypto";
import { KubeConfig } from "@kubernetes/client-node";
import { ApiClient } from "../../src/kubernetes/api-client.js";
import type { KindName } from "../../src/api/kinds.js";
import { basePath, pluralOf } from "../../src/kubernetes/raw-object.js";
import type { Closable } from "../harness/scene.js";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export class Cluster implements Closable {
  readonly config: KubeConfig;
  readonly client: ApiClient;
  /** One of its own for each test file, gone at its end. */
  readonly namespace = `test-${randomUUID().slice(0, 8)}`;

  private constructor(config: KubeConfig) {
    this.config = config;
    this.client = new ApiClient(config);
  }

  /** The tests' cluster, or that of `config`. */
  static async open(config = testsCluster()): Promise<Cluster> {
    const cluster = new Cluster(config);
    await cluster.apply({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: cluster.namespace },
    });
    return cluster;
  }

  async close(): Promise<void> {
    await this.client.call({ method: "DELETE", path: `/api/v1/namespaces/${this.namespace}` });
    this.client.close();
  }

  /** Creates the object or makes it as given, by server-side apply. */
  async apply(object: Manifest): Promise<unknown> {
    return this.client.call({
      method: "PATCH",
      path: this.path(object),
      query: { fieldManager: "tests", force: "true" },
      contentType: "application/apply-patch+yaml",
      body: object,
    });
  }

  async get(object: Manifest): Promise<unknown> {
    return this.client.call({ path: this.path(object) });
  }

  async remove(object: Manifest): Promise<void> {
    await this.client.call({ method: "DELETE", path: this.path(object) });
  }

  path({ apiVersion, kind, metadata }: Manifest): string {
    const [group = "", version = apiVersion] = apiVersion.includes("/")
      ? apiVersion.split("/")
      : ["", apiVersion];
    const namespace = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
    return `${basePath({ group, version })}${namespace}/${plural(kind)}/${metadata.name}`;
  }
}

function testsCluster(): KubeConfig {
  if (process.env["KUBECONFIG"] === undefined) {
    throw new Error("KUBECONFIG is not set: run these tests by `make test-cluster`");
  }
  const config = new KubeConfig();
  config.loadFromDefault();
  return config;
}

/** Other kinds than ours have regular plurals. */
function plural(kind: string): string {
  // Only its letters are looked at.
  return pluralOf(kind as KindName);
}
