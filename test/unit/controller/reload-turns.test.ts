import { ReloadShares } from "../../../src/controller/reload-shares.js";
import { ReloadTurns } from "../../../src/controller/reload-turns.js";
import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { LiveObjects } from "../../../src/input/object-store.js";
import type { Resources } from "../../../src/input/resources.js";
import { type RenderedFile, contentsOf } from "../../../src/render/rendered-file.js";
import { policyFrom } from "../../support/rendered-policy.js";

const POLICY = "lua_shared_dict albc_policy 64m;\n";

/** Namespaces whose ConfigMap `port` and endpoints are in nginx.conf and whose ConfigMap `route` is in the policy. */
function turns({ isolates = false } = {}) {
  const live = new LiveObjects(DEFAULT_INPUT_OPTIONS);
  const clock = { now: 0, draining: [] as number[], generation: 0 };
  const shares = new ReloadShares(240_000, () => clock.now);
  const draining = () => Promise.resolve({ generations: clock.draining, most: 8 });
  const reloads = new ReloadTurns({ shares, draining, isolates });
  const put = (namespace: string, name: "port" | "route", value: string): void => {
    const metadata = { namespace, name };
    live.put("ConfigMap", namespace, name, {
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } },
    });
  };
  /** The ready endpoints of the namespace's Service. */
  const endpoints = (namespace: string, addresses: readonly string[], protocol = "TCP"): void => {
    const labels = { "kubernetes.io/service-name": "pods" };
    live.put("EndpointSlice", namespace, "pods", {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { namespace, name: "pods", labels },
      ports: [{ name: "a", port: 80, protocol }],
      endpoints: addresses.map((address) => ({ addresses: [`10.0.0.${address}`] })),
    });
  };
  const compile = (resources: Resources): { readonly files: readonly RenderedFile[] } => {
    const valuesOf = (name: string) =>
      resources
        .list("ConfigMap")
        .filter(({ metadata }) => metadata.name === name)
        .map(({ metadata, data }) => `${metadata.namespace}=${data?.["value"] ?? ""}`);
    const slices = resources.list("EndpointSlice").map(({ metadata, endpoints: all }) => {
      const numbers = all.map(({ addresses: [address = ""] }) => address.slice(7));
      return `${metadata.namespace}:${numbers.join("")}`;
    });
    const routes = Object.fromEntries(valuesOf("route").map((each) => [each, {}]));
    return {
      files: [
        {
          path: "nginx.conf",
          contents: POLICY + [...valuesOf("port"), ...slices].join("\n"),
          mode: 0o644,
        },
        { path: "policy.json", contents: policyFrom({ routes }), mode: 0o600 },
      ],
    };
  };
  let loaded = "";
  /** One turn: what is in nginx.conf and in the policy then, and who waits. Old workers drain forever. */
  const turn = async (accepts: (conf: string) => boolean = () => true) => {
    const { resources } = live.snapshot();
    const plan = await reloads.plan(resources, compile(resources), (other) =>
      Promise.resolve(compile(other)),
    );
    const textOf = (path: string) =>
      plan.files
        .filter((file) => file.path === path)
        .map(contentsOf)
        .join("");
    const [conf, policy] = [textOf("nginx.conf"), textOf("policy.json")];
    const isRefused = !accepts(conf);
    if (isRefused) expect(plan.refused()).toBe(true);
    if (!isRefused) {
      const isReload = conf !== loaded;
      plan.applied(isReload ? { replaced: clock.generation } : {});
      // Nothing is connected to an nginx that starts.
      if (isReload && !isolates) clock.draining.push(clock.generation);
      if (isReload) clock.generation += 1;
      loaded = conf;
    }
    const waiting = plan.waiting.map(({ namespace }) => namespace);
    const ports = conf.slice(POLICY.length).split("\n");
    return { ports, policy, waiting, isRefused };
  };
  return { put, endpoints, turn, clock };
}

test("what needs no reload goes live while a namespace waits, its own too, and so do ports of others", async () => {
  const { put, turn, clock } = turns();
  put("evil", "port", "1");
  put("shop", "port", "1");
  await turn();
  clock.now = 100_000;
  put("evil", "port", "2");
  expect(await turn()).toMatchObject({ ports: ["evil=2", "shop=1"], waiting: [] });
  put("evil", "port", "3");
  put("evil", "route", "new");
  const held = await turn();
  expect(held).toMatchObject({ ports: ["evil=2", "shop=1"], waiting: ["evil"] });
  expect(held.policy).toContain("evil=new");
  put("shop", "port", "2");
  expect(await turn()).toMatchObject({ ports: ["evil=2", "shop=2"], waiting: ["evil"] });
  clock.now += 5000;
  expect(await turn()).toMatchObject({ ports: ["evil=3", "shop=2"], waiting: [] });
});

