/** `--selector`: who loses the labels is not served any more, and not said to be. */
import { Scene } from "../harness/scene.js";
import { freePort } from "../harness/free-port.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { gatewayClass, gatewayOf, ingressOf } from "./objects.js";
import { Replica } from "./replica.js";

const ADDRESS = "192.0.2.11";
const scene = new Scene();
let cluster: Cluster;
let albc: Replica;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  const { namespace } = cluster;
  const backend = await scene.use(localBackend("web"));
  await cluster.apply(gatewayClass(namespace));
  await cluster.apply(serviceOf({ name: "web", namespace }));
  await cluster.apply(endpointSlice({ name: "web", namespace }, [backend.address]));
  const flags = ["--controller-name", `example.com/${namespace}`, "--publish-address", ADDRESS];
  albc = await scene.use(
    Replica.start({ namespace, flags: [...flags, "--selector", "team=edge"] }),
  );
}, 60_000);
afterAll(async () => {
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

function at(name: string, team: string) {
  return { name, namespace: cluster.namespace, labels: { team } };
}

async function textOf(object: Manifest): Promise<string> {
  return JSON.stringify(await cluster.get(object));
}

const ingress = (name: string, team: string) => ingressOf(at(name, team), `${name}.example`, "web");

async function expectAnswer(name: string, expected: number): Promise<void> {
  const host = `${name}.example`;
  await albc.until(`${host} is ${String(expected)}`, { host }, ({ status }) => status === expected);
}

test("an object that comes into the selection is served and says so; one that leaves it is neither", async () => {
  const port = await freePort();
  const gateway = (team: string) => gatewayOf(at("gate", team), [port]);
  await cluster.apply(ingress("stays", "edge"));
  await cluster.apply(ingress("moves", "elsewhere"));
  await cluster.apply(gateway("edge"));
  await expectAnswer("stays", 200);
  await expectAnswer("moves", 404);
  await cluster.apply(ingress("moves", "edge"));
  await expectAnswer("moves", 200);
  for (const name of ["stays", "moves"])
    await waitFor(`${name} has its address`, async () =>
      (await textOf(ingress(name, "edge"))).includes(ADDRESS),
    );
  await waitFor("the Gateway is programmed", async () =>
    (await textOf(gateway("edge"))).includes('"reason":"Programmed"'),
  );

  await cluster.apply(ingress("moves", "elsewhere"));
  await cluster.apply(gateway("elsewhere"));
  await expectAnswer("moves", 404);
  await waitFor(
    "its address is taken back",
    async () => !(await textOf(ingress("moves", "elsewhere"))).includes(ADDRESS),
  );
  await waitFor("the Gateway waits for another controller", async () =>
    (await textOf(gateway("elsewhere"))).includes("Waiting for controller"),
  );
  expect(await textOf(ingress("stays", "edge"))).toContain(ADDRESS);
  await expectAnswer("stays", 200);
  await expectAnswer("moves", 404);
}, 60_000);

test("what others have written over since stays, and what is removed is no trouble", async () => {
  await cluster.apply(ingress("taken", "edge"));
  await waitFor("it has its address", async () =>
    (await textOf(ingress("taken", "edge"))).includes(ADDRESS),
  );
  // Somebody else serves it from now on; both at once, as one sees them who was away for a moment.
  albc.albc.signal("SIGSTOP");
  await cluster.apply(ingress("taken", "elsewhere"));
  await cluster.client.call({
    method: "PATCH",
    path: `${cluster.path(ingress("taken", "elsewhere"))}/status`,
    body: { status: { loadBalancer: { ingress: [{ ip: "192.0.2.99" }] } } },
  });
  albc.albc.signal("SIGCONT");
  await expectAnswer("taken", 404);
  await cluster.remove(ingress("stays", "edge"));
  await expectAnswer("stays", 404);
  // Statuses are written in turn: this one is after all that.
  await cluster.apply(ingress("later", "edge"));
  await waitFor("the next has its address", async () =>
    (await textOf(ingress("later", "edge"))).includes(ADDRESS),
  );
  expect(await textOf(ingress("taken", "elsewhere"))).toContain("192.0.2.99");
  expect(
    albc.albc.lines.filter(({ msg }) => msg === "could not write a status; albc retries"),
  ).toEqual([]);
}, 60_000);
