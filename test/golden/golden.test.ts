import {
  actualOutput,
  expectedOutput,
  goldenCases,
  updateExpected,
} from "../support/golden-case.js";

const UPDATE = process.env["UPDATE_GOLDEN"] === "1";

test.each(goldenCases().map((golden) => [golden.name, golden] as const))("%s", (_name, golden) => {
  const actual = actualOutput(golden);
  if (UPDATE) updateExpected(golden, actual);
  const expected = expectedOutput(golden);
  expect([...expected.keys()].sort()).toEqual([...actual.keys()].sort());
  for (const [name, contents] of actual)
    expect({ name, contents: expected.get(name) }).toEqual({ name, contents });
});
