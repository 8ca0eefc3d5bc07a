import { HEADER_REWRITES } from "../../../../src/translate/http/headers.js";

const rewrite = (json: unknown) => HEADER_REWRITES["rewrite-request"](JSON.stringify(json));

test("headers are set, removed and added; values with one name are one list", () => {
  const json = {
    headers: { "X-A": "1" },
    headers_remove: ["X-B"],
    headers_add: { "X-C": ["2", "3"] },
  };
  expect(rewrite(json)).toEqual({
    ok: true,
    value: { set: [["X-A", "1"]], remove: ["x-b"], add: [["X-C", "2, 3"]] },
  });
});

test.each([
  [[]],
  [{ headers: 1 }],
  [{ headers_remove: "a" }],
  [{ headers_add: { a: "b" } }],
  [{ headers: { "a b": "c" } }],
  [{ headers_add: { a: ["b\r\nc: d"] } }],
  [{ header: {} }],
])("%j is refused", (json) => {
  expect(rewrite(json).ok).toBe(false);
});

test.each([
  ["a variable", { headers_var: { "X-User": "cookie_user" } }, ["x-user"]],
  ["an added variable", { headers_add_var: { "X-User": ["cookie_user"] } }, []],
  ["a value that is not a text", { headers: { "X-User": 1 } }, ["x-user"]],
  ["a value with a line break", { headers: { "X-User": "a\r\nb: c" } }, ["x-user"]],
  ["an invalid name", { headers: { "X User": "a" } }, []],
  ["a header of the gateway", { headers: { "X-Real-IP": "10.0.0.1" } }, []],
  ["an invalid Host", { headers: { Host: "a b" } }, []],
  ["two Hosts", { headers_add: { Host: ["a.example"] } }, []],
  ["an unknown field", { header: {} }, []],
  ["a variable with another value", { headers_var: { "x-a": "cookie_a" } }, []],
])(
  "%s is left out and named, and a header that can't be set is removed",
  (_what, part, removed) => {
    const result = rewrite({
      ...part,
      headers: { "X-A": "1", ...("headers" in part && part.headers) },
      headers_remove: ["X-B"],
      headers_add: { "X-C": ["2"], ...("headers_add" in part && part.headers_add) },
    });
    expect(result.problem).toBeDefined();
    expect(result).toMatchObject({
      ok: true,
      value: { set: [["X-A", "1"]], remove: ["x-b", ...removed], add: [["X-C", "2"]] },
    });
  },
);

test("problems are listed up to a limit", () => {
  const headers = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`a b${i}`, "1"]));
  expect(rewrite({ headers }).problem).toMatch(
    /^"a b0" is not the name of a header; .*; and 4 more$/,
  );
});
