/** What a replica says in the cluster, on the model of an API server whose answers come at once. Time is the test's. */
import { jest } from "@jest/globals";
import type { KindName } from "../../../src/api/kinds.js";
import { ClusterSource } from "../../../src/controller/cluster-source.js";
import { Controller } from "../../../src/controller/controller.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { ApiServerModel } from "../../support/api-server-model.js";
import { POOL } from "../../support/convergence.js";

const KINDS: readonly KindName[] = [
  ...(["GatewayClass", "Namespace", "ALB2", "Frontend", "Rule"] as const),
  ...POOL.map(([kind]) => kind),
];
/** Milliseconds. */
const STEP = 50;
const LONGEST_PAUSE = 30_000;
const SILENT_LOG = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

/** Messages with this text are late. */
let lost: string | undefined;
const late: (() => void)[] = [];
let server: ApiServerModel;
/** Names of objects, as they are noted at each compilation. */
const noted: string[] = [];
let controller: Controller;
beforeEach(async () => {
  noted.length = 0;
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
  server = new ApiServerModel(KINDS);
  const { controllerName } = DEFAULT_OPTIONS;
  server.put("GatewayClass", { metadata: { name: "c" }, spec: { controllerName } });
  server.put("Namespace", { metadata: { name: "n" } });
  for (const [kind, make] of POOL) server.put(kind, make(0));
  const options = { ...DEFAULT_OPTIONS, publishAddress: ["192.0.2.1"] };
  const common = { options, log: SILENT_LOG, observe: () => undefined };
  const source = new ClusterSource({
    ...common,
    client: server.client({
      pass: (what) =>
        lost !== undefined && what.includes(lost)
          ? new Promise((resolve) => late.push(resolve))
          : Promise.resolve(),
      epoch: 0,
    }),
    scope: { namespaces: [], secretNamespaces: ["*"], labelSelector: "", backendSelector: "" },
    replica: { namespace: "albc", identity: "one" },
  });
  controller = new Controller(source, {
    ...common,
    fixedFiles: [],
    apply: () => Promise.resolve({ kind: "swapped", version: "1" }),
    changes: {
      note: (objects) => noted.push(...objects),
      record: () => undefined,
      because: () => undefined,
      know: () => undefined,
    },
  });
  await controller.start();
  controller.open();
  await pass(1000);
});
afterEach(async () => {
  lost = undefined;
  for (const resolve of late.splice(0)) resolve();
  await controller.close();
  jest.useRealTimers();
});

async function pass(milliseconds: number, each: () => void = () => undefined): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += STEP) {
    each();
    await jest.advanceTimersByTimeAsync(STEP);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Object → reasons of its events. */
function events(): readonly string[] {
  return server.events.map(({ involvedObject, reason }) => {
    const { kind, name } = involvedObject as { readonly kind: string; readonly name: string };
    return `${kind} ${name}: ${String(reason)}`;
  });
}

function addressOf(name: string): unknown {
  const status = server.get("Ingress", "n", name)?.status as typeof OTHERS | undefined;
  return status?.loadBalancer.ingress[0]?.ip;
}

const OTHERS = { loadBalancer: { ingress: [{ ip: "192.0.2.9" }] } };

test("what changed is named, without what the first compilation had and without written statuses", async () => {
  // Addresses of Gateways and statuses of policies are compiled: a Gateway keeps its addresses, and policies have entries of others.
  expect(noted).toEqual(["Gateway n/edge", "AuthPolicy n/login"]);
  noted.length = 0;
  const before = server.statusWrites;
  server.put("Ingress", { metadata: { name: "new", namespace: "n" }, spec: HANGING });
  await pass(1000);
  server.delete("Ingress", "n", "new");
  await pass(1000);
  expect(server.statusWrites).toBeGreaterThan(before);
  expect(noted).toEqual(["Ingress n/new", "Ingress n/new (removed)"]);
});

test("a status that another keeps overwriting is written less and less often, and an event says so", async () => {
  expect(addressOf("shop")).toBe("192.0.2.1");
  const before = server.statusWrites;
  await pass(60_000, () => {
    server.putStatus("Ingress", "n", "shop", OTHERS);
  });
  expect(server.statusWrites - before).toBeLessThan(12);
  expect(events()).toEqual(["Ingress shop: StatusContested"]);
  await pass(LONGEST_PAUSE);
  expect(addressOf("shop")).toBe("192.0.2.1");
});

test("nothing is written into a namespace that is being deleted", async () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  server.put("Namespace", { metadata: { name: "n", deletionTimestamp } });
  const before = server.statusWrites;
  for (const [kind, make] of POOL) {
    const { namespace = "", name } = make(0).metadata;
    server.delete(kind, namespace, name);
    await pass(200);
  }
  expect(server.statusWrites).toBe(before);
  expect(events()).toEqual([]);
});

