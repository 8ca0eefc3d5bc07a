import { fc } from "../support/fast-check.js";
import { hostKeyCovers } from "../../src/explain/request.js";
import { canonicalHost } from "../../src/support/ip-address.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";

let nginx: LuaNginx;
beforeAll(async () => {
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());

type Path = readonly ["exact" | "prefix" | "start", string] | readonly ["regex", string, string];
interface Binding {
  readonly order: string;
  readonly route: string;
  readonly path?: Path;
}

// The definition, as plainly as can be: all bindings in byte order, the first whose path matches.
function expected(bindings: readonly Binding[], path: string): string {
  const sorted = [...bindings].sort((a, b) => (a.order < b.order ? -1 : 1));
  return (
    sorted.find((binding) => binding.path === undefined || matches(binding.path, path))?.route ?? ""
  );
}

function matches(match: Path, path: string): boolean {
  switch (match[0]) {
    case "exact":
      return path === match[1];
    case "prefix":
      return path === match[1] || path.startsWith(`${match[1]}/`);
    case "start":
      return path.startsWith(match[1]);
    case "regex":
      return new RegExp(match[1], match[2]).test(path);
  }
}

const element = fc.constantFrom("a", "b", "ab", "c.d");
const elements = fc.array(element, { maxLength: 5 });
const requestPath = fc
  .tuple(elements, fc.constantFrom("", "/", "//"))
  .map(([parts, end]) => `/${parts.join("/")}${parts.length > 0 ? end : ""}`);
const exact = requestPath.map((value): Path => ["exact", value]);
const prefix = elements.map((parts): Path => ["prefix", parts.map((part) => `/${part}`).join("")]);
const start = requestPath.map((value): Path => ["start", value]);
const regex = fc
  .tuple(fc.constantFrom("^/a", "b/", "^/(a|b)/c", "\\.d$", "^/AB"), fc.constantFrom("", "i"))
  .map(([pattern, flags]): Path => ["regex", pattern, flags]);

function bindings(path: fc.Arbitrary<Path | undefined>): fc.Arbitrary<Binding[]> {
  return fc.array(path, { maxLength: 12 }).chain((paths) =>
    fc
      .shuffledSubarray(
        paths.map((_, i) => i),
        { minLength: paths.length },
      )
      .map((ranks) =>
        paths.map((match, i) => ({
          order: String(ranks[i]).padStart(3, "0"),
          route: `r${String(i)}`,
          ...(match === undefined ? {} : { path: match }),
        })),
      ),
  );
}

async function check(
  path: fc.Arbitrary<Path | undefined>,
  lookUp: "lookup" | "search",
): Promise<void> {
  const cases = fc.tuple(
    bindings(path),
    bindings(path),
    fc.array(requestPath, { minLength: 1, maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([first, second, paths]) => {
      // Two lists, as an exact host and a wildcard give; their orders interleave and never tie.
      const lists = [
        first,
        second.map((one) => ({ ...one, order: `${one.order}x`, route: `s${one.route}` })),
      ].map((list) => list.sort((a, b) => (a.order < b.order ? -1 : 1)));
      const [found] = await nginx.call("route_lookup", lookUp, lists, paths);
      expect(found).toEqual(paths.map((one) => expected(lists.flat(), one)));
    }),
    { numRuns: 200 },
  );
}

const label = fc.constantFrom("a", "b", "xn--c", "");
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));

test("the keys that a host is looked up by are those that cover it", async () => {
  const named = fc.tuple(fc.constantFrom("*.", "**."), host).map((parts) => parts.join(""));
  const key = fc.oneof(named, host, fc.constant(""));
  await fc.assert(
    fc.asyncProperty(host, fc.array(key, { maxLength: 20 }), async (name, keys) => {
      const [found] = await nginx.call("alb.route.host_keys", "matching", name);
      const covering = keys.filter((one) => hostKeyCovers(one, name));
      expect(keys.filter((one) => (found as string[]).includes(one))).toEqual(covering);
    }),
    { examples: [[".b", ["*.b", "**.b", ".b", ""]]], numRuns: 200 },
  );
});

