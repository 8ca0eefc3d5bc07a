import { kindTable } from "../../src/input/kind-table.js";
import { ApiError } from "../../src/kubernetes/api-client.js";
import { ClusterWatch, type WatchScope } from "../../src/kubernetes/cluster-watch.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";

const GROUP = "watch-test.example";
const EVERYTHING: WatchScope = {
  namespaces: [],
  secretNamespaces: ["*"],
  labelSelector: "",
  backendSelector: "",
};

const scene = new Scene();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
});
afterAll(() => scene.close());

/** Names that are known, as `Kind namespace/name`; those of the test's namespace and of no namespace. */
class Seen {
  readonly names = new Map<string, object>();
  readonly lost: string[] = [];

  async watch(scope: WatchScope): Promise<ClusterWatch> {
    const watch = new ClusterWatch({
      client: cluster.client,
      table: kindTable(GROUP),
      scope,
      onObject: (kind, object) => this.names.set(`${kind} ${object.metadata.name}`, object),
      onListedAgain: () => undefined,
      onGone: (kind, object) => this.names.delete(`${kind} ${object.metadata.name}`),
      onError: (kind) => this.lost.push(kind),
      onDiscoveryError: (error) => this.lost.push(String(error)),
    });
    await scene.use(Promise.resolve(watch));
    await watch.start();
    return watch;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }
}

function secret(name: string, type = "Opaque") {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: cluster.namespace },
    type,
    stringData: { key: name },
  };
}

test("knows all that is there when it has started, then what comes, changes and goes", async () => {
  await cluster.apply(secret("first"));
  const seen = new Seen();
  await seen.watch(EVERYTHING);
  expect(seen.has("Secret first")).toBe(true);
  expect(seen.has(`Namespace ${cluster.namespace}`)).toBe(true);

  await cluster.apply(secret("second"));
  await waitFor("the second secret is seen", () => seen.has("Secret second"));
  await cluster.remove(secret("first"));
  await waitFor("the first secret is gone", () => !seen.has("Secret first"));
});

test("keeps neither managed fields nor kubectl's copy of an object", async () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const object = secret("trimmed");
  await cluster.apply({
    ...object,
    metadata: { ...object.metadata, annotations: { [annotation]: "{}", kept: "yes" } },
  });
  const seen = new Seen();
  await seen.watch(EVERYTHING);
  const text = JSON.stringify(seen.names.get("Secret trimmed"));
  expect(text).toContain('"kept":"yes"');
  expect(text).not.toContain("managedFields");
  expect(text).not.toContain(annotation);
});

test("reads Secrets only where it was told to, and no releases of Helm", async () => {
  await cluster.apply(secret("asked-for"));
  await cluster.apply(secret("release", "helm.sh/release.v1"));
  const elsewhere = new Seen();
  await elsewhere.watch({ ...EVERYTHING, secretNamespaces: ["kube-public"] });
  expect([...elsewhere.names.keys()].filter((name) => name.startsWith("Secret"))).toEqual([]);

  const here = new Seen();
  await here.watch({ ...EVERYTHING, secretNamespaces: [cluster.namespace] });
  expect(here.has("Secret asked-for")).toBe(true);
  expect(here.has("Secret release")).toBe(false);
});

test("picks a kind up when its definition comes, and lists more objects than a page", async () => {
  const seen = new Seen();
  const watch = await seen.watch(EVERYTHING);
  expect(watch.resources.map(({ kind }) => kind)).not.toContain("Rule");
  await cluster.apply(definition("Rule", "rules"));
  await waitFor("rules are served", async () => {
    const rule = {
      apiVersion: `${GROUP}/v1`,
      kind: "Rule",
      metadata: { name: "none", namespace: "default" },
    };
    return cluster.get(rule).then(
      () => true,
      (error: unknown) => error instanceof ApiError && error.reason === "NotFound",
    );
  });
  const rules = Array.from({ length: 501 }, (_, i) => ({
    apiVersion: `${GROUP}/v1`,
    kind: "Rule",
    metadata: { name: `rule-${String(i)}`, namespace: cluster.namespace },
    spec: {},
  }));
  for (const rule of rules) await cluster.apply(rule);
  await waitFor("all rules are seen", () =>
    rules.every(({ metadata }) => seen.has(`Rule ${metadata.name}`)),
  );
  await cluster.remove(definition("Rule", "rules"));
});

function definition(kind: string, plural: string) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  };
}
