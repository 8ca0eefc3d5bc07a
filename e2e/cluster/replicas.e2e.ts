import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { Replica } from "./replica.js";

const scene = new Scene();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
});
afterAll(() => scene.close(), 60_000);

function ingress(name: string) {
  const backend = { service: { name: "none", port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace: cluster.namespace },
    spec: { defaultBackend: backend },
  };
}

/** Each replica publishes another address, so that one sees who wrote. */
function start(address: string): Promise<Replica> {
  const { namespace } = cluster;
  return scene.use(Replica.start({ namespace, flags: ["--publish-address", address] }));
}

async function publishedBy(name: string, address: string): Promise<void> {
  await waitFor(`${name} is published at ${address}`, async () =>
    JSON.stringify(await cluster.get(ingress(name))).includes(`"ip":"${address}"`),
  );
}

test("the leader of two replicas writes, and the other when it is killed", async () => {
  const first = await start("192.0.2.1");
  await waitFor("the first leads", () => first.leads);
  const second = await start("192.0.2.2");
  await cluster.apply(ingress("early"));
  await publishedBy("early", "192.0.2.1");
  expect(second.leads).toBe(false);

  first.albc.signal("SIGKILL");
  await waitFor("the second leads", () => second.leads, { deadline: 40_000 });
  await cluster.apply(ingress("late"));
  await publishedBy("late", "192.0.2.2");
}, 90_000);
