import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { LiveObjects } from "../../../src/input/object-store.js";
import type { Resources } from "../../../src/input/resources.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import type { Upstream } from "../../../src/model/upstream.js";
import type { ServicePort, UpstreamPlan } from "../../../src/translate/backends.js";
import { OwnAddresses } from "../../../src/translate/own-addresses.js";
import { Upstreams } from "../../../src/translate/upstreams.js";

interface SliceText {
  readonly service?: string;
  readonly ports?: readonly object[];
  readonly endpoints?: readonly object[];
  readonly type?: "IPv4" | "IPv6" | "FQDN";
}

const NOTHING = new OwnAddresses(DEFAULT_OPTIONS);
const healthAt = (healthAddress: string): OwnAddresses =>
  new OwnAddresses({ ...DEFAULT_OPTIONS, healthAddress });

/** EndpointSlices that change, in the namespace `shop`. */
class World {
  readonly #live = new LiveObjects(DEFAULT_INPUT_OPTIONS);
  readonly upstreams = new Upstreams();

  put(name: string, { service = "web", type = "IPv4", ...more }: SliceText): this {
    const labels = { "kubernetes.io/service-name": service };
    const metadata = { name, namespace: "shop", labels };
    const object = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata };
    const ports = [{ port: 8080 }];
    this.#live.put("EndpointSlice", "shop", name, { ...object, addressType: type, ports, ...more });
    return this;
  }

  delete(name: string): this {
    this.#live.delete("EndpointSlice", "shop", name);
    return this;
  }

  get resources(): Resources {
    return this.#live.snapshot().resources;
  }

  resolve(
    plans: readonly UpstreamPlan[],
    own = NOTHING,
    { policySize } = DEFAULT_OPTIONS,
  ): readonly Upstream[] {
    return this.upstreams.resolve(plans, this.resources, own, { policySize });
  }
}

const WEB = { port: 80 };

function plan(id: string, port: ServicePort | undefined = WEB, service = "web"): UpstreamPlan {
  return { id, namespace: "shop", service, port };
}

const ready = (...addresses: readonly string[]): readonly object[] =>
  addresses.map((address) => ({ addresses: [address] }));

/** Endpoints of a port of the Service `web` with these slices. */
function endpointsOf(slices: readonly SliceText[], port: ServicePort = WEB, own = NOTHING) {
  const world = new World();
  for (const [i, slice] of slices.entries()) world.put(`web-${i}`, slice);
  const [upstream] = world.resolve([plan("a", port)], own);
  return upstream?.endpoints.map((endpoint) => endpoint.join(" "));
}

describe("endpoints", () => {
  it("are the ready ones of every slice, sorted and without repeats", () => {
    const conditions = { ready: false };
    expect(
      endpointsOf([
        { endpoints: [{ addresses: ["10.0.0.2", "10.0.0.9"], conditions: { ready: true } }] },
        { endpoints: [...ready("10.0.0.2"), { addresses: ["10.0.0.3"], conditions }] },
        { ports: [{ port: 80 }], endpoints: ready("10.0.0.2", "10.0.0.1") },
        { endpoints: [{ addresses: ["fd00::1"], conditions: {} }], type: "IPv6" },
      ]),
    ).toEqual(["10.0.0.1 80", "10.0.0.2 80", "10.0.0.2 8080", "fd00::1 8080"]);
  });

  const terminating = { ready: false, serving: true, terminating: true };
  it("are those that serve while they terminate when none is ready", () => {
    const endpoints = [
      { addresses: ["10.0.0.1"], conditions: terminating },
      { addresses: ["10.0.0.2"], conditions: { ...terminating, serving: false } },
      { addresses: ["10.0.0.3"], conditions: { ready: false } },
      { addresses: ["10.0.0.4"], conditions: { ...terminating, terminating: false } },
    ];
    expect(endpointsOf([{ endpoints }])).toEqual(["10.0.0.1 8080"]);
    expect(endpointsOf([{ endpoints }, { endpoints: ready("10.0.0.5") }])).toEqual([
      "10.0.0.5 8080",
    ]);
  });

  it("are joined to the Service's port by its name and protocol", () => {
    const ports = [
      { name: "admin", port: 9001 },
      { name: "dns", port: 53, protocol: "UDP" },
      { name: "http", port: 8080 },
    ];
    const slices = [{ ports, endpoints: ready("10.0.0.1") }];
    expect(endpointsOf(slices, { name: "http", port: 80 })).toEqual(["10.0.0.1 8080"]);
    const dns = { name: "dns", port: 80 };
    expect(endpointsOf(slices, { ...dns, protocol: "UDP" })).toEqual(["10.0.0.1 53"]);
    expect(endpointsOf(slices, dns)).toEqual([]);
    expect(endpointsOf(slices, { port: 80 })).toEqual([]);
  });

  it("have the target port of the Service where the slice's port has no number", () => {
    const slices = [{ ports: [{}], endpoints: ready("10.0.0.1") }];
    expect(endpointsOf(slices, { port: 80, targetPort: 9000 })).toEqual(["10.0.0.1 9000"]);
    expect(endpointsOf(slices, { port: 80, targetPort: "http" })).toEqual(["10.0.0.1 80"]);
  });

  it("are none of a slice without ports, or with names instead of addresses", () => {
    expect(endpointsOf([{ ports: [], endpoints: ready("10.0.0.1") }])).toEqual([]);
    expect(endpointsOf([{ type: "FQDN", endpoints: ready("a.example") }])).toEqual([]);
  });

  it("are none where the Service has no such port, and none of another Service", () => {
    const world = new World().put("a", { endpoints: ready("10.0.0.1") });
    const without = { ...plan("a"), port: undefined };
    expect(world.resolve([without, plan("b", WEB, "other")])).toEqual([
      { id: "a", endpoints: [] },
      { id: "b", endpoints: [] },
    ]);
  });
});

