import { resourcesFromObjects } from "../../../src/input/load.js";
import { schemaReports, validator } from "../../../src/input/schema-validation.js";
import { check, lines, rule } from "../../support/input-fixtures.js";

describe("a value of the wrong type", () => {
  it.each([
    [{ priority: "5" }, /priority must be a whole number, but is "5"/, "remove the quotes"],
    [
      { enableCORS: "true" },
      /enableCORS must be true or false, but is "true"/,
      "remove the quotes",
    ],
    [
      { vhost: true },
      /vhost must be a string, but is true/,
      /^put the value in quotes; YAML reads on/,
    ],
    [{ vhost: 5 }, /vhost must be a string, but is 5/, 'put the value in quotes: "5"'],
    [{ dslx: { type: "HOST" } }, /dslx must be a list, but is a mapping/, /^write it as a list/],
    [
      { dslx: [{ type: "URL", values: [["EQ", 1]] }] },
      /an item of values must be a string, but is 1/,
      /quotes/,
    ],
    [
      { serviceGroup: { services: [{ name: "a" }] } },
      /an item of services needs the field port/,
      "add the field",
    ],
  ])("%j is refused with advice", (spec, message, hint) => {
    const { diagnostics } = resourcesFromObjects([rule(spec)]);
    expect(lines(diagnostics)).toEqual([expect.stringMatching(message)]);
    expect(diagnostics[0]?.hint).toMatch(hint);
  });

  it("is cut when it is long", () => {
    const [line = ""] = check(rule({ priority: "x".repeat(10_000) }));
    expect(line.length).toBeLessThan(200);
  });

  it("is reported a bounded number of times", () => {
    const dslx = Array.from({ length: 10_000 }, () => 1);
    expect(check(rule({ dslx }))).toHaveLength(50);
  });
});

it("names the field by its path, whatever its characters", () => {
  const schema = {
    type: "object",
    additionalProperties: { type: "array", items: { type: "string" } },
  } as const;
  const value = { "a/b~c": ["x", 5], 0: "x" };
  const checked = validator(schema)(value);
  const reports = checked.valid ? [] : schemaReports(checked.errors, value, () => true);
  expect(reports.map(({ field }) => field)).toEqual([["0"], ["a/b~c", 1]]);
});

it("does not show a value that may be secret", () => {
  const value = { token: 5 };
  const checked = validator({ type: "object", properties: { token: { type: "string" } } })(value);
  const reports = checked.valid ? [] : schemaReports(checked.errors, value, () => false);
  expect(reports).toEqual([
    {
      code: "FIELD_INVALID",
      field: ["token"],
      message: "token must be a string",
      hint: "put the value in quotes",
    },
  ]);
});
