import {
  addedCounts,
  countsOf,
  listItems,
  NO_COUNTS,
  readChunk,
} from "../../../src/input/chunks.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../../src/input/kind-table.js";

const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

describe("the objects of a document", () => {
  const [a, b] = [{ kind: "A" }, { kind: "B" }];

  it.each([
    [undefined, []],
    [null, []],
    ["text", [["text", []]]],
    [a, [[a, []]]],
    [
      { kind: "List", items: [a, b] },
      [
        [a, ["items", 0]],
        [b, ["items", 1]],
      ],
    ],
    [{ kind: "List", items: [{ kind: "List", items: [b] }] }, [[b, ["items", 0, "items", 0]]]],
    [{ kind: "List", items: [] }, []],
    [{ kind: "List", items: [null] }, [[null, ["items", 0]]]],
    [{ kind: "List" }, [[{ kind: "List" }, []]]],
  ])("of %j are found with their paths", (document, expected) => {
    expect(listItems(document).map(({ value, path }) => [value, path])).toEqual(expected);
  });

  it("of a list of one kind have that kind, unless they name another", () => {
    const items = [{ data: {} }, { kind: "ConfigMap" }];
    const list = { apiVersion: "v1", kind: "SecretList", items };
    expect(listItems(list).map(({ value }) => value)).toEqual([
      { apiVersion: "v1", kind: "Secret", data: {} },
      { kind: "ConfigMap" },
    ]);
  });
});

const document = (name: string, kind = "ConfigMap", more = ""): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {${name}}\n${more}`;

describe("a chunk", () => {
  it("has the objects of its documents, with the document and the path of each", () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n`;
    const { values, lineBreaks } = readChunk(`${document("name: a")}---\n\n---\n${list}`, TABLE);
    expect(values).toMatchObject([
      { decoded: { result: "object", ref: { name: "a" } }, document: 0, field: [] },
      { decoded: { result: "object", ref: { name: "b" } }, document: 2, field: ["items", 0] },
    ]);
    expect(lineBreaks).toBe(10);
  });

  it("that can't be parsed has syntax errors and no values", () => {
    const { values, syntaxProblems, counts } = readChunk(`${document("name: a")}---\n[`, TABLE);
    expect(values).toEqual([]);
    expect(syntaxProblems).toHaveLength(1);
    expect(counts).toEqual({ ...NO_COUNTS, unparsed: 1 });
  });

  it.each<[string, string, object]>([
    ["without values", "# nothing\n", {}],
    ["with an object", document("name: a"), { read: 1 }],
    ["of another kind", document("name: a", "Pod"), { unknown: 1 }],
    ["with an unknown field", document("name: a", "ConfigMap", "x: 1"), { read: 1, reported: 1 }],
    [
      "with a refused object",
      document("name: a", "ConfigMap", "data: []"),
      { read: 1, reported: 1 },
    ],
    [
      "with an object whose name is wrong",
      document("name: A_"),
      { read: 1, reported: 1, unidentified: 1 },
    ],
    [
      "with an object whose namespace is wrong",
      document("name: a, namespace: B_"),
      { read: 1, reported: 1, unidentified: 1 },
    ],
    [
      "with an object without a name",
      document("labels: {}"),
      { read: 1, reported: 1, unidentified: 1 },
    ],
    ["with a text", "hello", { read: 1, reported: 1, unidentified: 1 }],
    ["with two objects", `${document("name: a")}---\n${document("name: b")}`, { read: 2 }],
  ])("%s counts what it has", (_what, text, counts) => {
    expect(readChunk(text, TABLE).counts).toEqual({ ...NO_COUNTS, ...counts });
  });
});

test("counts of chunks are added, and subtracted again", () => {
  const chunks = [document("labels: {}"), document("name: a", "Pod"), "[", document("name: a")].map(
    (text) => readChunk(text, TABLE),
  );
  const sum = chunks.reduce((all, chunk) => addedCounts(all, chunk, 1), NO_COUNTS);
  expect(sum).toEqual({
    ...{ read: 2, unknown: 1, reported: 1 },
    ...{ unidentified: 1, unparsed: 1 },
  });
  expect(chunks.reduce((all, chunk) => addedCounts(all, chunk, -1), sum)).toEqual(NO_COUNTS);
});

test("objects of an API server are counted in the same way", () => {
  const values = readChunk(
    `${document("labels: {}")}---\n${document("name: a", "Pod")}`,
    TABLE,
  ).values;
  const counts = countsOf(
    values.map(({ decoded }) => decoded),
    TABLE,
  );
  expect(counts).toMatchObject({ read: 1, unknown: 1, unidentified: 1 });
});
