import { type ApiCall, type ApiClient, ApiError } from "../../../src/kubernetes/api-client.js";
import { ClusterWatch, servedResources } from "../../../src/kubernetes/cluster-watch.js";
import { TABLE } from "../../support/api-server-model.js";

/** Asks an API server that serves these names, by path of the group's version. */
function ask(served: Readonly<Record<string, readonly string[]>>, asked: string[] = []) {
  const call = ({ path }: ApiCall): Promise<unknown> => {
    asked.push(path);
    const names = served[path];
    if (names === undefined) return Promise.reject(new ApiError(404, "NotFound", "not found"));
    return Promise.resolve({ resources: names.map((name) => ({ name })) });
  };
  return servedResources({ call }, TABLE);
}

/** `answer`: the names of resources at a path; undefined if the answer is lost. */
function watchOf({
  answer,
  onList = () => undefined,
  onDiscoveryError = () => undefined,
}: {
  readonly answer: (path: string) => readonly string[] | undefined;
  readonly onList?: (path: string, query: NonNullable<ApiCall["query"]>) => void;
  readonly onDiscoveryError?: (error: unknown) => void;
}): ClusterWatch {
  const client: Pick<ApiClient, "call" | "watch"> = {
    call: ({ path, query }) => {
      if (query !== undefined) {
        onList(path, query);
        return Promise.resolve({ metadata: { resourceVersion: "1" }, items: [] });
      }
      const names = answer(path);
      return names === undefined
        ? Promise.reject(new ApiError(0, "", "the answer was lost"))
        : Promise.resolve({ resources: names.map((name) => ({ name })) });
    },
    watch: (_call, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reject(new ApiError(0, "", "closed"));
        });
      }),
  };
  return new ClusterWatch({
    client: client as ApiClient,
    table: TABLE,
    scope: {
      ...{ namespaces: [], secretNamespaces: ["*"] },
      ...{ labelSelector: "shard=a", backendSelector: "shard in (a,all)" },
    },
    onObject: () => undefined,
    onGone: () => undefined,
    onListedAgain: () => undefined,
    onError: () => undefined,
    onDiscoveryError,
  });
}

test("finds each kind in the best version that is served", async () => {
  const base = "/apis/gateway.networking.k8s.io";
  const [best = "", ...others] = TABLE.BackendTLSPolicy.versions;
  expect(others).not.toEqual([]);
  const found = await ask({
    "/api/v1": ["services", "pods"],
    [`${base}/${best}`]: ["gateways"],
    [`${base}/${others[0] ?? ""}`]: ["backendtlspolicies", "gateways"],
  });
  const versions = Object.fromEntries(found.map(({ kind, version }) => [kind, version]));
  expect(versions).toEqual({ Service: "v1", Gateway: best, BackendTLSPolicy: others[0] });
});

test("asks for each group's version once", async () => {
  const asked: string[] = [];
  await ask({}, asked);
  expect(new Set(asked).size).toBe(asked.length);
});

test("an API server that can't be reached serves no empty list", async () => {
  const call = () => Promise.reject(new ApiError(0, "", "the API server can't be reached"));
  await expect(servedResources({ call }, TABLE)).rejects.toThrow("can't be reached");
});

test("where every second answer is lost, one retry finds what is served", async () => {
  const tries = new Map<string, number>();
  let retries = 0;
  const watch = watchOf({
    answer: (path) => {
      const before = tries.get(path) ?? Number(tries.size % 2 === 0);
      tries.set(path, before + 1);
      return before % 2 === 0 && before < 4 ? undefined : [];
    },
    onDiscoveryError: () => (retries += 1),
  });
  await watch.start();
  await watch.close();
  expect(tries.size).toBeGreaterThan(2);
  expect(retries).toBe(1);
});

test("each selector limits the lists of its own kinds", async () => {
  const selected = new Map<string, unknown>();
  const names = ["services", "endpointslices", "secrets", "httproutes", "authpolicies"];
  const watch = watchOf({
    answer: () => names,
    onList: (path, query) => {
      selected.set(path.slice(path.lastIndexOf("/") + 1), query["labelSelector"]);
    },
  });
  await watch.start();
  await watch.close();
  expect(Object.fromEntries(selected)).toEqual({
    services: "shard in (a,all)",
    endpointslices: "shard in (a,all)",
    httproutes: "shard=a",
    secrets: undefined,
    authpolicies: undefined,
  });
});
