/** What holds of Gateways whatever they want: who serves what is never in doubt, and statuses say what is served. */
import { fc } from "../support/fast-check.js";
import { hostKey } from "../../src/model/values.js";
import type { Listener } from "../../src/model/listener.js";
import type { ObjectStatus } from "../../src/status/object-status.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { Renderer } from "../../src/render.js";
import { repeatedNames } from "../support/repeated-names.js";
import { type Translated, translated } from "../support/translated.js";

interface ListenerSpec {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly hostname?: string;
}

interface Wanted {
  readonly kind: "Gateway" | "ListenerSet";
  readonly name: string;
  readonly parent: string;
  readonly created?: string;
  readonly listeners: readonly ListenerSpec[];
  readonly address?: string;
}

const NAMES = ["a", "b", "c"];
const POOL = ["10.0.0.1", "10.0.0.2"];

const listener = fc
  .record(
    {
      port: fc.constantFrom(80, 443, 8080),
      protocol: fc.constantFrom("HTTP", "HTTP", "HTTPS", "TLS", "TLS", "TCP", "UDP"),
      hostname: fc.constantFrom("a.example", "*.example", "b.test"),
    },
    { requiredKeys: ["port", "protocol"] },
  )
  .map(({ hostname, ...rest }) => ({
    ...rest,
    ...(rest.protocol === "TLS" && { tls: { mode: "Passthrough" } }),
    // Neither TCP nor UDP has one.
    ...(hostname !== undefined && !["TCP", "UDP"].includes(rest.protocol) && { hostname }),
  }));

const wanted: fc.Arbitrary<Wanted> = fc
  .record({
    kind: fc.constantFrom("Gateway" as const, "Gateway" as const, "ListenerSet" as const),
    name: fc.constantFrom(...NAMES),
    parent: fc.constantFrom(...NAMES),
    year: fc.option(fc.constantFrom("2024", "2025")),
    address: fc.option(fc.constantFrom("", ...POOL, "10.9.9.9")),
    listeners: fc.uniqueArray(listener, {
      minLength: 1,
      maxLength: 4,
      selector: (each) =>
        JSON.stringify([each.port, each.protocol, "hostname" in each && each.hostname]),
    }),
  })
  .map(({ kind, name, parent, year, address, listeners }) => ({
    kind,
    name,
    parent,
    listeners: listeners.map((each, index) => ({ ...each, name: `l${String(index)}` })),
    ...(year !== null && { created: `${year}-01-01T00:00:00Z` }),
    ...(address !== null && { address }),
  }));

const world = fc.uniqueArray(wanted, {
  minLength: 1,
  maxLength: 6,
  selector: ({ kind, name }) => `${kind}/${name}`,
});

function document({ kind, name, parent, created, listeners, address }: Wanted): object {
  const shared = { listeners };
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind,
    metadata: {
      name,
      namespace: "n",
      generation: 1,
      ...(created && { creationTimestamp: created }),
    },
    spec:
      kind === "ListenerSet"
        ? { ...shared, parentRef: { name: parent } }
        : {
            ...shared,
            gatewayClassName: "alb",
            allowedListeners: { namespaces: { from: "Same" } },
            ...(address !== undefined && { addresses: [{ type: "IPAddress", value: address }] }),
          },
  };
}

const CLASS = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "alb" },
  spec: { controllerName: "alb.cpaas.io/gateway-controller" },
};

function translateAll(
  all: readonly Wanted[],
  gatewayAddresses: readonly string[],
  others: readonly object[] = [],
): Translated {
  const documents = [CLASS, ...others, ...all.map(document)];
  return translated(documents.map((each) => `---\n${JSON.stringify(each)}\n`).join(""), {
    gatewayAddresses,
  });
}

const pools = fc.constantFrom<readonly string[]>([], POOL);

function served({ config }: Translated): readonly Listener[] {
  return config.listeners.filter(({ isolated }) => isolated === true);
}

