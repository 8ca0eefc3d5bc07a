import { formatJson } from "../../../src/diagnostics/format.js";

it("writes one object a line, absent keys left out, always in one order", () => {
  const location = { file: "a.yaml", line: 1, column: 2, excerpt: "a: 1" };
  const text = formatJson([
    {
      hint: "do this",
      message: "line\nbreak",
      severity: "error",
      code: "FIELD_INVALID",
      resource: { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" },
      field: ["spec", "ports", 0],
      location,
      related: [{ message: "first", location }],
    },
    { code: "FIELD_UNKNOWN", severity: "warning", message: "m" },
  ]);
  expect(text).toBe(
    '{"code":"FIELD_INVALID","severity":"error","message":"line\\nbreak","resource":{"apiVersion":"v1","kind":"Service","namespace":"shop","name":"web"},"field":"spec.ports[0]","location":{"file":"a.yaml","line":1,"column":2,"excerpt":"a: 1"},"hint":"do this","related":[{"message":"first","location":{"file":"a.yaml","line":1,"column":2,"excerpt":"a: 1"}}]}\n' +
      '{"code":"FIELD_UNKNOWN","severity":"warning","message":"m"}\n',
  );
});

it("writes nothing for nothing", () => {
  expect(formatJson([])).toBe("");
});
