import { DiagnosticLog } from "../../../src/controller/controller.js";
import { loadResources } from "../../../src/input/load.js";

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