test("a host and port of an address belong to one listener, and a port to one protocol", () => {
  fc.assert(
    fc.property(world, pools, (all, pool) => {
      const result = translateAll(all, pool);
      const places = result.config.listeners.map(
        ({ server, hostname }) => `${server} ${hostKey(hostname)}`,
      );
      expect(new Set(places).size).toBe(places.length);
      const { servers, streams } = result.config;
      const named = new Set(streams.flatMap(({ id, protocol }) => (protocol === "tls" ? id : [])));
      const bound = [
        // A stream has the port of those, and passes connections on.
        ...servers.filter(({ id }) => !named.has(id)),
        ...streams,
      ];
      const sockets = bound.flatMap((each) =>
        (each.addresses.length === 0 ? ["*"] : each.addresses).map(
          (address) => `${address} ${String(each.port)} ${String(isUdp(each))}`,
        ),
      );
      expect(new Set(sockets).size).toBe(sockets.length);
    }),
  );
});

function isUdp(bound: object): boolean {
  return "protocol" in bound && bound.protocol === "udp";
}

interface StatusOfListener {
  readonly name: string;
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

function listenersOf({ status }: ObjectStatus): readonly StatusOfListener[] {
  return (status["listeners"] ?? []) as readonly StatusOfListener[];
}

function isTrueOf({ conditions }: StatusOfListener, type: string): boolean {
  return conditions.some((each) => each.type === type && each.status === "True");
}

test("no map of nginx has a name twice, although an older Ingress names the same hosts", () => {
  const rules = ["a.example", "*.example", "*.b.test", "b.test"].map((host) => ({
    host,
    http: {
      paths: [
        {
          path: "/",
          pathType: "Prefix",
          backend: { service: { name: "web", port: { number: 80 } } },
        },
      ],
    },
  }));
  const older = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "w", namespace: "m", creationTimestamp: "2023-01-01T00:00:00Z" },
    spec: { ingressClassName: "nginx", rules },
  };
  fc.assert(
    fc.property(world, (all) => {
      const { config } = translateAll(all, [], [older]);
      expect(repeatedNames(new Renderer().render(config, DEFAULT_OPTIONS))).toEqual([]);
    }),
  );
});

test("every Gateway has a status for each listener, which is programmed exactly when it is served", () => {
  fc.assert(
    fc.property(world, pools, (all, pool) => {
      const result = translateAll(all, pool);
      const ids = new Set(served(result).map(({ id }) => id));
      const programmed: string[] = [];
      for (const { kind, name, listeners } of all) {
        const status = result.statuses.find(
          (each) => each.kind === kind && each.metadata.name === name,
        );
        if (kind === "Gateway") {
          expect(status && listenersOf(status).map((each) => each.name)).toEqual(
            listeners.map((each) => each.name),
          );
        }
        for (const entry of status === undefined ? [] : listenersOf(status)) {
          const isTrue = (type: string): boolean => isTrueOf(entry, type);
          const protocol = listeners.find((each) => each.name === entry.name)?.protocol ?? "";
          const isServed = ids.has(`${kind.toLowerCase()}/n/${name}/${entry.name}`);
          if (protocol.startsWith("HTTP")) expect(isTrue("Programmed")).toBe(isServed);
          else if (isTrue("Programmed")) programmed.push(protocol);
          if (isTrue("Conflicted")) expect(isTrue("Accepted")).toBe(false);
        }
      }
      const bound = result.config.streams.map(({ protocol }) => protocol.toUpperCase());
      for (const protocol of ["TCP", "UDP"]) {
        const count = (all: readonly string[]): number =>
          all.filter((each) => each === protocol).length;
        expect(count(programmed)).toBe(count(bound));
      }
    }),
  );
});

test("the order of the objects changes nothing", () => {
  fc.assert(
    fc.property(
      world.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      ),
      pools,
      ([all, shuffled], pool) => {
        const one = translateAll(all, pool);
        const other = translateAll(shuffled, pool);
        expect(other.config).toEqual(one.config);
        expect(other.statuses).toEqual(one.statuses);
      },
    ),
  );
});
