/** One replica and its lease, on the model of an API server; time is the test's. */
import { jest } from "@jest/globals";
import { LeaderElection } from "../../../src/kubernetes/leader-election.js";
import { ApiServerModel } from "../../support/api-server-model.js";

let pass: (what: string) => Promise<void>;
let changes: boolean[];
let server: ApiServerModel;
let election: LeaderElection;
beforeEach(async () => {
  jest.useFakeTimers();
  pass = () => Promise.resolve();
  changes = [];
  server = new ApiServerModel([]);
  election = new LeaderElection({
    client: server.client({ pass: (what) => pass(what), epoch: 0 }),
    namespace: "albc",
    name: "albc-leader",
    identity: "one",
    onChange: (leads) => changes.push(leads),
    onError: () => undefined,
  });
  election.start();
  await jest.advanceTimersByTimeAsync(1000);
});
afterEach(async () => {
  pass = () => Promise.resolve();
  await election.close();
  jest.useRealTimers();
});

const never = new Promise<void>(() => undefined);

/** What happens to the next message of a kind; the others get through. */
function once(start: string, happens: () => Promise<void>): void {
  pass = (what) => {
    if (!what.startsWith(start)) return Promise.resolve();
    pass = () => Promise.resolve();
    return happens();
  };
}

test.each<[string, string, () => Promise<void>]>([
  ["a question that hangs", "GET", () => never],
  ["a renewal that hangs", "PUT", () => never],
  ["an answer that hangs", "answer to PUT", () => never],
  ["a renewal that fails", "PUT", () => Promise.reject(new Error("the connection broke"))],
])("%s does not end the leader's term", async (_, start, happens) => {
  expect(changes).toEqual([true]);
  once(start, happens);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(changes).toEqual([true]);
  expect(election.isLeader).toBe(true);
});

test("a leader that can't renew stops before another may begin", async () => {
  pass = () => never;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(election.isLeader).toBe(false);
  expect(changes).toEqual([true, false]);
  pass = () => Promise.resolve();
  await jest.advanceTimersByTimeAsync(12_000);
  expect(changes).toEqual([true, false, true]);
});

test("an earlier renewal that arrives late is no other leader", async () => {
  const path = "/apis/coordination.k8s.io/v1/namespaces/albc/leases/albc-leader";
  const direct = server.client({ pass: () => Promise.resolve(), epoch: 0 });
  once("answer to GET", async () => {
    const body = await direct.call({ path });
    await direct.call({ method: "PUT", path, body });
  });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(changes).toEqual([true]);
});

test("a leader that ends while its renewal is under way still releases the lease", async () => {
  const direct = server.client({ pass: () => Promise.resolve(), epoch: 0 });
  // The renewal arrives between the reading and the writing of a release that doesn't wait for it.
  let renews = (): void => undefined;
  const renewal = new Promise<void>((resolve) => (renews = resolve));
  once("PUT", () => renewal);
  await jest.advanceTimersByTimeAsync(2000);
  once("answer to GET", () => {
    renews();
    return jest.advanceTimersByTimeAsync(100);
  });
  const closed = election.close();
  await jest.advanceTimersByTimeAsync(100);
  renews();
  await closed;
  const path = "/apis/coordination.k8s.io/v1/namespaces/albc/leases/albc-leader";
  expect(await direct.call({ path })).toMatchObject({ spec: { holderIdentity: "" } });
});
