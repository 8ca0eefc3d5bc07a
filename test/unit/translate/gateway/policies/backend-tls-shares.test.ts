import type { BackendTlsPolicy } from "../../../../../src/api/gateway.js";
import { resourcesFromObjects } from "../../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { compile } from "../../../../../src/compile.js";
import {
  MOST_BACKEND_TLS,
  type TlsContent,
  withoutTlsShare,
} from "../../../../../src/translate/gateway/policies/backend-tls-shares.js";

function policy(namespace: string, i: number): BackendTlsPolicy {
  const name = `p${String(i)}`;
  const targetRefs = [{ group: "", kind: "Service", name }];
  return {
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "BackendTLSPolicy" },
    metadata: { namespace, name, creationTimestamp: new Date(i * 1000).toISOString() },
    spec: {
      targetRefs,
      validation: { hostname: `${name}.example`, wellKnownCACertificates: "System" },
    },
  };
}

const content = (i: number, pem?: string): TlsContent => ({
  hostname: `h${String(i)}.example`,
  authorities: pem === undefined ? { kind: "system" } : { kind: "pem", pem },
});

const many = (namespace: string, count: number, pem?: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => [policy(namespace, i), content(i, pem?.(i))] as const);

test("a namespace alone may use all; more lose their newest, and no other namespace loses any", () => {
  expect(withoutTlsShare(new Map(many("a", MOST_BACKEND_TLS))).size).toBe(0);
  const contents = new Map([
    ...many("a", 2000),
    ...many("b", 20).map(([own], i) => [own, content(i + 5000)] as const),
  ]);
  const lost = [...withoutTlsShare(contents).keys()];
  expect(lost).toHaveLength(2020 - MOST_BACKEND_TLS);
  expect(lost.every(({ metadata }) => metadata.namespace === "a")).toBe(true);
  expect(lost[0]?.metadata.name).toBe(`p${String(MOST_BACKEND_TLS - 20)}`);
});

test("authorities cost by their size, and equal ones once", () => {
  const pem = (i: number): string => `${String(i)} ${"x".repeat(250_000)}`;
  expect(withoutTlsShare(new Map(many("a", 60, pem))).size).toBeGreaterThan(50);
  expect(withoutTlsShare(new Map(many("a", 60, () => pem(0)))).size).toBe(0);
});

test("a Service whose policy has no share answers 500, and policies without a Service cost nothing", () => {
  const own = Array.from({ length: MOST_BACKEND_TLS + 1 }, (_, i) => policy("a", i));
  const services = own.map(({ metadata }) => ({
    ...{ apiVersion: "v1", kind: "Service" },
    metadata: { ...metadata },
    spec: { ports: [{ port: 443 }] },
  }));
  const base = [
    {
      ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "GatewayClass" },
      metadata: { name: "albc" },
      spec: { controllerName: DEFAULT_OPTIONS.controllerName },
    },
    {
      ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway" },
      metadata: { name: "g", namespace: "a" },
      spec: {
        gatewayClassName: "albc",
        listeners: [{ name: "l", port: 80, protocol: "HTTP" }],
      },
    },
    {
      ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute" },
      metadata: { name: "r", namespace: "a" },
      spec: {
        parentRefs: [{ name: "g" }],
        rules: [{ backendRefs: [{ name: `p${String(MOST_BACKEND_TLS)}`, port: 443 }] }],
      },
    },
  ];
  const seen = (objects: readonly unknown[]) => {
    const { config, diagnostics } = compile(
      resourcesFromObjects([...base, ...objects]).resources,
      DEFAULT_OPTIONS,
    );
    const [route] = config.routes;
    return [
      route?.backends?.[0]?.refuse?.[0],
      diagnostics.filter(({ code }) => code === "BACKEND_TLS_OVER_BUDGET").length,
    ];
  };
  expect(seen([...own, ...services])).toEqual([500, 1]);
  expect(seen([...own, ...services.slice(1)])).toEqual([undefined, 0]);
});
