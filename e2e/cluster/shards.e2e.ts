/** Two shards as docs/scale.md sets them up: each serves what has its label, says so, and knows no object of the other one. */
import { isDeepStrictEqual } from "node:util";
import { freePort } from "../harness/free-port.js";
import { Health } from "../harness/health.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { gatewayClass, gatewayOf, httpRoute } from "./objects.js";
import { Replica } from "./replica.js";

const SHARDS = ["a", "b"] as const;
/** Of both shards. */
const SHARED = "all";

interface Shard {
  readonly replica: Replica;
  readonly health: Health;
  /** Of its Gateway. */
  readonly port: number;
}

const scene = new Scene();
const shards = new Map<string, Shard>();
let cluster: Cluster;

function labelled(name: string, shard: string) {
  return { name, namespace: cluster.namespace, labels: { shard } };
}

/** For a host named after the Service. */
function routeOf(shard: string, service: string, gateway = shard) {
  const route = httpRoute(labelled(`${service}-on-${shard}-${gateway}`, shard), gateway, service);
  return { ...route, spec: { ...(route["spec"] as object), hostnames: [`${service}.example`] } };
}

async function startShard(shard: string): Promise<Shard> {
  const { namespace } = await scene.use(Cluster.open());
  const port = await freePort();
  const gateway = gatewayOf(labelled(shard, shard), [port]);
  const infrastructure = { labels: { shard } };
  await cluster.apply({ ...gateway, spec: { ...(gateway["spec"] as object), infrastructure } });
  const health = new Health(await freePort());
  const flags = [
    ...["--controller-name", `example.com/${cluster.namespace}`, ...health.flags],
    ...["--selector", `shard=${shard}`, "--backend-selector", `shard in (${shard},${SHARED})`],
  ];
  const options = { namespace: cluster.namespace, home: namespace, flags };
  return { replica: await scene.use(Replica.start(options)), health, port };
}

beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  await cluster.apply(gatewayClass(cluster.namespace));
  for (const service of [...SHARDS, SHARED]) {
    const backend = await scene.use(localBackend(service));
    const slice = endpointSlice(labelled(service, service), [backend.address]);
    // As Kubernetes' own controller does with the labels of the Service.
    const labels = { ...slice.metadata.labels, shard: service };
    await cluster.apply(serviceOf(labelled(service, service)));
    await cluster.apply({ ...slice, metadata: { ...slice.metadata, labels } });
  }
  for (const shard of SHARDS)
    for (const service of [shard, SHARED]) await cluster.apply(routeOf(shard, service));
  await cluster.apply(routeOf("b", "a"));
  await cluster.apply(routeOf("b", SHARED, "a"));
  for (const shard of SHARDS) shards.set(shard, await startShard(shard));
}, 60_000);
afterAll(async () => {
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

async function expectAnswer(shard: string, host: string, expected: number): Promise<void> {
  const { replica, port = 0 } = shards.get(shard) ?? {};
  const what = `${host} on ${shard} is ${String(expected)}`;
  await replica?.until(what, { host, port }, ({ status }) => status === expected);
}

async function conditionsOf(route: ReturnType<typeof routeOf>): Promise<string> {
  return JSON.stringify(((await cluster.get(route)) as { readonly status?: object }).status ?? {});
}

test.each(SHARDS)("shard %s serves its routes, with its Services and those of all", async (own) => {
  const other = own === "a" ? "b" : "a";
  await expectAnswer(own, `${own}.example`, 200);
  await expectAnswer(own, `${SHARED}.example`, 200);
  for (const service of [own, SHARED]) {
    await waitFor(`the route of ${service} says so`, async () =>
      (await conditionsOf(routeOf(own, service))).includes('"ResolvedRefs"'),
    );
  }
  // The route of shard b for the Service of shard a.
  await expectAnswer(own, `${other}.example`, own === "b" ? 500 : 404);
});

test("a Service of another shard is not found, a route at the Gateway of another one has no status", async () => {
  await waitFor("the status of the route says so", async () =>
    (await conditionsOf(routeOf("b", "a"))).includes("BackendNotFound"),
  );
  expect(await conditionsOf(routeOf("b", SHARED, "a"))).toBe("{}");
});

// The third Service is that of its Gateway, which it makes itself.
test.each([
  ["a", { HTTPRoute: 2, Gateway: 1, Service: 3, EndpointSlice: 2 }],
  ["b", { HTTPRoute: 4, Gateway: 1, Service: 3, EndpointSlice: 2 }],
])("shard %s watches no object of the other one", async (shard, expected) => {
  const counts = async (): Promise<object> => {
    const metrics = await shards.get(shard)?.health.metrics();
    return Object.fromEntries(
      Object.keys(expected).map((kind) => [kind, metrics?.get(`albc_objects{kind="${kind}"}`)]),
    );
  };
  await waitFor("its Gateway has a Service", async () => {
    return isDeepStrictEqual(await counts(), expected);
  }).catch(() => undefined);
  expect(await counts()).toEqual(expected);
});
