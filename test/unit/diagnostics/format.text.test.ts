import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";
import { formatCounts, formatText } from "../../../src/diagnostics/format.js";

const RESOURCE = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" };
const FULL: Diagnostic = {
  code: "FIELD_INVALID",
  severity: "error",
  message: "port must be from 1 to 65535, but is 0",
  resource: RESOURCE,
  field: ["spec", "ports", 0, "port"],
  location: { file: "a.yaml", line: 12, column: 13, excerpt: "    - port: 0" },
  hint: "correct the value",
  related: [{ message: "first here", location: { file: "b.yaml", line: 1, column: 2 } }],
};
const WARNING: Diagnostic = {
  code: "FIELD_UNKNOWN",
  severity: "warning",
  message: "no such field",
};

const plain = (...diagnostics: readonly Diagnostic[]) =>
  formatText(diagnostics, { colours: false });

it("shows place, problem, object, field, line, advice and other places", () => {
  expect(plain(FULL))
    .toBe(`a.yaml:12:13: error FIELD_INVALID: port must be from 1 to 65535, but is 0
  Service shop/web, spec.ports[0].port
  12 |     - port: 0
     |             ^
  hint: correct the value
  first here: b.yaml:1:2
`);
});

it("leaves out what is not known", () => {
  expect(plain(WARNING)).toBe("warning FIELD_UNKNOWN: no such field\n");
});

it("counts, and says nothing about nothing", () => {
  expect(formatCounts([FULL, WARNING, FULL])).toBe("2 errors, 1 warning");
  expect(formatCounts([])).toBe("0 errors, 0 warnings");
  expect(plain()).toBe("");
});

it("names objects without namespace or name", () => {
  expect(plain({ ...WARNING, resource: { ...RESOURCE, namespace: "" } })).toContain(
    "\n  Service web\n",
  );
  expect(plain({ ...WARNING, resource: { ...RESOURCE, name: "" } })).toContain("shop/(no name)");
});

it("colours only when asked to", () => {
  const coloured = formatText([FULL], { colours: true });
  expect(coloured).toContain("\u001b[31merror\u001b[0m");
  // eslint-disable-next-line no-control-regex -- colours begin with a control character
  expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain(FULL));
});

it("shows control characters instead of sending them to the terminal", () => {
  const evil = "a\u001b[2Jb\nc\u009b\u202e";
  const text = plain({
    ...FULL,
    message: evil,
    hint: evil,
    resource: { ...RESOURCE, name: evil },
    field: [evil],
    location: { file: evil, line: 1, column: 1, excerpt: evil },
    related: [{ message: evil, location: { file: evil, line: 1, column: 1 } }],
  });
  // eslint-disable-next-line no-control-regex -- that is what must not be there
  expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(text.split("\n")).toHaveLength(7);
  expect(text).toContain("\\u001b[2J");
});

describe("the line", () => {
  const withLine = (excerpt: string, column: number) =>
    plain({ ...WARNING, location: { file: "f", line: 7, column, excerpt } })
      .split("\n")
      .slice(1, 3);

  it("keeps its tabs, so that the caret stays below its column", () => {
    expect(withLine("\ta:\tb", 5)).toEqual(["  7 | \ta:\tb", "    | \t  \t^"]);
  });

  it("counts wide characters twice", () => {
    expect(withLine("名: x", 4)).toEqual(["  7 | 名: x", "    |     ^"]);
  });

  it("is cut around the column when it is long", () => {
    const [shown = "", caret = ""] = withLine(`${"x".repeat(500)}!${"y".repeat(500)}`, 501);
    expect(shown.length).toBeLessThan(120);
    expect(shown[caret.indexOf("^")]).toBe("!");
    expect(shown).toMatch(/^ {2}7 \| …x+!y+…$/);
  });

  it("has its caret behind the end when something is missing there", () => {
    expect(withLine("a: [", 5)).toEqual(["  7 | a: [", "    |     ^"]);
  });
});
