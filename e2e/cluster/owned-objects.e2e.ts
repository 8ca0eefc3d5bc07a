/** The Services and EndpointSlices that are made for Gateways: kept as they are to be; what is somebody else's is not touched. */
import { execFileSync } from "node:child_process";
import { freePort } from "../harness/free-port.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { gatewayClass, gatewayOf } from "./objects.js";
import { Replica } from "./replica.js";

interface Stored {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
  readonly spec?: { readonly ports?: readonly { readonly port: number }[] };
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[];
}

const scene = new Scene();
let cluster: Cluster;
let albc: Replica;
beforeAll(async () => {
  // Endpoints may not be loopback addresses; the cluster's network is gone with it.
  execFileSync("ip", ["route", "add", "local", "192.0.2.32/27", "dev", "lo"]);
  cluster = await scene.use(Cluster.open());
  await cluster.apply(gatewayClass(cluster.namespace));
  albc = await scene.use(start());
}, 60_000);
afterAll(async () => {
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

function start(): Promise<Replica> {
  const { namespace } = cluster;
  const flags = ["--controller-name", `example.com/${namespace}`];
  return Replica.start({ namespace, flags: [...flags, "--gateway-addresses", "192.0.2.32/27"] });
}

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

function service(name: string): Manifest {
  const spec = { selector: { app: "theirs" }, ports: [{ port: 80 }] };
  return { apiVersion: "v1", kind: "Service", metadata: named(name), spec };
}

function slice(name: string): Manifest {
  const fields = { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }] };
  const apiVersion = "discovery.k8s.io/v1";
  return { apiVersion, kind: "EndpointSlice", metadata: named(name), ...fields };
}

async function get(object: Manifest): Promise<Stored | undefined> {
  try {
    return (await cluster.get(object)) as Stored;
  } catch (error: unknown) {
    if (String(error).includes("not found")) return undefined;
    throw error;
  }
}

async function there(object: Manifest): Promise<Stored> {
  return waitFor(`${object.kind} ${object.metadata.name} is there`, () => get(object));
}

async function gateway(name: string): Promise<Manifest> {
  const manifest = gatewayOf(named(name), [await freePort()]);
  await cluster.apply(manifest);
  return manifest;
}

/** Resolves when whatever was to be done for what was there before is done: objects are made in the order of names. */
async function allDone(name: string): Promise<void> {
  await gateway(name);
  await there(slice(`${name}-albc-ipv4`));
}

test("a Service of somebody else is never changed nor removed, and gets no endpoints", async () => {
  await cluster.apply(service("a-albc"));
  const before = await there(service("a-albc"));
  const owner = await gateway("a");
  await allDone("b");
  expect(await get(service("a-albc"))).toEqual(before);
  expect(await get(slice("a-albc-ipv4"))).toBeUndefined();
  const events = `/api/v1/namespaces/${cluster.namespace}/events`;
  const query = { fieldSelector: "involvedObject.name=a,reason=NameTaken" };
  await waitFor("there is an event", async () =>
    JSON.stringify(await cluster.client.call({ path: events, query })).includes("a-albc"),
  );

  await cluster.remove(owner);
  await allDone("c");
  expect(await get(service("a-albc"))).toEqual(before);
  const told = albc.albc.lines.filter(
    ({ text }) => text.includes('"Service') && text.includes("a-albc"),
  );
  expect(told).toHaveLength(1);
});

test("nor is an EndpointSlice; and when it is gone, the Gateway has its own", async () => {
  await cluster.apply(slice("d-albc-ipv4"));
  const before = await there(slice("d-albc-ipv4"));
  await gateway("d");
  await there(service("d-albc"));
  await allDone("e");
  expect(await get(slice("d-albc-ipv4"))).toEqual(before);
  await cluster.remove(slice("d-albc-ipv4"));
  const { metadata } = await there(slice("d-albc-ipv4"));
  expect(metadata.ownerReferences).toMatchObject([{ name: "d" }]);
});

test("what others remove or change comes back, what they add stays", async () => {
  await gateway("f");
  const made = await there(service("f-albc"));
  await cluster.remove(service("f-albc"));
  await waitFor("the Service is made again", async () => {
    const now = await get(service("f-albc"));
    return now !== undefined && now.metadata.uid !== made.metadata.uid;
  });
  const label = "gateway.networking.k8s.io/gateway-name";
  await cluster.apply({
    ...{ apiVersion: "v1", kind: "Service" },
    metadata: { ...named("f-albc"), labels: { [label]: "forged", theirs: "yes" } },
  });
  await waitFor("the label is restored", async () => {
    const now = await get(service("f-albc"));
    return now?.metadata.labels?.[label] === "f" && now.metadata.labels["theirs"] === "yes";
  });
  await there(slice("f-albc-ipv4"));
  await cluster.apply({ ...slice("f-albc-ipv4") });
  await waitFor("the endpoints are restored", async () => {
    const [endpoint] = (await get(slice("f-albc-ipv4")))?.endpoints ?? [];
    return (
      endpoint?.addresses[0]?.startsWith("192.0.2.") === true &&
      endpoint.addresses[0] !== "192.0.2.1"
    );
  });
});

test("ports and labels that a Gateway has no more go from its Service", async () => {
  const ports = [await freePort(), await freePort()];
  const manifest = (listeners: readonly number[], infrastructure = {}): Manifest => {
    const { spec, ...rest } = gatewayOf(named("g"), listeners);
    return { ...rest, spec: { ...(spec as object), infrastructure } };
  };
  await cluster.apply(manifest(ports, { labels: { team: "edge" } }));
  await waitFor("it is made", async () => {
    const { metadata, spec } = (await get(service("g-albc"))) ?? {};
    return metadata?.labels?.["team"] === "edge" && spec?.ports?.length === 2;
  });
  await cluster.apply(manifest(ports.slice(0, 1), { labels: { other: "yes" } }));
  await waitFor("it has no more than the Gateway", async () => {
    const { metadata, spec } = (await get(service("g-albc"))) ?? {};
    return metadata?.labels?.["team"] === undefined && spec?.ports?.length === 1;
  });
});

test("what was made for a Gateway that changed its class while nobody led goes", async () => {
  const manifest = await gateway("h");
  const { metadata } = await there(service("h-albc"));
  await there(slice("h-albc-ipv4"));
  // Looks like ours, but belongs to nobody.
  const { labels = {} } = metadata;
  const { metadata: place, ...rest } = service("like-ours");
  await cluster.apply({ ...rest, metadata: { ...place, labels } });
  await albc.close();
  const spec = { ...(manifest["spec"] as object), gatewayClassName: "of-somebody-else" };
  await cluster.apply({ ...manifest, spec });
  albc = await scene.use(start());
  await waitFor("they are gone", async () => {
    const left = [await get(service("h-albc")), await get(slice("h-albc-ipv4"))];
    return left.every((object) => object === undefined);
  });
  expect(await get(service("g-albc"))).toBeDefined();
  expect(await get(service("like-ours"))).toBeDefined();
}, 60_000);
