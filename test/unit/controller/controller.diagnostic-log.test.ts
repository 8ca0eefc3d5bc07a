import { DiagnosticLog } from "../../../src/controller/controller.js";
import { loadResources } from "../../../src/input/load.js";

test("the same mistake in several places is as many lines, and is resolved for each", () => {
  const lines: { readonly place?: string; readonly resolved?: number }[] = [];
  const write = (fields: object): void => void lines.push(fields);
  const log = new DiagnosticLog({ debug: write, info: write, warn: write, error: write });
  const read = (...texts: readonly string[]) =>
    loadResources(texts.map((text, i) => ({ path: `${String(i)}.yaml`, text }))).diagnostics;
  const none = "kind: ConfigMap\n";
  log.update(read(`${none}---\n${none}`, none));
  expect(lines.map(({ place }) => place)).toEqual(["0.yaml:1:1", "0.yaml:3:1", "1.yaml:1:1"]);
  log.update(read(none));
  expect(lines.at(-1)).toMatchObject({ resolved: 2, left: 1 });
});

test("a line on two objects of one name says where both are", () => {
  const lines: object[] = [];
  const write = (fields: object): void => void lines.push(fields);
  const log = new DiagnosticLog({ debug: write, info: write, warn: write, error: write });
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
  const { diagnostics } = loadResources([
    { path: "a.yaml", text },
    { path: "b.yaml", text },
  ]);
  log.update(diagnostics);
  expect(lines).toMatchObject([
    {
      code: "OBJECT_DUPLICATE",
      place: "b.yaml:3:18",
      related: [expect.stringContaining("a.yaml:3:18")],
    },
  ]);
});
