/** Whatever listeners and Frontends namespaces want: the budget holds, nobody has less than an equal share, and what a namespace loses is its newest. */
import { type KeyPair, selfSigned } from "../../e2e/harness/certificates.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { unixSockets } from "../../src/render/nginx/stream-view.js";
import { fc } from "../support/fast-check.js";
import { translated } from "../support/translated.js";

const WORKERS = 3;
const NAMESPACES = ["a", "b", "c"];
/** Of TLS that is passed through one more than the port. */
const COSTS: Readonly<Record<string, number>> = { UDP: WORKERS, TLS: 2 };
const CLASS = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "alb" },
  spec: { controllerName: DEFAULT_OPTIONS.controllerName },
};

const ALBS = NAMESPACES.map((namespace) => ({
  apiVersion: "crd.alauda.io/v2beta1",
  kind: "ALB2",
  metadata: { name: "alb", namespace },
  spec: { config: { enableIngress: false } },
}));

const wanted = fc.array(
  fc.record({
    namespace: fc.constantFrom(...NAMESPACES),
    protocol: fc.constantFrom("TCP", "UDP", "TLS", "frontend"),
  }),
  { maxLength: 24 },
);

test("sockets are shared out fairly", () => {
  fc.assert(
    fc.property(wanted, fc.integer({ min: 0, max: 40 }), (listeners, budget) => {
      const objects = listeners.map(({ namespace, protocol }, index) => {
        const metadata = {
          name: `g${String(index)}`,
          namespace,
          creationTimestamp: new Date(index * 1000).toISOString(),
        };
        const port = 1000 + index;
        return protocol === "frontend"
          ? frontend(metadata, port)
          : gateway(metadata, port, protocol);
      });
      const { config } = translated(
        [CLASS, ...ALBS, ...objects].map((each) => JSON.stringify(each)).join("\n---\n"),
        {
          ...DEFAULT_OPTIONS,
          listenerSockets: budget,
          dataPlane: { ...DEFAULT_OPTIONS.dataPlane, ipv6: false, workers: WORKERS },
        },
      );
      const served = new Set([...config.streams, ...config.servers].map(({ port }) => port - 1000));
      const all = listeners.map(({ namespace, protocol }, index) => ({
        namespace,
        cost: COSTS[protocol] ?? 1,
        isServed: served.has(index),
      }));
      const used = (namespace: string): number =>
        all
          .filter((each) => each.isServed && each.namespace === namespace)
          .reduce((sum, { cost }) => sum + cost, 0);
      expect(NAMESPACES.reduce((sum, each) => sum + used(each), 0)).toBeLessThanOrEqual(budget);
      for (const namespace of NAMESPACES) {
        const own = all.filter((each) => each.namespace === namespace);
        const lost = own.findIndex(({ isServed }) => !isServed);
        if (lost < 0) continue;
        expect(own.slice(lost).some(({ isServed }) => isServed)).toBe(false);
        // One that lost has what any other has, but for what one listener more or less costs.
        for (const other of NAMESPACES) {
          expect(used(namespace) + 2 * WORKERS).toBeGreaterThan(used(other));
        }
      }
    }),
  );
});

const ended = fc.array(
  fc.record({
    namespace: fc.constantFrom(...NAMESPACES),
    host: fc.constantFrom("a.example", "b.example", "*.example", "c.test"),
    attached: fc.subarray(["one", "two", "through"], { minLength: 1 }),
  }),
  { maxLength: 16 },
);

const ALL = { namespaces: { from: "All" } };
/** Sockets of three ports of TLS, of which one passes it through. */
const LISTENERS = 4;
/** Three quarters of them are enough for the ports. */
const LEAST = 5;

test("places where TLS ends are among the sockets", async () => {
  const pairs = [await selfSigned("a.example"), await selfSigned("b.example")];
  fc.assert(
    fc.property(ended, fc.integer({ min: LEAST, max: 40 }), (routes, budget) => {
      const objects = [
        CLASS,
        ...pairs.map((pair, index) => secret(`s${String(index)}`, pair)),
        ending("one", 443, ["s0", "s1"]),
        ending("two", 444, ["s0"]),
        gateway({ name: "through", namespace: "a" }, 445, "TLS"),
        ...routes.map(({ namespace, host, attached }, index) =>
          tlsRoute({ ...aged(index), namespace }, host, attached),
        ),
      ];
      const { config, statuses } = translated(
        objects.map((each) => JSON.stringify(each)).join("\n---\n"),
        {
          ...DEFAULT_OPTIONS,
          ...{ listenerSockets: budget, httpPort: 0, httpsPort: 0 },
          dataPlane: { ...DEFAULT_OPTIONS.dataPlane, ipv6: false },
        },
      );
      expect(config.streams.length + unixSockets(config)).toBeLessThanOrEqual(budget);
      const refused = new Set(
        statuses
          .filter((each) => JSON.stringify(each.status).includes("no TLS can end"))
          .map(({ metadata }) => metadata.name),
      );
      const passed = routes.flatMap(({ attached }, index) =>
        attached.join() === "through" ? aged(index).name : [],
      );
      expect(passed.filter((name) => refused.has(name))).toEqual([]);
      // What is enough for the worst case is enough.
      if (budget >= LISTENERS + routes.length * 3) expect(refused).toEqual(new Set());
      for (const namespace of NAMESPACES) {
        const own = routes.flatMap(({ namespace: its, attached }, index) =>
          its === namespace && attached.join() !== "through" ? index : [],
        );
        const lost = own.findIndex((index) => refused.has(aged(index).name));
        if (lost < 0) continue;
        expect(own.slice(lost).filter((index) => !refused.has(aged(index).name))).toEqual([]);
      }
    }),
  );
});

function aged(index: number) {
  const creationTimestamp = new Date((index + 1) * 1000).toISOString();
  return { name: `r${String(index).padStart(2, "0")}`, creationTimestamp };
}

function secret(name: string, { certificate, key }: KeyPair): object {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name, namespace: "a" },
    stringData: { "tls.crt": certificate, "tls.key": key },
  };
}

function ending(name: string, port: number, secrets: readonly string[]): object {
  const tls = { mode: "Terminate", certificateRefs: secrets.map((each) => ({ name: each })) };
  const listener = { name: "l", port, protocol: "TLS", tls, allowedRoutes: ALL };
  return {
    ...gateway({ name, namespace: "a" }, port, "TLS"),
    spec: { gatewayClassName: "alb", listeners: [listener] },
  };
}

function tlsRoute(metadata: Metadata, host: string, gateways: readonly string[]): object {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "TLSRoute",
    metadata,
    spec: {
      parentRefs: gateways.map((name) => ({ name, namespace: "a" })),
      hostnames: [host],
      rules: [{ backendRefs: [{ name: "db", port: 1 }] }],
    },
  };
}

interface Metadata {
  readonly name: string;
  readonly namespace: string;
}

function gateway(metadata: Metadata, port: number, protocol: string): object {
  const tls = protocol === "TLS" ? { tls: { mode: "Passthrough" }, allowedRoutes: ALL } : {};
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata,
    spec: { gatewayClassName: "alb", listeners: [{ name: "l", port, protocol, ...tls }] },
  };
}

function frontend(metadata: Metadata, port: number): object {
  return {
    apiVersion: "crd.alauda.io/v1",
    kind: "Frontend",
    metadata: { ...metadata, labels: { "alb2.cpaas.io/name": "alb" } },
    spec: { port, protocol: "http" },
  };
}
