import type { BackendTlsPolicy } from "../../../../../src/api/gateway.js";
import { resourcesFromObjects } from "../../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { compile } from "../../../../../src/compile.js";
import {
  MOST_BACKEND_TLS,
  type TlsContent,
  withoutTlsShare,
} from "../../../../../src/translate/gateway/policies/backend-tls-shares.js";

const LONG = [60, 60, 60, 40].map((count) => "x".repeat(count)).join(".");

function policy(namespace: string, i: number): BackendTlsPolicy {
  const name = `p${String(i)}`;
  const targetRefs = [{ group: "", kind: "Service", name }];
  return {
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "BackendTLSPolicy" },
    metadata: { namespace, name, creationTimestamp: new Date(i * 1000).toISOString() },
    spec: {
      targetRefs,
      validation: {
        hostname: `${name}.example`,
        wellKnownCACertificates: "System",
        subjectAltNames: Array.from({ length: 5 }, (_, k) => ({
          type: "Hostname",
          hostname: `n${String(k)}.${name}.${LONG}.example`,
        })),
      },
    },
  };
}

const content = (i: number, pem?: string): TlsContent => ({
  hostname: `h${String(i)}.example`,
  authorities: pem === undefined ? { kind: "system" } : { kind: "pem", pem },
});

const many = (namespace: string, count: number, pem?: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => [policy(namespace, i), content(i, pem?.(i))] as const);

const ownPem = (i: number): string => `PEM ${String(i)}`;
/** Besides what their names take. */
const FITTING = MOST_BACKEND_TLS - 10;

test("a namespace alone may use all; more lose their newest, and no other namespace loses any", () => {
  expect(withoutTlsShare(new Map(many("a", FITTING, ownPem))).size).toBe(0);
  const contents = new Map([
    ...many("a", 2000, ownPem),
    ...many("b", 20).map(([own], i) => [own, content(i, `other ${String(i)}`)] as const),
  ]);
  const lost = [...withoutTlsShare(contents).keys()];
  expect(2020 - lost.length).toBeGreaterThan(FITTING);
  expect(2020 - lost.length).toBeLessThanOrEqual(MOST_BACKEND_TLS);
  expect(lost.every(({ metadata }) => metadata.namespace === "a")).toBe(true);
  expect(lost.at(-1)?.metadata.name).toBe("p1999");
});

test("authorities cost by their size, and equal ones once, whatever the names", () => {
  const pem = (i: number): string => `${String(i)} ${"x".repeat(250_000)}`;
  expect(withoutTlsShare(new Map(many("a", 60, pem))).size).toBeGreaterThan(50);
  expect(withoutTlsShare(new Map(many("a", 60, () => pem(0)))).size).toBe(0);
  expect(withoutTlsShare(new Map(many("a", 10_000))).size).toBe(0);
});

test("a Service whose policy has no share answers 500, and policies without a Service cost nothing", () => {
  const own = Array.from({ length: 1600 }, (_, i) => policy("a", i));
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
        rules: [{ backendRefs: [{ name: "p1599", port: 443 }] }],
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
      diagnostics.some(({ code }) => code === "BACKEND_TLS_OVER_BUDGET"),
    ];
  };
  expect(seen([...own, ...services])).toEqual([500, true]);
  expect(seen([...own, ...services.slice(800)])).toEqual([undefined, false]);
});
