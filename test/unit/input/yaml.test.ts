import { formatFieldPath } from "../../../src/diagnostics/diagnostic.js";
import { parseYaml } from "../../../src/input/yaml.js";

function documents(text: string): readonly unknown[] {
  const result = parseYaml(text);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.documents;
}

function problems(text: string) {
  const result = parseYaml(text);
  if (!("problems" in result)) throw new Error("the text was taken");
  return result.problems;
}

describe("values", () => {
  it.each([
    ["yes", true],
    ["on", true],
    ["Off", false],
    ["n", false],
    ["true", true],
    ["~", null],
    ["", null],
    ["80", 80],
    ["1_000", 1000],
    ["0644", 420],
    ["0o17", 15],
    ["0x1F", 31],
    ["-0b11", -3],
    ["089", 89],
    ["1.5", 1.5],
    ["12:30", "12:30"],
    ["2026-01-31", "2026-01-31"],
    ["2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z"],
    ["'80'", "80"],
    ['"on"', "on"],
  ])("reads %s as kubectl does", (text, value) => {
    expect(documents(`a: ${text}`)).toEqual([{ a: value }]);
  });

  it("reads a key as text", () => {
    expect(documents("on: 1\n2: two\nnull: x")).toEqual([{ true: 1, "2": "two", null: "x" }]);
  });

  it("keeps a key that names a part of every object", () => {
    const [value] = documents("__proto__: {polluted: 1}\nconstructor: 2");
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("documents", () => {
  it("reads JSON, tabs and escapes included", () => {
    expect(documents('{\n\t"a": ["\\u00e9\\ud83d\\ude00\\/", 1.5e3, null]\n}')).toEqual([
      { a: ["é😀/", 1500, null] },
    ]);
  });

  it("reads none, one and several", () => {
    expect(documents("# nothing\n")).toEqual([]);
    expect(documents("a: 1\n---\n---\nb: 2\n...\n---\nc: 3")).toEqual([
      { a: 1 },
      null,
      { b: 2 },
      { c: 3 },
    ]);
  });

  it("skips a byte order mark", () => {
    expect(documents("\ufeffa: 1")).toEqual([{ a: 1 }]);
  });

  it("reads every line end", () => {
    expect(documents("a: 1\r\nb: |\r\n  x\r\n  y\r\nc: 3")).toEqual([{ a: 1, b: "x\ny\n", c: 3 }]);
  });
});

describe("anchors", () => {
  it("reads aliases and merge keys; own fields win", () => {
    expect(
      documents("base: &b {p: 1, q: 2}\none: {<<: *b, q: 3}\ntwo: {<<: [*b, {r: 4}]}"),
    ).toEqual([{ base: { p: 1, q: 2 }, one: { p: 1, q: 3 }, two: { p: 1, q: 2, r: 4 } }]);
  });

  it("refuses a value that holds itself", () => {
    expect(problems("a: &a [*a]")[0]?.message).toMatch(/stands inside the value/);
    expect(problems("a: &a {b: {c: *a}}")[0]?.message).toMatch(/stands inside the value/);
  });

  it("refuses billions of laughs without laughing", () => {
    const laughs = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"];
    for (let i = 1; i < 40; i++) laughs.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(9)}]`);
    expect(problems(laughs.join("\n"))[0]?.message).toMatch(/stand for more than/);
  });

  it("refuses one long text repeated", () => {
    const text = `a: &a ${"x".repeat(100_000)}\nb: [${"*a, ".repeat(1000)}]`;
    expect(problems(text)[0]?.message).toMatch(/stand for more than/);
  });

  it("refuses aliases that nest deeper than collections may", () => {
    const chain = ["a0: &a0 [x]"];
    for (let i = 1; i < 200; i++) chain.push(`a${i}: &a${i} [*a${i - 1}]`);
    expect(problems(chain.join("\n"))[0]?.message).toMatch(/more than 100 deep/);
  });

  it("does not show a name of a text that may hold secrets", () => {
    const [problem] = problems("kind: Secret\nstringData: {password: *hunter2}");
    expect(JSON.stringify(problem)).not.toContain("hunter2");
    expect(problems("kind: ConfigMap\ndata: {a: *b}")[0]?.message).toContain("*b");
  });
});

describe("syntax errors", () => {
  it.each([
    ["a:\n\tb: 1", 3, /tab/],
    ["a: b: c", 4, /does not fit the mapping/],
    ["a: [1, 2", 3, /'\[' is never closed/],
    ["a: {b: 1", 3, /'{' is never closed/],
    ["a: [1,\n\n", 3, /never closed/],
    ["a: [1,\nb: 2", 3, /never closed/],
    ["a: 'x", 3, /no end/],
    ['a: "x\nb: 1\nc: 2', 3, /no end/],
    ["a: {b: [1}\n", 7, /'\[' is closed by a '}'/],
    ["a: {b: {c: 1}\nd: 2", 3, /'{' is never closed/],
    ["a: x\u0000", 4, /NUL/],
    ["a: x\u0007y", 4, /control character/],
    ['a: "\\q"', 5, /escape/],
    ["a: !vault x", 3, /tag/],
    ["a: 1\nb\nc: 2", 8, /without ':'/],
    ["? {a: 1}\n: x", 0, /key is a mapping/],
    ["- a\n b: 1", 6, /does not fit the list/],
    ["a: 1\n  b: 2", 8, /does not fit the mapping/],
    ['{"a":1} {"b":2}', 8, /after the end of the document/],
    ["a: {<<: 1}", 4, /merge key/],
    ["a: {{ .Values.a }}\n", 3, /template/],
    ["a: 1\n{{- if .Values.b }}\nb: 2\n{{- end }}\n", 5, /template/],
    ["a: '{{ x }}'\nb: [", 16, /'\[' is never closed/],
    ["%YAML 2.0\n---\na: 1", 10, /directive|not valid/],
  ])("explains %j", (text, offset, message) => {
    const [problem] = problems(text);
    expect(problem?.message).toMatch(message);
    expect(problem?.hint).not.toBe("");
    expect(problem?.offset).toBe(offset);
  });

  it("refuses nesting that no manifest has", () => {
    expect(problems("[".repeat(100_000))[0]?.message).toMatch(/100 deep/);
    expect(problems(`{"a":`.repeat(5000) + "1" + "}".repeat(5000))[0]?.message).toMatch(/100 deep/);
  });

  it("sees where another object begins without a line ---", () => {
    const text = "apiVersion: v1\nkind: A\nx: 1\nkind: B\napiVersion: v1\nx: 2\n";
    expect(duplicates(text)).toEqual([
      ["kind", expect.stringContaining("another object begins here")],
    ]);
    expect(duplicates("a: {apiVersion: 1, apiVersion: 2, kind: 1, kind: 2}")).toHaveLength(2);
  });

  it("gives the field of each key that stands twice, of which the last value counts", () => {
    const twice = (key: string) => `the key "${key}" stands twice in one mapping`;
    expect(duplicates("a: 1\nb: {c: 1, c: 2}\n'a': 3")).toEqual([
      ["b.c", twice("c")],
      ["a", twice("a")],
    ]);
    expect(duplicates('{"on": 1, "x": 2, "x": 3}')).toEqual([["x", twice("x")]]);
    expect(duplicates("on: 1\ntrue: 2")).toEqual([["true", twice("true")]]);
    expect(parseYaml("a: 1\na: [{b: 1, b: 2}]")).toMatchObject({ documents: [{ a: [{ b: 2 }] }] });
  });
});

function duplicates(text: string): readonly (readonly string[])[] {
  const parsed = parseYaml(text);
  if ("problems" in parsed) throw new Error("it can't be parsed");
  return parsed.duplicates.map(({ report: { field, message } }) => {
    return [formatFieldPath(field), message];
  });
}
