import { fc } from "../../../../support/fast-check.js";
import {
  TargetIndex,
  type TargetingPolicy,
} from "../../../../../src/translate/gateway/policies/policy-targets.js";

const SECTIONS = [undefined, "http", "https"] as const;

const policies: fc.Arbitrary<TargetingPolicy[]> = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      namespace: fc.constantFrom("apps", "infra"),
      year: fc.constantFrom(2024, 2025, undefined),
      sections: fc.uniqueArray(fc.constantFrom(...SECTIONS), { minLength: 1 }),
    }),
    { selector: ({ name, namespace }) => `${namespace}/${name}` },
  )
  .map((drawn) =>
    drawn.map(({ name, namespace, year, sections }) => ({
      apiVersion: "example.com/v1",
      kind: "Policy",
      metadata: {
        name,
        namespace,
        ...(year !== undefined && { creationTimestamp: `${String(year)}-01-01T00:00:00Z` }),
      },
      spec: {
        targetRefs: sections.map((sectionName) => ({
          group: "",
          kind: "Service",
          name: "web",
          ...(sectionName !== undefined && { sectionName }),
        })),
      },
    })),
  );

/** The rule as Gateway API says it, written down once more: older, then by name; none without a date is older. */
function expected(all: readonly TargetingPolicy[], namespace: string, section?: string): unknown {
  const rank = ({ metadata }: TargetingPolicy): string =>
    `${metadata.creationTimestamp ?? "9999"} ${metadata.name}`;
  return all
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === namespace &&
        (spec.targetRefs ?? []).some(({ sectionName }) => sectionName === section),
    )
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

test("of all policies for a target the same one is in force, in whatever order they come", () => {
  fc.assert(
    fc.property(
      policies.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      ),
      ([all, shuffled]) => {
        const index = new TargetIndex(shuffled);
        for (const namespace of ["apps", "infra"]) {
          for (const section of SECTIONS) {
            const target = { group: "", kind: "Service", namespace, name: "web", section };
            expect(index.winner(target)).toBe(expected(all, namespace, section));
          }
        }
      },
    ),
  );
});
