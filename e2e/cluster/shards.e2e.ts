/** Shards as docs/scale.md sets them up: each serves what has its label, says so, and knows no object of the others. */
import { isDeepStrictEqual } from "node:util";
import { freePort } from "../harness/free-port.js";
import { Health } from "../harness/health.js";
import { send } from "../harness/http-client.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { gatewayClass, gatewayOf, httpRoute } from "./objects.js";
import { Replica } from "./replica.js";

/** By Gateway: they share a GatewayClass. */
const SHARDS = ["a", "b"] as const;
/** By GatewayClass: it has one of its own. */
const OWN_CLASS = "c";
/** Of all shards. */
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

const classOf = (shard: string): string =>
  shard === OWN_CLASS ? `${cluster.namespace}-${shard}` : cluster.namespace;

/** A Gateway with the label of a shard, by default of its class. */
function gatewayFor(shard: string, port: number, name = shard, gatewayClassName = classOf(shard)) {
  const gateway = gatewayOf(labelled(name, shard), [port]);
  const infrastructure = { labels: { shard } };
  const spec = { ...(gateway["spec"] as object), gatewayClassName, infrastructure };
  return { ...gateway, spec };
}

const classes = (): readonly string[] => ["a", OWN_CLASS].map(classOf);

async function startShard(shard: string): Promise<Shard> {
  const { namespace } = await scene.use(Cluster.open());
  const port = await freePort();
  await cluster.apply(gatewayFor(shard, port));
  const health = new Health(await freePort());
  const flags = [
    ...["--controller-name", `example.com/${classOf(shard)}`, ...health.flags],
    ...["--selector", `shard=${shard}`, "--backend-selector", `shard in (${shard},${SHARED})`],
  ];
  const options = { namespace: cluster.namespace, home: namespace, flags };
  return { replica: await scene.use(Replica.start(options)), health, port };
}

beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  for (const name of classes()) await cluster.apply(gatewayClass(name));
  for (const service of [...SHARDS, OWN_CLASS, SHARED]) {
    const backend = await scene.use(localBackend(service));
    const slice = endpointSlice(labelled(service, service), [backend.address]);
    // As Kubernetes' own controller does with the labels of the Service.
    const labels = { ...slice.metadata.labels, shard: service };
    await cluster.apply(serviceOf(labelled(service, service)));
    await cluster.apply({ ...slice, metadata: { ...slice.metadata, labels } });
  }
  for (const shard of [...SHARDS, OWN_CLASS])
    for (const service of [shard, SHARED]) await cluster.apply(routeOf(shard, service));
  await cluster.apply(routeOf("b", "a"));
  await cluster.apply(routeOf("b", SHARED, "a"));
  for (const shard of [...SHARDS, OWN_CLASS]) shards.set(shard, await startShard(shard));
}, 60_000);
afterAll(async () => {
  for (const name of classes()) await cluster.remove(gatewayClass(name));
  await scene.close();
}, 60_000);

async function expectAnswer(shard: string, host: string, expected: number): Promise<void> {
  const { replica, port = 0 } = shards.get(shard) ?? {};
  const what = `${host} on ${shard} is ${String(expected)}`;
  await replica?.until(what, { host, port }, ({ status }) => status === expected);
}

async function statusOf(object: Manifest): Promise<string> {
  return JSON.stringify(((await cluster.get(object)) as { readonly status?: object }).status ?? {});
}

test.each(SHARDS)("shard %s serves its routes, with its Services and those of all", async (own) => {
  const other = own === "a" ? "b" : "a";
  await expectAnswer(own, `${own}.example`, 200);
  await expectAnswer(own, `${SHARED}.example`, 200);
  for (const service of [own, SHARED]) {
    await waitFor(`the route of ${service} says so`, async () =>
      (await statusOf(routeOf(own, service))).includes('"ResolvedRefs"'),
    );
  }
  // The route of shard b for the Service of shard a.
  await expectAnswer(own, `${other}.example`, own === "b" ? 500 : 404);
});

test("a Service of another shard is not found, a route at the Gateway of another one has no status", async () => {
  await waitFor("the status of the route says so", async () =>
    (await statusOf(routeOf("b", "a"))).includes("BackendNotFound"),
  );
  expect(await statusOf(routeOf("b", SHARED, "a"))).toBe("{}");
});

test("a shard of a class of its own serves that class alone", async () => {
  const port = await freePort();
  const [own, foreign] = [
    gatewayFor(OWN_CLASS, 0),
    gatewayFor(OWN_CLASS, port, "foreign", classOf("a")),
  ];
  await cluster.apply(foreign);
  await expectAnswer(OWN_CLASS, `${OWN_CLASS}.example`, 200);
  await expectAnswer(OWN_CLASS, `${SHARED}.example`, 200);
  await waitFor("its Gateway says so", async () => (await statusOf(own)).includes("Programmed"));
  const classStatus = await statusOf(gatewayClass(classOf(OWN_CLASS)));
  expect(classStatus).toContain('"Accepted"');
  const { health } = shards.get(OWN_CLASS) ?? {};
  // It knows the other Gateway, by its label, and leaves it to the controller of its class.
  await waitFor("it knows both", async () => {
    return (await health?.metrics())?.get('albc_objects{kind="Gateway"}') === 2;
  });
  // What comes after it is served.
  await cluster.apply(routeOf(OWN_CLASS, "a"));
  await expectAnswer(OWN_CLASS, "a.example", 500);
  await expect(send({ port }, {})).rejects.toThrow();
  expect(await statusOf(foreign)).not.toContain("True");
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
