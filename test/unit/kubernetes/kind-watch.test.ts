import { KindWatch } from "../../../src/kubernetes/kind-watch.js";

const RESOURCE = { kind: "Service", group: "", version: "v1", namespaced: true } as const;
const open: KindWatch[] = [];
afterEach(async () => {
  for (const watch of open.splice(0)) await watch.close();
});

function service(name: string, version: string, fields: object = {}) {
  return { metadata: { name, namespace: "n", resourceVersion: version }, ...fields };
}

/** Watches an API server that has these pages of lists, and sends the events of one watch, which then stays open. */
function watching(pages: readonly object[], events: readonly object[] = []) {
  const left = { pages: [...pages], events: [...events] };
  const said: string[] = [];
  const queries: unknown[] = [];
  const watch = new KindWatch({
    client: {
      call: ({ query }) => {
        queries.push(query);
        return Promise.resolve(left.pages.shift() ?? { metadata: { resourceVersion: "0" } });
      },
      watch: (_call, signal) => Promise.resolve(streamOf(left.events.splice(0), signal)),
    },
    resource: RESOURCE,
    namespace: "n",
    onObject: ({ metadata }, before) => said.push(`${before ? "changed" : "new"} ${metadata.name}`),
    onGone: ({ metadata }) => said.push(`gone ${metadata.name}`),
    onListedAgain: () => said.push("listed again"),
    onError: ({ status }) => said.push(`error ${String(status)}`),
  });
  open.push(watch);
  watch.start();
  return { watch, said, queries };
}

async function* streamOf(events: readonly object[], signal: AbortSignal): AsyncGenerator {
  yield* events;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("delivers all pages of the list, then the changes", async () => {
  const { watch, said, queries } = watching(
    [
      { metadata: { resourceVersion: "3", continue: "page 2" }, items: [service("a", "1")] },
      { metadata: { resourceVersion: "3" }, items: [service("b", "2")] },
    ],
    [
      { type: "MODIFIED", object: service("a", "4", { spec: { clusterIP: "10.0.0.1" } }) },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "5" } } },
      { type: "DELETED", object: service("b", "6") },
      { type: "ADDED", object: service("c", "7") },
    ],
  );
  await watch.listed;
  expect(said).toEqual(["new a", "new b"]);
  expect(queries).toMatchObject([{ continue: undefined }, { continue: "page 2" }]);
  await until(() => said.includes("new c"));
  expect(said.slice(2)).toEqual(["changed a", "gone b", "new c"]);
  expect(watch.get("n", "a")).toMatchObject({ apiVersion: "v1", spec: { clusterIP: "10.0.0.1" } });
  expect(watch.objects().map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
});

test("a watch that ends with an error is reported, and the list tells what was missed", async () => {
  const { said } = watching(
    [
      { metadata: { resourceVersion: "2" }, items: [service("a", "1"), service("b", "2")] },
      { metadata: { resourceVersion: "9" }, items: [service("b", "2"), service("c", "8")] },
    ],
    [{ type: "ERROR", object: { code: 500, message: "etcd is away" } }],
  );
  await until(() => said.includes("error 500"));
  await until(() => said.includes("listed again"));
  expect(said).toEqual(["new a", "new b", "error 500", "gone a", "new c", "listed again"]);
});

test("an expired version is listed again without a report", async () => {
  const { said } = watching(
    [
      { metadata: { resourceVersion: "2" }, items: [service("a", "1")] },
      { metadata: { resourceVersion: "9" }, items: [service("a", "1")] },
    ],
    [{ type: "ERROR", object: { code: 410, reason: "Expired" } }],
  );
  await until(() => said.includes("listed again"));
  expect(said).toEqual(["new a", "listed again"]);
});

test("close ends a watch that is open", async () => {
  const { watch, said } = watching([{ metadata: { resourceVersion: "1" }, items: [] }]);
  await watch.listed;
  await watch.close();
  expect(said).toEqual([]);
});