test("events say what warnings are about: misspelt parents, unused policies, Rules with wrong labels", async () => {
  server.put("HTTPRoute", {
    metadata: { name: "api", namespace: "n" },
    spec: { parentRefs: [{ name: "egde" }], rules: [{}] },
  });
  server.put("AuthPolicy", {
    metadata: { name: "unused", namespace: "n" },
    spec: { basic: { secret: "n/users" } },
  });
  server.put("Rule", {
    metadata: { name: "lost", namespace: "n", labels: { "alb2.cpaas.io/frontent": "edge-00080" } },
    spec: {},
  });
  await pass(1000);
  expect(events()).toEqual(
    expect.arrayContaining([
      "HTTPRoute api: RouteParentNotFound",
      "AuthPolicy unused: PolicyUnused",
      "Rule lost: RuleUnattached",
    ]),
  );
});

test("an answer that does not come holds up its own object alone", async () => {
  lost = "answer to PATCH /apis/networking.k8s.io/v1/namespaces/n/ingresses/shop/";
  server.putStatus("Ingress", "n", "shop", OTHERS);
  await pass(1000);
  expect(late).toHaveLength(1);
  for (const state of [1, 2, 4]) {
    for (const [kind, make] of POOL) if (kind === "HTTPRoute") server.put(kind, make(state));
    await pass(1000);
    const route = server.get("HTTPRoute", "n", "api");
    const { parents = [] } = (route?.status ?? {}) as {
      parents?: { conditions: { observedGeneration: number }[] }[];
    };
    expect(parents.flatMap(({ conditions }) => conditions)).toContainEqual(
      expect.objectContaining({ observedGeneration: route?.metadata.generation }),
    );
  }
  expect(late).toHaveLength(1);
  server.putStatus("Ingress", "n", "shop", OTHERS);
  lost = undefined;
  for (const resolve of late.splice(0)) resolve();
  await pass(1000);
  expect(addressOf("shop")).toBe("192.0.2.1");
});

const HANGING = {
  ingressClassName: "nginx",
  defaultBackend: { service: { name: "s", port: { number: 1 } } },
};

test.each([
  [8, 1],
  [64, 1],
  [64, 4],
])("%i writes of %i tenants that hang hold up no other tenant", async (count, tenants) => {
  lost = "PATCH /apis/networking.k8s.io/v1/namespaces/a-tenant";
  for (let n = 0; n < count; n += 1) {
    const namespace = `a-tenant-${String(n % tenants)}`;
    server.put("Ingress", { metadata: { name: `i${String(n)}`, namespace }, spec: HANGING });
  }
  await pass(100);
  expect(late.length).toBeGreaterThanOrEqual(8);
  server.putStatus("Ingress", "n", "shop", OTHERS);
  await pass(2000);
  expect(addressOf("shop")).toBe("192.0.2.1");
  // No more than a few of them are under way at once.
  expect(late.length).toBeLessThanOrEqual(8 * tenants);
  lost = undefined;
  for (const resolve of late.splice(0)) resolve();
  await pass(2000);
  const ingresses = server.objects.filter(({ kind }) => kind === "Ingress");
  expect(ingresses.filter(({ object: { status } }) => status === undefined)).toEqual([]);
});
