/** What is filled in, left out and kept of Gateway API's objects. */
import type { KindMap, KindName } from "../../../src/api/kinds.js";
import { advance, initialInput, resourcesFromObjects } from "../../../src/input/load.js";
import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { gateway, gatewayObject, lines } from "../../support/input-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

function only<K extends KindName>(kind: K, object: Fields): KindMap[K] {
  const { resources, diagnostics } = resourcesFromObjects([object]);
  expect(lines(diagnostics)).toEqual([]);
  const [read, ...others] = resources.list(kind);
  expect(others).toEqual([]);
  if (read === undefined) throw new Error(`no ${kind}`);
  return read;
}

const ANY_PATH = { path: { type: "PathPrefix", value: "/" } };

describe("what an API server fills in", () => {
  it("gives an HTTPRoute its rule, parents their kind and backends their weight", () => {
    expect(only("HTTPRoute", gatewayObject("HTTPRoute", {})).spec).toEqual({
      rules: [{ matches: [ANY_PATH] }],
    });
    const { spec } = only(
      "HTTPRoute",
      gatewayObject("HTTPRoute", {
        parentRefs: [{ name: "edge" }],
        rules: [
          {
            matches: [{ path: { value: "/a" }, headers: [{ name: "x", value: "y" }] }, {}],
            backendRefs: [{ name: "web", port: 80 }],
            retry: {},
          },
        ],
      }),
    );
    expect(spec).toEqual({
      parentRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }],
      rules: [
        {
          matches: [
            {
              path: { type: "PathPrefix", value: "/a" },
              headers: [{ type: "Exact", name: "x", value: "y" }],
            },
            ANY_PATH,
          ],
          backendRefs: [{ group: "", kind: "Service", name: "web", port: 80, weight: 1 }],
          retry: { attempts: 1 },
        },
      ],
    });
  });

  it("keeps an empty list of matches and lists that are left out", () => {
    const { spec } = only("HTTPRoute", gatewayObject("HTTPRoute", { rules: [{ matches: [] }] }));
    expect(spec).toEqual({ rules: [{ matches: [] }] });
    expect(only("GRPCRoute", gatewayObject("GRPCRoute", {})).spec).toEqual({});
  });

  it("gives a listener its mode and its namespaces", () => {
    const tls = { certificateRefs: [{ name: "tls" }] };
    const { spec } = only(
      "Gateway",
      gateway({
        listeners: [
          {
            name: "a",
            port: 443,
            protocol: "HTTPS",
            tls,
            allowedRoutes: { kinds: [{ kind: "K" }] },
          },
        ],
        allowedListeners: {},
      }),
    );
    expect(spec.listeners).toEqual([
      {
        name: "a",
        port: 443,
        protocol: "HTTPS",
        tls: { mode: "Terminate", certificateRefs: [{ group: "", kind: "Secret", name: "tls" }] },
        allowedRoutes: {
          namespaces: { from: "Same" },
          kinds: [{ group: "gateway.networking.k8s.io", kind: "K" }],
        },
      },
    ]);
    expect(spec.allowedListeners).toEqual({ namespaces: { from: "None" } });
  });

  it("changes nothing of what was given", () => {
    const given = gatewayObject("HTTPRoute", {
      rules: [{ backendRefs: [{ name: "a", port: 1 }] }],
    });
    const copy = structuredClone(given);
    resourcesFromObjects([given]);
    expect(given).toEqual(copy);
  });
});

describe("a status", () => {
  const condition = { type: "Accepted", status: "True", reason: "Accepted", message: "" };
  const parent = { parentRef: { name: "edge" }, controllerName: "a/b" };

  it("is kept with what it does not know", () => {
    const status = {
      conditions: [{ ...condition, extra: 1 }],
      addresses: [{ value: "::1" }],
      other: [],
    };
    expect(only("Gateway", { ...gateway(), status }).status).toEqual(status);
    const route = { ...gatewayObject("HTTPRoute", {}), status: { parents: [parent] } };
    expect(only("HTTPRoute", route).status).toEqual({ parents: [parent] });
  });

  it.each<[unknown, unknown]>([
    ["text", undefined],
    [null, undefined],
    [[], undefined],
    [{ conditions: "none" }, {}],
    [
      { conditions: [condition, {}, 5, null, { ...condition, status: true }] },
      { conditions: [condition] },
    ],
    [{ conditions: [{ ...condition, observedGeneration: "7" }] }, { conditions: [condition] }],
    [{ attachedListenerSets: 1.5, listeners: [{ name: "a" }] }, { listeners: [] }],
  ])("%j never refuses its object", (status, kept) => {
    expect(only("Gateway", { ...gateway(), status }).status).toEqual(kept);
  });

  it("that is strange is strange in routes and policies, too", () => {
    const parents = [parent, { parentRef: {} }, "x"];
    const route = { ...gatewayObject("GRPCRoute", {}), status: { parents } };
    expect(only("GRPCRoute", route).status).toEqual({ parents: [parent] });
  });
});

test("a field that is not known is left out of an object from an API server", () => {
  const { resources, diagnostics } = resourcesFromObjects([
    gatewayObject("HTTPRoute", { hostnames: ["a.example"], nickname: "b.example" }),
  ]);
  expect(diagnostics).toEqual([]);
  expect(resources.list("HTTPRoute")[0]?.spec).toEqual({
    hostnames: ["a.example"],
    rules: [{ matches: [ANY_PATH] }],
  });
});

test("a Gateway that can't be read any more keeps its last good content", () => {
  const text = (port: string): string =>
    `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec: {gatewayClassName: a, listeners: [{name: http, port: ${port}, protocol: HTTP}]}
`;
  const source = (port: string) => [{ path: "a.yaml", text: text(port) }];
  const first = advance(initialInput(DEFAULT_INPUT_OPTIONS), source("80"));
  const second = advance(first.state, source("0"));
  expect(second.resources.list("Gateway")).toEqual(first.resources.list("Gateway"));
  expect(second.stale).toEqual([expect.objectContaining({ kind: "Gateway", name: "edge" })]);
  const atStart = advance(initialInput(DEFAULT_INPUT_OPTIONS), source("0"));
  expect(atStart.resources.refused).toEqual(second.stale);
});
