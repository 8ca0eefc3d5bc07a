import { fc } from "../../support/fast-check.js";
import { type HostPattern, hostKey } from "../../../src/model/values.js";
import { compareStrings } from "../../../src/support/collections.js";
import {
  type PathRank,
  type RouteRank,
  hostnameRank,
  routeOrderKey,
} from "../../../src/translate/precedence.js";

const created = ["2020-01-01T00:00:00Z", "2026-06-01T12:00:00Z", undefined] as const;

const hostname: fc.Arbitrary<HostPattern> = fc.oneof(
  fc.constant({ kind: "any" } as const),
  fc.constantFrom("a.b", "a.bc", "a.b.c").map((host) => ({ kind: "exact" as const, host })),
  fc
    .constantFrom("b", "b.c", "bcd")
    .map((suffix) => ({ kind: "wildcard" as const, suffix, labels: "many" as const })),
);
const path: fc.Arbitrary<PathRank> = fc.record({
  kind: fc.constantFrom("exact", "regex", "prefix"),
  length: fc.nat(4),
});
interface HostedRank extends RouteRank {
  readonly hostname: HostPattern;
}

const rank: fc.Arbitrary<HostedRank> = fc.record({
  hostname,
  match: fc.record({ path, method: fc.boolean(), headers: fc.nat(2), queries: fc.nat(2) }),
  route: fc
    .record({
      age: fc.constantFrom(...created),
      namespace: fc.constantFrom("a", "a-b"),
      name: fc.constantFrom("r", "r-2"),
      kind: fc.constantFrom("HTTPRoute", "GRPCRoute"),
    })
    .map(({ age, namespace, name, kind }) => ({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind,
      metadata: { namespace, name, ...(age !== undefined && { creationTimestamp: age }) },
    })),
  position: fc.tuple(fc.nat(15), fc.nat(127), fc.nat(15)),
});

const HOSTS = ["exact", "wildcard", "any"];
const PATHS = ["exact", "regex", "prefix"];

/** The API's rules one after the other, as numbers and texts where the smaller comes first. */
function rules({
  hostname: host,
  match,
  route,
  position,
}: HostedRank): readonly (number | string)[] {
  const { namespace, name, creationTimestamp } = route.metadata;
  return [
    HOSTS.indexOf(host.kind),
    -hostKey(host).length,
    PATHS.indexOf(match.path.kind),
    -match.path.length,
    match.method ? 0 : 1,
    -match.headers,
    -match.queries,
    creationTimestamp === undefined ? Infinity : Date.parse(creationTimestamp),
    `${namespace}/${name}`,
    route.kind,
    ...position,
  ];
}

function compareRules(a: HostedRank, b: HostedRank): number {
  const others = rules(b);
  for (const [i, value] of rules(a).entries()) {
    const other = others[i] ?? "";
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

function keyOf(each: HostedRank): string {
  return `${hostnameRank(each.hostname)} ${routeOrderKey(each)}`;
}

test("keys sort as the API's rules say", () => {
  fc.assert(
    fc.property(rank, rank, (a, b) => {
      expect(compareStrings(keyOf(a), keyOf(b))).toBe(compareRules(a, b));
    }),
    { numRuns: 5000 },
  );
});
