/** Random filters. */
import { fc } from "../fast-check.js";
import type { Filters, HeaderChanges, Redirect, Rewrite } from "./world.js";

const pathModifier = fc.oneof(
  fc.record({
    type: fc.constant("ReplaceFullPath" as const),
    value: fc.constantFrom("/", "/new", "/new/x%20y"),
  }),
  fc.record({
    type: fc.constant("ReplacePrefixMatch" as const),
    value: fc.constantFrom("", "/", "/xyz", "/xyz/", "/a"),
  }),
);

const redirect: fc.Arbitrary<Redirect> = fc.record(
  {
    scheme: fc.constantFrom("http" as const, "https" as const),
    hostname: fc.constantFrom("moved.test", "a.test"),
    port: fc.constantFrom(80, 443, 8443),
    statusCode: fc.constantFrom(301, 302, 303, 307, 308),
    path: pathModifier,
  },
  { requiredKeys: [] },
);

const rewrite = (path: fc.Arbitrary<Rewrite["path"]>): fc.Arbitrary<Rewrite> =>
  fc
    .record({ hostname: fc.option(fc.constantFrom("inner.test", "a.test")), path: fc.option(path) })
    .map(({ hostname, path: modifier }) => ({
      ...(hostname !== null && { hostname }),
      ...(modifier && { path: modifier }),
    }));

/** An action for each header at most, as the API has it. */
function headerChanges(names: readonly string[]): fc.Arbitrary<HeaderChanges> {
  const action = fc.constantFrom("set", "add", "remove", "none");
  const value = fc.constantFrom("v", "w w");
  return fc
    .array(fc.tuple(action, value), { minLength: names.length, maxLength: names.length })
    .map((actions) => {
      const of = (wanted: string): { readonly name: string; readonly value: string }[] =>
        actions.flatMap(([kind, text], index) =>
          kind === wanted ? [{ name: names[index] ?? "", value: text }] : [],
        );
      return { set: of("set"), add: of("add"), remove: of("remove").map(({ name }) => name) };
    });
}

const requestHeaders = headerChanges(["x-one", "X-Two"]);
const responseHeaders = headerChanges(["X-Answer", "x-more"]);

export const ruleFilters: fc.Arbitrary<Filters> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: rewrite(pathModifier).map((each) => ({ rewrite: each })) },
  { weight: 1, arbitrary: redirect.map((each) => ({ redirect: each })) },
  { weight: 2, arbitrary: fc.record({ requestHeaders, responseHeaders }, { requiredKeys: [] }) },
  {
    weight: 1,
    arbitrary: fc.record({ requestHeaders, rewrite: rewrite(pathModifier), responseHeaders }),
  },
  { weight: 1, arbitrary: fc.constant({ unknown: true as const }) },
);

/** Of a rule whose own filters may change the path, so these only change the host. */
export const backendFilters: fc.Arbitrary<Filters> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ requestHeaders, responseHeaders }, { requiredKeys: [] }) },
  {
    weight: 1,
    arbitrary: rewrite(fc.constant(undefined)).map((each) => ({ rewrite: each })),
  },
);
