import type { GatewayState, ListenerState } from "../../../../../src/translate/gateway/model.js";
import {
  type ParentFacts,
  Parents,
  changedListeners,
} from "../../../../../src/translate/gateway/routes/parents.js";
import { type ReadGateways, readWritten } from "../../../../support/written-gateways.js";
import { listenersOf } from "../../../../../src/translate/gateway/written-gateways.js";

const HTTP = { name: "http", port: 80, protocol: "HTTP" };
const SET = {
  kind: "ListenerSet",
  name: "more",
  spec: { parentRef: { name: "edge" }, listeners: [{ ...HTTP, name: "more", port: 81 }] },
} as const;

function edge(more: object = {}): { readonly name: string; readonly spec: object } {
  return { name: "edge", spec: { listeners: [HTTP], ...more } };
}

const ALLOWING = { allowedListeners: { namespaces: { from: "Same" } } };

function parentsOf(
  { gateways, context }: ReadGateways,
  served: Partial<ListenerState> = {},
  body: GatewayState["body"] = {},
): Parents {
  const states = gateways.map((written): GatewayState => ({
    gateway: written.gateway,
    accepted: written.written.ok,
    body,
    listeners: listenersOf(written).map((listener) => ({ ...listener, ...served })),
  }));
  return new Parents(states, context);
}

const route = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { namespace: "n", name: "r" },
  spec: {},
};

test("a ListenerSet that its Gateway allows is a parent with listeners of its own", () => {
  const parents = parentsOf(readWritten([edge(ALLOWING), SET]));
  const set = parents.find(route, { kind: "ListenerSet", name: "more" });
  expect(set).toMatchObject({ title: "ListenerSet n/more", accepted: true });
  const names = typeof set === "string" ? set : set.listeners.map(({ name }) => name);
  expect(names).toEqual(["more"]);
});

test("a ListenerSet that its Gateway does not allow is not accepted", () => {
  const parents = parentsOf(readWritten([edge(), SET]));
  const set = parents.find(route, { kind: "ListenerSet", name: "more" });
  expect(set).toMatchObject({ accepted: false, listeners: [] });
});

test.each([
  ["Service", "", "mesh"],
  ["Gateway", "example.com", "foreign"],
  ["Other", undefined, "foreign"],
  ["Gateway", undefined, "missing"],
])("a reference to the %s `none` of group %j has no parent: %s", (kind, group, why) => {
  const parents = parentsOf(readWritten([edge()]));
  expect(parents.find(route, { kind, name: "none", ...(group !== undefined && { group }) })).toBe(
    why,
  );
});

test("the default Gateways are those with the scope All", () => {
  const { defaults } = parentsOf(
    readWritten([edge({ defaultScope: "All" }), { ...edge({ defaultScope: "None" }), name: "x" }]),
  );
  expect(defaults.map(({ title }) => title)).toEqual(["Gateway n/edge"]);
});

test("a place is the position of the listener in its own object", () => {
  const parents = parentsOf(readWritten([edge()]));
  const parent = parents.find(route, { name: "edge" });
  const [listener] = typeof parent === "string" ? [] : parent.listeners;
  if (listener === undefined) throw new Error("no listener");
  expect(parents.placeOf(listener)).toEqual({ parent: "Gateway n/edge", index: 0 });
});

describe("the description of a parent", () => {
  const object = { kind: "Gateway", namespace: "n", name: "edge" };
  const of = (
    more: object,
    served: Partial<ListenerState> = {},
    body: GatewayState["body"] = {},
  ): ParentFacts => parentsOf(readWritten([edge(more)]), served, body).describe("n", object);
  const plain = of({});

  it("is the same for equal Gateways", () => {
    expect(changedListeners(plain, of({}))).toEqual([]);
  });

  it.each([
    ["another hostname", of({ listeners: [{ ...HTTP, hostname: "a.example" }] })],
    ["another server", of({}, { serves: { listener: "a", server: "b" } })],
    ["other namespaces that may attach", of({}, { allowsNamespace: () => false })],
  ])("differs in a listener with %s", (_what, other) => {
    expect(changedListeners(plain, other)).toEqual([plain.listeners[0], other.listeners[0]]);
  });

  it.each([
    ["body limit", of({}, {}, { bodyLimit: 1 })],
    ["number of listeners", of({ listeners: [] })],
    ["name of a listener", of({ listeners: [{ ...HTTP, name: "other" }] })],
  ])("differs in more with another %s", (_what, other) => {
    expect(changedListeners(plain, other)).toBeUndefined();
  });
});