test("a namespace that changes what needs no reload is no cause of one", async () => {
  const { put, turn, clock } = turns();
  for (const name of ["evil", "shop", "cafe"]) put(name, "port", "1");
  await turn();
  clock.now = 100_000;
  put("evil", "port", "2");
  put("shop", "route", "new");
  expect((await turn()).waiting).toEqual([]);
  put("shop", "port", "2");
  expect(await turn()).toMatchObject({ ports: ["cafe=1", "evil=2", "shop=2"], waiting: [] });
  put("evil", "port", "3");
  expect((await turn()).waiting).toEqual(["evil"]);
});

test("what is changed back waits for nothing", async () => {
  const { put, turn, clock } = turns();
  put("evil", "port", "1");
  await turn();
  clock.now = 100_000;
  for (const value of ["2", "3"]) {
    put("evil", "port", value);
    await turn();
  }
  put("evil", "port", "2");
  expect(await turn()).toMatchObject({ ports: ["evil=2"], waiting: [] });
});

test("where nothing else finds what nginx refuses, namespaces are tried until all others are loaded", async () => {
  const { put, turn, clock } = turns({ isolates: true });
  put("a", "port", "0");
  await turn();
  const names = Array.from({ length: 12 }, (_, i) => `n${String(i).padStart(2, "0")}`);
  for (const name of names) put(name, "port", name === "n07" ? "bad" : "1");
  const accepts = (conf: string) => !conf.includes("bad");
  let last = await turn(accepts);
  let turnsTaken = 1;
  for (; turnsTaken < 20 && (last.isRefused || last.ports.length < 12); turnsTaken += 1) {
    clock.now += 100;
    last = await turn(accepts);
  }
  expect(last.ports).toHaveLength(12);
  expect(turnsTaken).toBeLessThan(14);
  expect(last.waiting).toEqual(["n07"]);
  // Others change meanwhile, and what is repaired is loaded.
  put("a", "port", "1");
  expect(await turn(accepts)).toMatchObject({ waiting: ["n07"] });
  put("n07", "port", "good");
  clock.now += 60_000;
  expect((await turn(accepts)).ports).toContain("n07=good");
});

test.each([
  // Of two and more endpoints two are left, or all that there are: it can wait.
  ["12", "123", true],
  ["1234", "3456", true],
  ["12", "2", true],
  ["12", "", true],
  ["12", "23", false],
  ["1", "12", false],
  ["", "1", false],
  ["12", "34", false],
])("endpoints %p that become %p can wait for a reload: %p", async (before, now, waits) => {
  const { put, endpoints, turn, clock } = turns();
  put("evil", "port", "1");
  put("shop", "port", "1");
  endpoints("shop", before.split(""));
  await turn();
  clock.now = 100_000;
  put("shop", "port", "2");
  await turn();
  clock.now += 10_000;
  endpoints("shop", now.split(""));
  expect(await turn()).toMatchObject({ waiting: waits ? ["shop"] : [] });
  // It goes along with the next reload of anyone.
  put("evil", "port", "3");
  expect(await turn()).toMatchObject({ ports: ["evil=3", "shop=2", `shop:${now}`], waiting: [] });
});

test("endpoints of datagrams are not patient: nothing tells nginx that one is gone", async () => {
  const { put, endpoints, turn, clock } = turns();
  endpoints("shop", ["1", "2", "3"], "UDP");
  await turn();
  clock.now = 100_000;
  put("shop", "port", "2");
  await turn();
  clock.now += 10_000;
  endpoints("shop", ["1", "2"], "UDP");
  expect((await turn()).waiting).toEqual([]);
});

test("of many namespaces that change at once, those that need no reload are no cause of one", async () => {
  const { put, turn, clock } = turns();
  const names = Array.from({ length: 12 }, (_, i) => `n${String(i).padStart(2, "0")}`);
  for (const name of [...names, "evil"]) put(name, "port", "1");
  await turn();
  for (let round = 0; round < 3; round += 1) {
    clock.now += 100_000;
    put("evil", "port", `2 ${String(round)}`);
    for (const name of names) put(name, "route", String(round));
    expect((await turn()).waiting).toEqual([]);
  }
  clock.now += 1000;
  for (const name of [...names, "evil"]) put(name, "port", "3");
  expect((await turn()).waiting).toEqual(["evil"]);
});
