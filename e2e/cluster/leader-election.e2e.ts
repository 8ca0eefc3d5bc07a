import { LeaderElection } from "../../src/kubernetes/leader-election.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";

const scene = new Scene();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
});
afterAll(() => scene.close());

interface Replica {
  readonly election: LeaderElection;
  leads: boolean;
}

let leases = 0;

/** Replicas that want one lease; how many lead at once is remembered. */
function electorate(duration: number): { join: (identity: string) => Replica; most: () => number } {
  const name = `lease-${String(++leases)}`;
  const replicas: Replica[] = [];
  let most = 0;
  return {
    most: () => most,
    join: (identity) => {
      const election = new LeaderElection({
        client: cluster.client,
        namespace: cluster.namespace,
        name,
        identity,
        duration,
        onChange: (leads) => {
          replica.leads = leads;
          most = Math.max(most, replicas.filter((one) => one.leads).length);
        },
        onError: () => undefined,
      });
      const replica: Replica = { election, leads: false };
      replicas.push(replica);
      election.start();
      void scene.use(Promise.resolve({ close: () => election.close() }));
      return replica;
    },
  };
}

test("one of several leads, and another at once when it gives up", async () => {
  const { join, most } = electorate(15_000);
  const first = join("first");
  await waitFor("the first leads", () => first.leads);
  const others = [join("second"), join("third")];
  await first.election.close();
  await waitFor("another leads", () => others.some(({ leads }) => leads));
  expect(most()).toBe(1);
});

test("who dies without a word is followed when its time is up, not before", async () => {
  const { join } = electorate(3000);
  // A record that nobody renews.
  const dead = { identity: "dead", at: performance.now() };
  await cluster.apply({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: `lease-${String(leases)}`, namespace: cluster.namespace },
    spec: { holderIdentity: dead.identity, leaseDurationSeconds: 3 },
  });
  const heir = join("heir");
  await waitFor("the heir leads", () => heir.leads);
  expect(performance.now() - dead.at).toBeGreaterThan(2900);
});
