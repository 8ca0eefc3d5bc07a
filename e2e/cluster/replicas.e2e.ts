import { Load, only200 } from "../harness/load.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { gatewayClass, gatewayOf, httpRoute, ingressOf } from "./objects.js";
import { Replica } from "./replica.js";
import { StatusHistory } from "./status-history.js";

const FIRST = "192.0.2.1";
const SECOND = "192.0.2.2";
const THIRD = "192.0.2.3";
/** Milliseconds: a lease that is not renewed is believed for 15 s. */
const HAND_OVER = { deadline: 40_000 };
const scene = new Scene();
let cluster: Cluster;
let history: StatusHistory;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  history = await scene.use(StatusHistory.start(cluster));
  const backend = await scene.use(localBackend("web"));
  await cluster.apply(gatewayClass(cluster.namespace));
  await cluster.apply(serviceOf(named("web")));
  await cluster.apply(endpointSlice(named("web"), [backend.address]));
});
afterAll(async () => {
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

function ingress(name: string) {
  return ingressOf(named(name), `${name}.example`, "web");
}

/** Each replica publishes another address, so that one sees who wrote. */
function start(address: string): Promise<Replica> {
  const { namespace } = cluster;
  const flags = ["--publish-address", address, "--controller-name", `example.com/${namespace}`];
  return scene.use(Replica.start({ namespace, flags }));
}

async function publishedBy(name: string, address: string): Promise<void> {
  await waitFor(
    `${name} is published at ${address}`,
    () => history.of(name).at(-1) === address,
    HAND_OVER,
  );
}

/** Waits until the replica has seen an object that is made now, and with it all that was before. */
async function seenBy(replica: Replica, name: string): Promise<void> {
  await cluster.apply(ingress(name));
  const isServed = ({ status }: { readonly status: number }) => status === 200;
  await replica.until(`${name} is served`, { host: `${name}.example` }, isServed);
}

function loadOn(replica: Replica): Load {
  const load = new Load({
    target: { port: replica.port },
    requests: [{ host: "early.example" }],
    connections: 2,
    pause: 20,
    check: only200,
  });
  void scene.use(Promise.resolve(load));
  return load;
}

test("one of the replicas writes; when it is killed another, and never two", async () => {
  const first = await start(FIRST);
  await waitFor("the first leads", () => first.albc.leads);
  const second = await start(SECOND);
  await cluster.apply(ingress("early"));
  await publishedBy("early", FIRST);
  await seenBy(second, "seen");
  expect(second.albc.leads).toBe(false);
  const load = loadOn(second);

  first.albc.signal("SIGKILL");
  await waitFor("the second leads", () => second.albc.leads, HAND_OVER);
  await cluster.apply(ingress("late"));
  await publishedBy("late", SECOND);
  await publishedBy("early", SECOND);
  expect(history.of("early")).toEqual([FIRST, SECOND]);

  // One that was paused for longer than its lease must not go on where it was.
  const third = await start(THIRD);
  second.albc.signal("SIGSTOP");
  await waitFor("the third leads", () => third.albc.leads, HAND_OVER);
  await publishedBy("early", THIRD);
  await cluster.apply(ingress("meanwhile"));
  await publishedBy("meanwhile", THIRD);
  second.albc.signal("SIGCONT");
  await waitFor("the second knows that it does not lead", () => !second.albc.leads);
  await seenBy(second, "after");
  await publishedBy("after", THIRD);
  expect(history.of("early")).toEqual([FIRST, SECOND, THIRD]);
  expect(history.of("meanwhile")).toEqual([THIRD]);
  expect(history.of("after")).toEqual([THIRD]);
  expect((await load.stop()).failures).toEqual([]);
}, 150_000);

test("entries and conditions of others stay, whoever leads", async () => {
  const gateway = gatewayOf(named("edge"), [8080]);
  const route = httpRoute(named("app"), "edge", "web");
  await cluster.apply(gateway);
  await cluster.apply(route);
  const foreign = {
    parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "elsewhere" },
    controllerName: "example.com/somebody-else",
    conditions: [
      {
        ...{ type: "Accepted", status: "True", reason: "Accepted", message: "theirs" },
        ...{ lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 },
      },
    ],
  };
  await cluster.client.call({
    method: "PATCH",
    path: `${cluster.path(route)}/status`,
    body: { status: { parents: [foreign] } },
  });
  await waitFor("ours stands beside it", async () => {
    const { status } = (await cluster.get(route)) as RouteWithStatus;
    const names = status?.parents.map(({ controllerName }) => controllerName) ?? [];
    return names.includes(`example.com/${cluster.namespace}`);
  });
  const { status } = (await cluster.get(route)) as RouteWithStatus;
  expect(status?.parents).toContainEqual(foreign);
});

interface RouteWithStatus {
  readonly status?: { readonly parents: readonly { readonly controllerName: string }[] };
}