describe("an endpoint that is albc itself", () => {
  it("is reported at the slice that has it, until it is gone; other endpoints stay", () => {
    const own = { ports: [{ port: 10254 }], endpoints: ready("10.0.0.1", "127.0.0.1") };
    const world = new World().put("a", own).put("b", { endpoints: ready("10.0.0.1") });
    const resolved = () => world.resolve([plan("u")], healthAt("127.0.0.1:10254"));
    expect(resolved()[0]?.endpoints).toEqual([
      ["10.0.0.1", 8080],
      ["10.0.0.1", 10254],
    ]);
    const metadata = { namespace: "shop", name: "a" };
    const resource = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", ...metadata };
    expect(world.upstreams.reports).toEqual([
      {
        code: "ENDPOINT_REFUSED",
        message: "127.0.0.1 with port 10254 is the health address of albc",
        ...{ resource, field: ["endpoints"] },
      },
    ]);
    world.put("a", { endpoints: ready("10.0.0.1") });
    resolved();
    expect(world.upstreams.reports).toEqual([]);
  });

  it("is one again once the gateway no longer listens there", () => {
    const world = new World().put("a", { endpoints: ready("127.0.0.1") });
    const loop = new OwnAddresses(DEFAULT_OPTIONS, [
      { id: "p8080", protocol: "tcp", port: 8080, addresses: [] },
    ]);
    expect(world.resolve([plan("u")], loop)[0]?.endpoints).toEqual([]);
    expect(world.resolve([plan("u")])[0]?.endpoints).toEqual([["127.0.0.1", 8080]]);
    expect(world.resolve([plan("u")], loop)[0]?.endpoints).toEqual([]);
  });
});

describe("a Service with many endpoints", () => {
  /** The number of ports that get endpoints, of so many that routes name. */
  function served(endpoints: number, ports: number) {
    const world = new World();
    const inSlice = 511;
    for (let first = 0; first < endpoints; first += inSlice) {
      const length = Math.min(inSlice, endpoints - first);
      const addresses = Array.from(
        { length },
        (_, i) => `fd00::${first.toString(16)}:${i.toString(16)}`,
      );
      world.put(`web-${first}`, { endpoints: ready(...addresses), type: "IPv6" });
    }
    const ids = Array.from({ length: ports }, (_, i) => `u${String(i).padStart(4, "0")}`);
    const upstreams = world.resolve(ids.map((id) => plan(id)));
    const withEndpoints = upstreams.filter((each) => each.endpoints.length === endpoints);
    const empty = upstreams.filter((each) => each.endpoints.length === 0);
    expect(withEndpoints.length + empty.length).toBe(ports);
    return { count: withEndpoints.length, reports: world.upstreams.reports };
  }

  it("gives them to as many ports as make 16,384 together", () => {
    expect(served(1022, 16)).toEqual({ count: 16, reports: [] });
    const { count, reports } = served(1022, 18);
    expect(count).toBe(16);
    expect(reports).toMatchObject([
      {
        code: "SERVICE_TOO_LARGE",
        message:
          "Service shop/web has so many endpoints that only 16 of the ports that routes name get them: u0016 and the ports after it have none",
        resource: { kind: "Service", namespace: "shop", name: "web" },
      },
    ]);
  });

  it("counts its slices too", () => {
    expect(served(1023, 17).count).toBe(15);
  });

  it("gives them to 8 ports, however many they are", () => {
    expect(served(5000, 9).count).toBe(8);
  });
});

describe("resolving again", () => {
  const slice = { endpoints: ready("10.0.0.1") };
  const start = () => new World().put("a", slice).put("b", { ...slice, service: "other" });
  const plans = [plan("u"), plan("v", WEB, "other")];

  it("returns the same list if nothing changed, and the same upstreams of other Services", () => {
    const world = start();
    const before = world.resolve(plans);
    expect(world.resolve([...plans])).toBe(before);
    const after = world.put("a", { endpoints: ready("10.0.0.2") }).resolve(plans);
    expect(after[0]?.endpoints).toEqual([["10.0.0.2", 8080]]);
    expect(after[1]).toBe(before[1]);
    expect(before[0]?.endpoints).toEqual([["10.0.0.1", 8080]]);
  });

  it.each<[string, (world: World) => World, readonly UpstreamPlan[]]>([
    ["a slice is gone", (world) => world.delete("a"), plans],
    ["a slice is added", (world) => world.put("c", { endpoints: ready("10.0.0.3") }), plans],
    ["a slice changes its Service", (world) => world.put("a", { ...slice, service: "x" }), plans],
    ["an upstream is added", (world) => world, [plan("t", WEB, "other"), ...plans]],
    ["an upstream is gone", (world) => world, plans.slice(1)],
    ["all upstreams are gone", (world) => world, []],
    ["an upstream has another port", (world) => world, [plan("u", { name: "x", port: 80 })]],
    ["an upstream has another Service", (world) => world, [plan("u", WEB, "other")]],
    ["both change", (world) => world.delete("b"), [plan("u", WEB, "other"), plan("w")]],
  ])("returns what a fresh start would when %s", (_what, change, now) => {
    const world = start();
    world.resolve(plans);
    const { resources } = change(world);
    const expected = new Upstreams().resolve(now, resources, NOTHING, DEFAULT_OPTIONS);
    expect(world.resolve(now)).toEqual(expected);
    expect(world.resolve(now)).toEqual(expected);
  });

  it("gives an upstream that is gone and comes back its endpoints again", () => {
    const world = start();
    const before = world.resolve(plans);
    world.resolve([]);
    expect(world.resolve(plans)).toEqual(before);
  });
});
