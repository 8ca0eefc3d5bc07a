/** Whatever listeners namespaces want: the budget holds, nobody has less than an equal share, and what a namespace loses is its newest. */
import { DEFAULT_OPTIONS } from "../../src/options.js";
import { fc } from "../support/fast-check.js";
import { translated } from "../unit/translate/translated.js";

const WORKERS = 3;
const NAMESPACES = ["a", "b", "c"];
const CLASS = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "alb" },
  spec: { controllerName: DEFAULT_OPTIONS.controllerName },
};

const wanted = fc.array(
  fc.record({ namespace: fc.constantFrom(...NAMESPACES), udp: fc.boolean() }),
  { maxLength: 24 },
);

test("sockets are shared out fairly", () => {
  fc.assert(
    fc.property(wanted, fc.integer({ min: 0, max: 40 }), (listeners, budget) => {
      const gateways = listeners.map(({ namespace, udp }, index) => ({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "Gateway",
        metadata: {
          name: `g${String(index)}`,
          namespace,
          creationTimestamp: new Date(index * 1000).toISOString(),
        },
        spec: {
          gatewayClassName: "alb",
          listeners: [{ name: "l", port: 1000 + index, protocol: udp ? "UDP" : "TCP" }],
        },
      }));
      const { config } = translated(
        [CLASS, ...gateways].map((each) => JSON.stringify(each)).join("\n---\n"),
        {
          ...DEFAULT_OPTIONS,
          listenerSockets: budget,
          dataPlane: { ...DEFAULT_OPTIONS.dataPlane, ipv6: false, workers: WORKERS },
        },
      );
      const served = new Set(config.streams.map(({ port }) => port - 1000));
      const all = listeners.map(({ namespace, udp }, index) => ({
        namespace,
        cost: udp ? WORKERS : 1,
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
