/** Random configurations from small alphabets, so that hostnames, paths and conditions collide. */
import { fc } from "../fast-check.js";
import { backendFilters, ruleFilters } from "./random-filters.js";
import type { Backend, HttpRoute, Listener, Match, NamedValue, Rule, World } from "./world.js";

const HOSTNAMES = ["a.test", "b.a.test", "c.b.a.test", "*.test", "*.a.test", "*.b.a.test", "x.org"];
const hostname = fc.constantFrom(...HOSTNAMES);

const listener = fc
  .record({
    hostname: fc.option(hostname, { nil: undefined }),
    from: fc.constantFrom("All" as const, "All" as const, "Same" as const),
  })
  .map(({ hostname: name, from }) => ({ from, ...(name !== undefined && { hostname: name }) }));

/** Each port has one at least, so that changes never open or close one. */
const listeners: fc.Arbitrary<readonly Listener[]> = fc.tuple(portOf(), portOf()).map((ports) =>
  ports.flatMap((list, port) =>
    list.map((each, index) => ({
      ...each,
      name: `p${String(port)}l${String(index)}`,
      port: port === 0 ? (0 as const) : (1 as const),
    })),
  ),
);

function portOf(): fc.Arbitrary<readonly Omit<Listener, "name" | "port">[]> {
  return fc.uniqueArray(listener, {
    minLength: 1,
    maxLength: 3,
    selector: (each) => ("hostname" in each ? each.hostname : ""),
  });
}

const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom("Exact" as const, "PathPrefix" as const, "PathPrefix" as const),
      value: fc.constantFrom(
        "/",
        "/a",
        "/a/",
        "/a/b",
        "/ab",
        "/a/b/c",
        "/b",
        "/c%20d",
        "/a;x",
        "/a/b/c/d/e",
        "/a/b/",
        "/%61/b",
        "/A",
        "/...",
        "/a.",
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("RegularExpression" as const),
      value: fc.constantFrom("^/a/[a-z]$", "/b", "^/a+b?/?$", "c d"),
    }),
  },
);

function conditions(
  names: readonly string[],
  values: readonly string[],
): fc.Arbitrary<NamedValue[]> {
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant("Exact" as const),
        value: fc.constantFrom(...values),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("RegularExpression" as const),
        value: fc.constantFrom("^[0-9]$", "2", "^1,?"),
      }),
    },
  );
  const one: fc.Arbitrary<NamedValue> = fc
    .record({ name: fc.constantFrom(...names), value })
    .map((each) => ({ name: each.name, ...each.value }));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant<NamedValue[]>([]) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(one, { maxLength: 2, selector: ({ name }) => name.toLowerCase() }),
    },
  );
}

const match: fc.Arbitrary<Match> = fc.record(
  {
    path,
    method: fc.constantFrom("GET", "POST"),
    headers: conditions(["X-One", "x-two"], ["1", "2", "1,2"]),
    query: conditions(["q", "r"], ["1", "2", "1 2"]),
  },
  { requiredKeys: ["headers", "query"] },
);

const backend: fc.Arbitrary<Backend> = fc.record(
  {
    name: fc.constantFrom<Backend["name"][]>(
      "one",
      "two",
      "one",
      "two",
      "empty",
      "missing",
      "foreign",
    ),
    weight: fc.constantFrom(0, 1, 2),
    filters: backendFilters,
  },
  { requiredKeys: ["name", "filters"] },
);

const rule: fc.Arbitrary<Rule> = fc
  .record({
    matches: fc.array(match, { maxLength: 3 }),
    filters: ruleFilters,
    backends: fc.oneof(
      { weight: 4, arbitrary: backend.map((one) => [one]) },
      { weight: 1, arbitrary: fc.array(backend, { maxLength: 3 }) },
    ),
  })
  .map(allowed);

/** What an API server takes: no backends beside a redirect, prefixes replaced only where one prefix is the only match. */
function allowed({ matches, filters, backends }: Rule): Rule {
  const used = filters.redirect === undefined ? backends : [];
  const replaces = [filters, ...used.map((each) => each.filters)].some(
    ({ redirect, rewrite }) =>
      redirect?.path?.type === "ReplacePrefixMatch" || rewrite?.path?.type === "ReplacePrefixMatch",
  );
  const [first = { headers: [], query: [] }] = matches;
  const prefix = { type: "PathPrefix" as const, value: first.path?.value ?? "/" };
  const isPlain = prefix.value.startsWith("/") && !prefix.value.includes("[");
  const only = { ...first, path: isPlain ? prefix : { ...prefix, value: "/a" } };
  return { filters, backends: used, matches: replaces ? [only] : matches };
}

const parents = fc.oneof(
  { weight: 4, arbitrary: fc.constant([{}]) },
  { weight: 1, arbitrary: fc.constantFrom(0 as const, 1 as const).map((port) => [{ port }]) },
  {
    weight: 1,
    arbitrary: fc
      .subarray(["p0l0", "p0l1", "p1l0"], { minLength: 1 })
      .map((names) => names.map((sectionName) => ({ sectionName }))),
  },
);

const routes: fc.Arbitrary<readonly HttpRoute[]> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("r", "s", "t", "u"),
    namespace: fc.constantFrom("infra" as const, "apps" as const),
    created: fc.constantFrom("2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
    parents,
    hostnames: fc.uniqueArray(hostname, { maxLength: 3 }),
    rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5, selector: ({ name, namespace }) => `${namespace}/${name}` },
);

export const worlds: fc.Arbitrary<World> = fc.record({ listeners, routes });
