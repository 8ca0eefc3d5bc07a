/** What users' regular expressions may cost a worker. */
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { useScene } from "../../e2e/harness/scene.js";
import type { PathRewrite } from "../../src/model/filters.js";
import { LuaGateway } from "../support/lua-gateway.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";
import { type PathMatch, type Predicate, onePlace } from "../../src/model/route.js";

const scene = useScene();
const regex = (pattern: string): PathMatch => ["regex", pattern, ""];
/** Each of them looks at the whole path from each of its places. */
const HOSTILE = Array.from(
  { length: 128 },
  (_, index) => `(a|b|c)*(?=[0-9])[a-z0-9]{${String(index + 1)}}`,
);
/** Iterations of a group stay below what PCRE's stack holds. */
const segments = (length: number) => `/${"a".repeat(999)}`.repeat(length / 1000);
const HEADER: Predicate = {
  of: "header",
  key: "x-long",
  any: [["regex", "a$"]],
};

const REWRITE: PathRewrite = ["regex", "b$", "", ["c"], false];

let gateway: LuaGateway;
let nginx: LuaNginx;
beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("a"));
  const places: readonly (readonly [string, PathMatch | undefined, readonly Predicate[]])[] = [
    ...HOSTILE.map((pattern) => ["hostile.example", regex(pattern), []] as const),
    ["hostile.example", undefined, []],
    ["path.example", regex("^/a"), []],
    ["header.example", undefined, [HEADER]],
    ["rewrite.example", undefined, []],
  ];
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "hostile.example": {},
        "path.example": {},
        "header.example": {},
        "rewrite.example": { rewrite: REWRITE },
      },
      model: (model) => ({
        ...model,
        bindings: places.map(([host, path, when], index) => ({
          at: onePlace("test", { kind: "exact", host }),
          path,
          when,
          order: String(index).padStart(4, "0"),
          route: host,
        })),
      }),
    }),
  );
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());

it("one request of 128 hostile ones does not hold up the worker", async () => {
  await gateway.send({ host: "hostile.example", path: "/" });
  const began = performance.now();
  const response = await gateway.send({ host: "hostile.example", path: segments(8000) });

  expect(performance.now() - began).toBeLessThan(1000);
  expect(response.status).toBe(500);
  expect(response.header("x-alb-err-reason")).toBe("InvalidRule : regular expression");
});

it.each([
  ["path.example", `/${"a".repeat(8191)}`, "a", 200],
  ["path.example", `/${"a".repeat(8192)}`, "a", 400],
  ["rewrite.example", `/${"a".repeat(8191)}`, "a", 200],
  ["rewrite.example", `/${"a".repeat(8192)}`, "a", 400],
  ["header.example", "/", "a".repeat(8192), 200],
  ["header.example", "/", "a".repeat(8193), 400],
])("%s: a subject has a longest length", async (host, path, value, status) => {
  const response = await gateway.send({ host, path, headers: [["X-Long", value]] });

  expect(response.status).toBe(status);
  expect(response.header("x-alb-err-reason")).toBe(
    status === 200 ? undefined : "BadRequest : path or value too long for a regular expression",
  );
});

/** Seconds that one expression may take; a request may begin others for 8 ms, and rewrite its path twice. */
const LONGEST_MATCH = 0.005;

const upTo = (count: number, alternative: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => alternative(index)).join("|");

const LONG_PATHS = [
  segments(8000),
  `/${"a".repeat(8000)}`,
  "/".repeat(8192),
  "ab".repeat(4096),
  "x0".repeat(4096),
];

it.each([
  upTo(200, (index) => `.*x${String(index)}`),
  `(?:${upTo(200, (index) => `.*x${String(index)}`)})`,
  "(?:.*x1|.*x2|.*x3|.*x4|.*x5)",
  `(?=${upTo(20, (index) => `.*${String.fromCharCode(98 + index)}`)})`,
  // Found by regular-expression-costs.test.ts.
  upTo(500, (index) => `\\S{1,3}${String(index % 73)}`),
  "(?:[a-z](?!.*[0-9]))*[0-9]",
  "[a-z]*[a-z]*[0-9]",
  "(?=(.*))\\1[xy]",
  "(?:.*/)*[xy]",
  "(.*?)\\1{2}[0-9]",
  "(?:a|[a-z])".repeat(30) + "[0-9]",
  "[a-z/]{1,300}[a-z/]{1,300}[a-z/]{1,300}[0-9]",
  "(?:a|b)*+[0-9]|(?>(?:a|b)*)[0-9]",
  `(?:${upTo(700, () => "a")})${"a".repeat(1500)}[0-9]`,
])("%.60s ends soon", async (pattern) => {
  // Several times: on a busy machine one measurement says little.
  const costs: number[] = [];
  while (costs.length < 5 && !costs.some((cost) => cost < LONGEST_MATCH)) {
    const [found] = await nginx.call("regular_expressions", "costs", [pattern], LONG_PATHS);
    costs.push((found as number[])[0] ?? Infinity);
  }

  expect(Math.min(...costs)).toBeLessThan(LONGEST_MATCH);
});

it.each([
  ".*\\.php|.*\\.jsp|.*\\.asp|.*\\.cgi|.*\\.exe",
  "(.*)\\.php|.+\\.jsp",
  "^/app(/|$)(.*)",
  "^/(.*)/users/(.*)/(.*)/x$",
  "foo=[^;]*bar",
  "^(.*?;)?(user=jason)(;.*)?$",
  "^/(?!api/|static/).*/x$",
])("%s is decided on every path and value of 8 KiB that clients send", async (pattern) => {
  const subjects = [
    `/${"static/images/".repeat(500)}logo.png`,
    `/app/${"users/1234-abcd/".repeat(400)}orders`,
    `${"session=0123456789abcdef; theme=dark; foo=1; ".repeat(180)}user=jason`,
    `/${"a".repeat(8191)}`,
  ];
  for (const subject of subjects) {
    const [, , givenUp] = await nginx.call("regular_expressions", "try", [pattern], subject);

    expect([subject.slice(0, 20), givenUp]).toEqual([subject.slice(0, 20), 0]);
  }
});

it("many are compiled in turns, and those of one tenant do not drive out those of another", async () => {
  const patterns = (count: number, start: string) =>
    Array.from({ length: count }, (_, index) => `${start}${String(index)}(/|$)(.*)`);
  const given = [patterns(2000, "a"), patterns(20_000, "b"), "/cde"];
  const [turns, longest, again] = await nginx.call("regular_expressions", "compile", ...given);

  expect(turns).toBeGreaterThan(1);
  expect(longest).toBeLessThan(0.02);
  expect(again).toBe(1);
});

it("ordinary ones on a long path stay within the limits", async () => {
  const path = `/api/v1/${"users/1234-abcd/".repeat(60)}orders`;
  const patterns = [
    "^/api/v[0-9]+/(.*)/orders$",
    "^(/[a-z0-9-]+)+$",
    "orders?$",
    "/(users|groups)/[0-9]+-[a-z]+/orders",
    "(?i)ORDERS",
    "^/other|^/api|^/third",
    "[0-9]{4}-[a-z]{4}/orders",
  ];

  const [, matched, givenUp] = await nginx.call("regular_expressions", "try", patterns, path);

  expect([matched, givenUp]).toEqual([patterns.length, 0]);
});
