import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headerChanges } from "../../../src/model/filters.js";
import { POLICY_SCHEMA } from "../../support/policy-schema.js";

test("header changes have only the lists that are not empty", () => {
  expect(headerChanges([["X-A", "1"]], [], ["x-b"])).toEqual({
    set: [["X-A", "1"]],
    remove: ["x-b"],
  });
  expect(headerChanges([], [["X-A", "1"]], [])).toEqual({ add: [["X-A", "1"]] });
  expect(headerChanges([], [], [])).toBeUndefined();
});

describe("the filters of the data plane (lua/alb/filters/index.lua)", () => {
  const lua = (path: string) =>
    readFileSync(join(import.meta.dirname, `../../../lua/alb/filters/${path}.lua`), "utf8");
  const [, list = ""] = lua("index").split("\nreturn {");
  const modules = new Map(
    [...lua("index").matchAll(/local (\w+) = require\("alb\.filters\.(\w+)"\)/g)].map(
      ([, local = "", module = ""]) => [local, module],
    ),
  );
  /** Each line is a module's local name, one of its tables, a `require`, or a table with a field. */
  const fields = list.split("\n").flatMap((line) => {
    const [, module = modules.get(/^ +(\w+)[.,]/.exec(line)?.[1] ?? "")] =
      /require\("alb\.filters\.(\w+)"\)/.exec(line) ?? [];
    const [, part] = /^ +\w+\.(\w+),/.exec(line) ?? [];
    const text = module === undefined ? line : lua(module);
    const [, field] = new RegExp(`${part ?? ""}.*field = "(\\w+)"`).exec(text) ?? [];
    return field ?? [];
  });

  it("are those of the model", () => {
    const elsewhere = {
      // The field `checked`.
      auth: "checked",
      // Set by upstream/forward.lua.
      host: undefined,
    };
    const expected = Object.keys(POLICY_SCHEMA.definitions?.["BackendFilters"]?.properties ?? {})
      .map((field) => (field in elsewhere ? elsewhere[field as keyof typeof elsewhere] : field))
      .filter((field) => field !== undefined);
    expect(expected.length).toBeGreaterThan(0);
    expect(fields).toEqual(expect.arrayContaining(expected));
  });

  it("change nothing that auth reads before it has been checked", () => {
    expect(fields.slice(0, fields.indexOf("checked"))).toEqual([
      "responseSteps",
      "cors",
      "redirect",
      "limits",
      "bodyLimit",
    ]);
  });
});
