import { type Source, type SourceReading, readSource } from "../../../src/input/documents.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../../src/input/kind-table.js";

const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

function read(source: Source): SourceReading {
  return readSource(source, TABLE);
}

function readText(text: string): SourceReading {
  return read({ path: "file", text });
}

describe("a source", () => {
  const service = "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [x] }\n";

  it("has places in lines of the file, not of the document", () => {
    const { values, diagnostics } = readText(`${service}---\n${service}`);
    const lines = values.map((value) => value.locate(["metadata", "name"])?.line);
    expect(lines).toEqual([3, 8]);
    expect(diagnostics.map(({ location }) => location?.line)).toEqual([4, 9]);
  });

  it("counts values of unknown kinds without checking them", () => {
    const { values, unknown } = readText("apiVersion: apps/v1\nkind: Deployment\nspec: 5\n");
    expect(values).toEqual([]);
    expect(unknown).toEqual([{ result: "unknown", apiVersion: "apps/v1", kind: "Deployment" }]);
  });

  it("reports a bounded number of syntax errors", () => {
    const { broken, diagnostics } = readText(`---\na: [ # ${"x".repeat(40)}\n`.repeat(100));
    expect(broken).toBe(true);
    expect(diagnostics).toHaveLength(20);
  });

  it.each<[string, Source, Partial<SourceReading>]>([
    ["that is valid", { path: "f", text: service.replace("x", "{ port: 80 }") }, {}],
    ["with a refused object", { path: "f", text: service }, {}],
    [
      "with an object without a name",
      { path: "f", text: service.replace("name: web", "") },
      { unidentified: true },
    ],
    [
      "with an object whose name is invalid",
      { path: "f", text: service.replace("web", "Web") },
      { unidentified: true },
    ],
    ["that is no YAML", { path: "f", text: "[" }, { broken: true, unidentified: true }],
    [
      "that can't be read",
      { path: "f", unreadable: "permission denied" },
      { broken: true, unidentified: true },
    ],
    ["that does not exist", { path: "f", absent: true }, {}],
  ])("%s says what is unknown", (_name, source, expected) => {
    const { broken, unidentified } = read(source);
    expect({ broken, unidentified }).toEqual({
      ...{ broken: false, unidentified: false },
      ...expected,
    });
  });
});
