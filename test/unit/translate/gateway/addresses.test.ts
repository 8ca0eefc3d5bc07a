import { fc } from "../../../support/fast-check.js";
import type { Gateway } from "../../../../src/api/gateway.js";
import { assignAddresses } from "../../../../src/translate/gateway/addresses.js";

interface Wanted {
  readonly asks?: readonly string[];
  /** By its status. */
  readonly held?: readonly string[];
  readonly remembered?: readonly string[];
}

const memory = new WeakMap<Gateway, readonly string[]>();

function gateway(name: string, { asks = [], held = [], remembered = [] }: Wanted = {}): Gateway {
  const made: Gateway = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name, namespace: "n" },
    spec: {
      gatewayClassName: "c",
      listeners: [],
      ...(asks.length > 0 && { addresses: asks.map((value) => ({ value })) }),
    },
    status: { addresses: held.map((value) => ({ type: "IPAddress", value })) },
  };
  memory.set(made, remembered);
  return made;
}

function rememberedFor(made: Gateway): readonly string[] {
  return memory.get(made) ?? [];
}

/** Name → addresses, or the reason why it does not get all. */
function assigned(
  gateways: readonly Gateway[],
  pool: readonly string[],
): Record<string, readonly string[] | string> {
  return Object.fromEntries(
    [...assignAddresses(gateways, () => pool, rememberedFor)].map(
      ([{ metadata }, { addresses, verdict }]) => [
        metadata.name,
        verdict.ok ? addresses : verdict.reason,
      ],
    ),
  );
}

test("who has an address keeps it, though an older one asks for it", () => {
  const gateways = [
    gateway("older", { asks: ["10.0.0.1"] }),
    gateway("holder", { held: ["10.0.0.1"] }),
  ];
  expect(assigned(gateways, ["10.0.0.1", "10.0.0.2"])).toEqual({
    older: "AddressNotUsable",
    holder: ["10.0.0.1"],
  });
});

test("who asks for an address comes before who takes any", () => {
  const gateways = [gateway("any"), gateway("asks", { asks: ["10.0.0.1"] })];
  expect(assigned(gateways, ["10.0.0.1", "10.0.0.2"])).toEqual({
    any: ["10.0.0.2"],
    asks: ["10.0.0.1"],
  });
});

test("of two that hold one address the older keeps it", () => {
  const held = ["10.0.0.1"];
  const gateways = [gateway("older", { held }), gateway("younger", { held })];
  expect(assigned(gateways, ["10.0.0.1"])).toEqual({
    older: ["10.0.0.1"],
    younger: "AddressNotAssigned",
  });
});

test("what is remembered is kept when the status is lost, though an older one waits for it or asks for it", () => {
  const holder = gateway("holder", { remembered: ["10.0.0.1"] });
  expect(assigned([gateway("waits"), holder], ["10.0.0.1"])).toEqual({
    waits: "AddressNotAssigned",
    holder: ["10.0.0.1"],
  });
  expect(assigned([gateway("asks", { asks: ["10.0.0.1"] }), holder], ["10.0.0.1"])).toEqual({
    asks: "AddressNotUsable",
    holder: ["10.0.0.1"],
  });
});

test("who says in both places that it has an address comes before an older one that says it in one", () => {
  const own = ["10.0.0.1"];
  const holder = gateway("holder", { held: own, remembered: own });
  for (const forged of [{ held: own }, { remembered: own }]) {
    expect(assigned([gateway("forger", forged), holder], ["10.0.0.0/30"])).toMatchObject({
      holder: own,
    });
  }
});

test("an address is one however it is written", () => {
  const gateways = [gateway("a", { asks: ["FD00:0::1", "fd00::1"] })];
  expect(assigned(gateways, ["fd00::/64"])).toEqual({ a: ["fd00::1"] });
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 12 });

test("every Gateway has one of its own as long as there are enough, and none twice", () => {
  fc.assert(
    fc.property(names, (all) => {
      const assignments = [
        ...assignAddresses(
          all.map((name) => gateway(name)),
          () => ["10.0.0.0/28"],
          rememberedFor,
        ).values(),
      ];
      const addresses = assignments.flatMap((assignment) => assignment.addresses);
      expect(addresses).toHaveLength(all.length);
      expect(new Set(addresses).size).toBe(all.length);
    }),
  );
});

test("one that comes last changes nobody's address, and statuses keep them when others go", () => {
  fc.assert(
    fc.property(names, fc.nat(), (all, seed) => {
      const pool = ["10.0.0.0/28"];
      const before = assigned(
        all.map((name) => gateway(name)),
        pool,
      );
      const more = assigned(
        [...all, "zzzzzzzzz"].map((name) => gateway(name)),
        pool,
      );
      expect(more).toMatchObject(before);
      const gone = all[seed % all.length];
      const left = all.filter((name) => name !== gone);
      const kept = left.map((name) => gateway(name, { held: [before[name] ?? []].flat() }));
      expect(before).toMatchObject(assigned(kept, pool));
    }),
  );
});

test("a pool of more addresses than can be counted through is no trouble", () => {
  const gateways = ["a", "b", "c"].map((name) => gateway(name));
  const addresses = Object.values(assigned(gateways, ["fd00::/8"])).flat();
  expect(new Set(addresses).size).toBe(3);
});

test("pools that overlap give no address twice", () => {
  const pools: Readonly<Record<string, readonly string[]>> = {
    a: ["10.0.0.1", "10.0.0.2"],
    b: ["10.0.0.2"],
    c: ["10.0.0.1-none", "10.0.0.1"],
  };
  fc.assert(
    fc.property(fc.shuffledSubarray(["a", "b", "c"]), (order) => {
      const assignments = assignAddresses(
        order.map((name) => gateway(name)),
        ({ metadata }) => pools[metadata.name] ?? [],
        rememberedFor,
      );
      const addresses = [...assignments.values()].flatMap((assignment) => assignment.addresses);
      expect(new Set(addresses).size).toBe(addresses.length);
    }),
  );
});

const pool = ["10.0.0.0/28"];
const anything = fc.oneof(
  fc.integer({ min: 0, max: 15 }).map((last) => `10.0.0.${String(last)}`),
  fc.string(),
);

test("whatever is written into one status, or however many are lost, everybody keeps its address", () => {
  fc.assert(
    fc.property(names, fc.nat(), fc.array(anything), fc.boolean(), (all, seed, garbage, lost) => {
      const before = assigned(
        all.map((name) => gateway(name)),
        pool,
      );
      const victim = all[seed % all.length];
      const after = all.map((name) => {
        const own = [before[name] ?? []].flat();
        const status = lost ? [] : own;
        return gateway(name, { held: name === victim ? garbage : status, remembered: own });
      });
      // One that came before them all and would take whatever is free.
      expect(assigned([gateway("first"), ...after], pool)).toMatchObject(before);
    }),
  );
});

test("without the memory the status is as good as before", () => {
  fc.assert(
    fc.property(names, (all) => {
      const before = assigned(
        all.map((name) => gateway(name)),
        pool,
      );
      const after = all.map((name) => gateway(name, { held: [before[name] ?? []].flat() }));
      expect(assigned([gateway("first"), ...after], pool)).toMatchObject(before);
    }),
  );
});
