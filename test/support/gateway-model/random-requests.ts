/** Random requests that go to what random configurations serve. */
import { fc } from "../fast-check.js";
import type { Request } from "./world.js";

const PLAIN = [
  "/",
  "/a",
  "/a/",
  "/a/b",
  "/ab",
  "/abc",
  "/a/b/c",
  "/a/b/",
  "/b",
  "/b/a",
  "/c%20d/e",
  "/a/b/c/d/e",
  "/a/b/c/d/e/f/g",
  "/a/b/c/d",
  "/A",
  "/A/b",
  "/a./b",
  "/.../a",
  "/~~",
  "/a/b/c/",
];
/** Other spellings of such paths. */
const SPELLED = [
  "//a",
  "/a//b",
  "/%61",
  "/a%2fb",
  "/x/../a/b",
  "/a/./b",
  "/a/..",
  "/../a",
  "/a;x",
  "/a%3Fb",
  "/%C3%BC/a",
  "/a/%2E%2e/b",
  "/a/b%3bx",
  "/a/b/%2e",
  "/~%7e",
];

/** Any mixture of what is read in more than one way. */
const PIECES = [
  ...["/", "//", "/.", "/..", "/./", "/../", "%2f", "%2F", "%2e", "%2e%2e", "%5c", "\\", ";", ";x"],
  ...[
    "a",
    "a",
    "b",
    "%61",
    "c%20d",
    "%25",
    "%2561",
    "%3f",
    "%23",
    "~",
    "+",
    "&",
    "=",
    ":",
    "@",
    ".",
  ],
];

const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 1, arbitrary: fc.constantFrom(...SPELLED) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 })
      .map((pieces) => `/${pieces.join("")}`),
  },
);

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom(
          "q=1",
          "q=2",
          "r=1",
          "r=2",
          "q=",
          "q",
          "Q=1",
          "%71=1",
          "q=%31",
          "q=1%202",
          "x=/../b",
          "q=1?q=2",
          "?q=2",
          "",
          "q=a/b;c\\d",
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((pairs) => (pairs.join("") === "" ? "" : `?${pairs.join("&")}`)),
  },
);

const host = fc.constantFrom(
  ...["a.test", "b.a.test", "c.b.a.test", "d.c.b.a.test", "z.test", "test"],
  ...["x.org", "A.Test", "b.a.test:8080", "127.0.0.1"],
  ...[
    "xa.test",
    "a.test.",
    "b.a.test.:80",
    "a.test:",
    "b.a.testx",
    "_.a.test",
    "-.test",
    "c.b.a.test:1",
    "B.A.TEST",
  ],
);

const headers = fc.array(
  fc.record({
    name: fc.constantFrom("X-One", "x-one", "X-Two"),
    value: fc.constantFrom("1", "2", "1,2", "12"),
  }),
  { maxLength: 2 },
);

export const requests: fc.Arbitrary<readonly Request[]> = fc.array(
  fc
    .record({
      port: fc.constantFrom(0 as const, 0 as const, 1 as const),
      host,
      method: fc.constantFrom("GET", "GET", "POST", "DELETE"),
      path,
      query,
      headers,
    })
    .map(({ path: start, query: end, ...rest }) => ({ ...rest, target: `${start}${end}` })),
  { minLength: 1, maxLength: 60, size: "max" },
);
