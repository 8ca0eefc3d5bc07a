import { termsOfTexts } from "../../../src/input/reading.js";

it.each([
  ["(STARTS_WITH URL /a)", [{ type: "URL", values: [["STARTS_WITH", "/a"]] }]],
  [
    '(AND (OR (EQ HOST a.example) (IN HOST "b.example" c.example)) (EQ HEADER x-a "1 2"))',
    [
      {
        type: "HOST",
        values: [
          ["EQ", "a.example"],
          ["IN", "b.example", "c.example"],
        ],
      },
      { type: "HEADER", key: "x-a", values: [["EQ", "1 2"]] },
    ],
  ],
  ["( AND(EXIST COOKIE id) )", [{ type: "COOKIE", key: "id", values: [["EXIST"]] }]],
  ["(REGEX URL ^/(a|b))", [{ type: "URL", values: [["REGEX", "^/(a|b)"]] }]],
])("%s is read", (dsl, dslx) => {
  expect(termsOfTexts({ dsl })).toEqual({ dslx });
});

it.each([
  "x",
  "(",
  ")(",
  "()",
  "(EQ HOST a) (EQ HOST b)",
  "(EQ PATH /a)",
  "(OR (EQ HOST a) (EQ URL /a))",
  "(OR (EQ HEADER a 1) (EQ HEADER b 1))",
  "(AND (AND (EQ HOST a) (EQ URL /a)))",
  "(AND (EQ HOST a) URL)",
])("%s can't be", (dsl) => {
  expect(termsOfTexts({ dsl })).toEqual({ dslx: null });
});

it("counts for nothing beside a dslx", () => {
  expect(termsOfTexts({ dsl: "x", dslx: [{ type: "URL", values: [["EQ", "/a"]] }] })).toEqual({});
  expect(termsOfTexts({ dsl: " ", dslx: [] })).toEqual({});
});

it("reads a long text once", () => {
  const start = performance.now();
  for (const part of ["(AND ", "(", ")", "(EQ URL /a)", '"', "OR("]) {
    termsOfTexts({ dsl: part.repeat(200_000) });
  }
  expect(performance.now() - start).toBeLessThan(3000);
});
