import { compile } from "../../../../../src/compile.js";
import { advance, initialInput } from "../../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { RenderedPolicy } from "../../../../../src/render/rendered-file.js";
import { MOST_BINDINGS } from "../../../../../src/translate/size-limits.js";
import { placesOf } from "../../../../support/translated.js";

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** A Gateway with so many listeners, and a route to it; JSON is YAML. */
function compiled(listeners: number, hosts: number, match: (rule: number, i: number) => object) {
  const objects = [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "albc" },
      spec: { controllerName: DEFAULT_OPTIONS.controllerName },
    },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { name: "gw", namespace: "default" },
      spec: {
        gatewayClassName: "albc",
        listeners: numbers(listeners).map((i) => ({
          name: `l${String(i)}`,
          port: 8000 + i,
          protocol: "HTTP",
        })),
      },
    },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "web", namespace: "default" },
      spec: {
        parentRefs: [{ name: "gw" }],
        hostnames: numbers(hosts).map((i) => `h${String(i)}.example`),
        rules: numbers(16).map((rule) => ({ matches: numbers(8).map((i) => match(rule, i)) })),
      },
    },
  ];
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  const { resources } = advance(initialInput({ albGroup: DEFAULT_OPTIONS.domains.group }), [
    { path: "input.yaml", text },
  ]);
  const { config, diagnostics, files } = compile(resources, DEFAULT_OPTIONS);
  const policy = files
    .map(({ contents }) => contents)
    .find((each) => each instanceof RenderedPolicy);
  const codes = new Set(diagnostics.map(({ code }) => code));
  return { bindings: placesOf(config).length, size: policy?.size ?? 0, codes };
}

const MIB = 1024 * 1024;

test("the most that the API allows is served on two listeners", () => {
  const { bindings, codes } = compiled(2, 16, (rule, i) => ({
    path: { value: `/r${String(rule)}/${String(i)}` },
  }));
  expect(bindings).toBe(4096);
  expect(codes).not.toContain("ROUTE_TOO_LARGE");
});

test("many paths on many listeners are closed by their first elements", () => {
  const { bindings, size, codes } = compiled(64, 16, (rule, i) => ({
    path: { value: `/r${String(rule)}/${String(i)}` },
  }));
  expect(codes).toContain("ROUTE_TOO_LARGE");
  expect(bindings).toBe(64 * 16 * 16);
  expect(bindings).toBeLessThanOrEqual(MOST_BINDINGS);
  expect(size).toBeLessThan(4 * MIB);
});

test("conditions that are too long on many listeners are left out", () => {
  const headers = numbers(16).map((i) => ({ name: `x-${String(i)}`, value: "v".repeat(400) }));
  const { bindings, size, codes } = compiled(64, 16, (rule) => ({
    path: { value: `/r${String(rule)}` },
    headers,
  }));
  expect(codes).toContain("ROUTE_TOO_LARGE");
  expect(bindings).toBe(64 * 16 * 16);
  expect(size).toBeLessThan(4 * MIB);
});