const hostBytes = fc.string({
  unit: fc.constantFrom(...Array.from("ab7.-_:,*@[]% \u00e9\n\0")),
  maxLength: 6,
});
const longLabels = fc.array(fc.constantFrom(1, 61, 62, 63, 64), { minLength: 1, maxLength: 5 });
const longName = longLabels.map((lengths) => lengths.map((n) => "a".repeat(n)).join("."));
const number = fc.constantFrom("0", "1", "01", "255", "256", "0x", "0x7f", "2130706433");
const numbers = fc.array(number, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("."));
const group = fc.constantFrom(
  "",
  "",
  "0",
  "0",
  "0db8",
  "db8",
  "fff",
  "1.2.3.4",
  "01.2.3.4",
  "a.de",
);
const groups = fc.array(group, { minLength: 2, maxLength: 9 }).map((parts) => parts.join(":"));
const address = fc
  .oneof(fc.ipV6(), groups, fc.ipV4(), numbers)
  .chain((text) => fc.constantFrom(text, `[${text}]`, `[${text}`));
const anyHost = fc.oneof(host, hostBytes, longName, address);

test("the data plane and explain agree on hosts and their one spelling", async () => {
  const found = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyHost, async (name) => {
      const [canonical] = await nginx.call("alb.route.host_keys", "canonical", name);
      expect(canonicalHost(name) ?? null).toBe(canonical ?? null);
      if (typeof canonical !== "string") return;
      expect(canonicalHost(canonical)).toBe(canonical);
      found.add(canonical.startsWith("[") ? "IPv6" : /^[0-9.]+$/.test(canonical) ? "IPv4" : "name");
    }),
    { numRuns: 1000 },
  );
  expect(found.size).toBe(3);
});

test("paths and prefixes: the winners known beforehand are the first in order", async () => {
  await check(fc.option(fc.oneof(exact, prefix, start), { nil: undefined }), "lookup");
});

test("the general search agrees for paths and prefixes", async () => {
  await check(fc.option(fc.oneof(exact, prefix, start), { nil: undefined }), "search");
});

test("patterns keep their place in the order", async () => {
  await check(fc.option(fc.oneof(exact, prefix, start, regex), { nil: undefined }), "lookup");
});

test("a pattern that PCRE refuses closes what it may have matched, and no more", async () => {
  const lists = [
    [
      { order: "1", route: "broken", path: ["regex", "^/admin(", ""] },
      { order: "2", route: "wide" },
    ],
  ];
  const paths = ["/admin", "/administration", "/other"];
  expect(await nginx.call("route_lookup", "lookup", lists, paths)).toEqual([
    ["broken", "broken", "wide"],
    false,
  ]);
});

describe("a pattern that PCRE gives up on", () => {
  const wide = { order: "2", route: "wide" };
  const gives = { order: "1", route: "hard", path: ["regex", "^/(a+)+b", ""] };
  const hard = `/${"a".repeat(60)}/b`;

  test("closes the path, so that no wider rule serves what it may have matched", async () => {
    const paths = [hard, "/aab", "/c"];
    const lists = [[gives, wide]];

    expect(await nginx.call("route_lookup", "lookup", lists, paths)).toEqual([
      ["hard", "hard", "wide"],
      false,
    ]);
    expect(await nginx.call("route_lookup", "undecided", lists, paths)).toEqual([
      [true, false, false],
    ]);
  });

  test("leaves the paths of rules that come before it alone", async () => {
    const lists = [[{ order: "0", route: "first", path: ["prefix", hard] }, gives, wide]];

    expect(await nginx.call("route_lookup", "undecided", lists, [hard])).toEqual([[false]]);
  });

  // Conditions read the request itself, which is that of the call: /.lua.
  test.each([
    ["/.lua", true],
    ["/other", false],
  ])("as a condition closes the path if the others hold too (%s)", async (path, undecided) => {
    const refused = [
      ["eq", "/nothing"],
      ["regex", "^/("],
    ];
    const when = [
      { of: "path", any: refused },
      { of: "path", any: [["eq", path]] },
    ];
    const lists = [[{ order: "1", route: "hard", when }, wide]];

    expect(await nginx.call("route_lookup", "undecided", lists, ["/"])).toEqual([[undecided]]);
  });

  test("as a condition does no harm beside one that holds", async () => {
    const when = [
      {
        of: "path",
        any: [
          ["regex", "^/("],
          ["eq", "/.lua"],
        ],
      },
    ];
    const lists = [[{ order: "1", route: "hard", when }, wide]];

    expect(await nginx.call("route_lookup", "undecided", lists, ["/"])).toEqual([[false]]);
  });
});
