/** Shares are max–min fair, whatever is claimed (src/support/shares.ts). */
import type { KubernetesObject } from "../../src/api/wire.js";
import { type Claim, shareOut } from "../../src/support/shares.js";
import { fc, runs } from "../support/fast-check.js";

const NAMESPACES = ["a", "b", "c", "d"];

interface Wanted {
  readonly namespace: string;
  readonly created: number;
  readonly size: number;
  /** Several claims may share one of few places; undefined: a place of its own. */
  readonly shared: number | undefined;
}

const wanted = fc.array(
  fc.record<Wanted>({
    namespace: fc.constantFrom(...NAMESPACES),
    created: fc.nat({ max: 6 }),
    size: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 60 })),
    shared: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 3 }),
  }),
  { maxLength: 24 },
);
const capacity = fc.nat({ max: 120 });
const RUNS = 2000;

function object(namespace: string, created: number, name: string): KubernetesObject {
  const creationTimestamp = new Date(created * 1000).toISOString();
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace, name, creationTimestamp } };
}

function claimsOf(list: readonly Wanted[]): readonly Claim[] {
  return list.map(({ namespace, created, size, shared }, i) => ({
    owner: object(namespace, created, `o${String(i)}`),
    ...(shared === undefined
      ? { place: `own ${String(i)}`, size }
      : { place: `shared ${String(shared)}`, size: 7 * shared }),
  }));
}

const namespaceOf = ({ owner }: Claim): string => owner?.metadata.namespace ?? "";

/** Of the places of some claims, each once. */
function sizeOf(claims: readonly Claim[]): number {
  return [...new Map(claims.map(({ place, size }) => [place, size])).values()].reduce(
    (sum, size) => sum + size,
    0,
  );
}

/** What each namespace may have at least, if each pays all of its places: min(what it wants, level) of all fills the capacity. */
function levelOf(claims: readonly Claim[], whole: number): number {
  const demands = NAMESPACES.map((each) =>
    sizeOf(claims.filter((one) => namespaceOf(one) === each)),
  );
  let level = 0;
  while (
    level < 1000 &&
    demands.reduce((sum, demand) => sum + Math.min(demand, level + 1), 0) <= whole
  ) {
    level += 1;
  }
  return level;
}

test("nothing is lost while the whole suffices; otherwise the capacity holds, and what is lost did not fit", () => {
  fc.assert(
    fc.property(wanted, capacity, (list, whole) => {
      const claims = claimsOf(list);
      const { kept, left, used } = shareOut(claims, whole);
      const lost = claims.filter(({ place }) => !kept.has(place));
      if (sizeOf(claims) <= whole) expect(lost).toEqual([]);
      const size = sizeOf(claims.filter(({ place }) => kept.has(place)));
      expect(size + left).toBe(whole);
      expect(left).toBeGreaterThanOrEqual(0);
      for (const namespace of new Set(lost.map(namespaceOf))) {
        const own = lost.filter((each) => namespaceOf(each) === namespace);
        expect(Math.max(...own.map((each) => each.size))).toBeGreaterThan(left);
        expect(used(namespace)).toBe(
          sizeOf(claims.filter((each) => namespaceOf(each) === namespace && kept.has(each.place))),
        );
      }
    }),
    runs(RUNS),
  );
});

test("a namespace that wants no more than its fair share loses nothing, whatever others want", () => {
  fc.assert(
    fc.property(wanted, capacity, (list, whole) => {
      const claims = claimsOf(list);
      const { kept } = shareOut(claims, whole);
      const level = levelOf(claims, whole);
      for (const namespace of NAMESPACES) {
        const own = claims.filter((each) => namespaceOf(each) === namespace);
        if (sizeOf(own) > level) continue;
        expect(own.filter(({ place }) => !kept.has(place))).toEqual([]);
      }
    }),
    runs(RUNS),
  );
});

test("a namespace loses its newest: a younger claim takes nothing from an older one, unless another namespace shares its place", () => {
  fc.assert(
    fc.property(wanted, capacity, (list, whole) => {
      const claims = claimsOf(list);
      const { kept } = shareOut(claims, whole);
      const isShared = ({ place }: Claim): boolean => place.startsWith("shared");
      for (const namespace of NAMESPACES) {
        const own = claims
          .filter((each) => namespaceOf(each) === namespace && each.size > 0 && !isShared(each))
          .sort((a, b) =>
            (a.owner?.metadata.creationTimestamp ?? "") <
            (b.owner?.metadata.creationTimestamp ?? "")
              ? -1
              : 0,
          );
        const times = (isKept: boolean): readonly string[] =>
          own
            .filter(({ place }) => kept.has(place) === isKept)
            .map(({ owner }) => owner?.metadata.creationTimestamp ?? "");
        const [oldestLost = "9"] = [...times(false)].sort();
        const newestKept = [...times(true)].sort().at(-1) ?? "";
        expect(newestKept <= oldestLost).toBe(true);
      }
    }),
    runs(RUNS),
  );
});

test("the order in which objects are given does not matter", () => {
  const shuffled = wanted.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
  );
  fc.assert(
    fc.property(shuffled, capacity, ([list, order], whole) => {
      const claims = claimsOf(list);
      const { kept } = shareOut(claims, whole);
      const others = order.flatMap((i) => claims[i] ?? []);
      expect([...shareOut(others, whole).kept].sort()).toEqual([...kept].sort());
    }),
    runs(RUNS),
  );
});

test("the options come before all objects", () => {
  const claim = (owner: KubernetesObject | undefined, place: string): Claim => ({
    owner,
    place,
    size: 1,
  });
  const { kept, used } = shareOut(
    [claim(object("a", 0, "x"), "1"), claim(undefined, "2"), claim(object("a", 0, "x"), "3")],
    1,
  );
  expect(kept).toEqual(new Set(["2"]));
  expect([used(""), used("a")]).toEqual([1, 0]);
});

test("20,000 claims of 5,000 namespaces are shared out at once", () => {
  const claims = Array.from({ length: 20_000 }, (_, i): Claim => ({
    owner: object(`n${String(i % 5000)}`, i % 7, `o${String(i)}`),
    place: String(i),
    size: i % 13,
  }));
  const start = process.cpuUsage();
  expect(shareOut(claims, 20_000).left).toBeLessThan(13);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
});
