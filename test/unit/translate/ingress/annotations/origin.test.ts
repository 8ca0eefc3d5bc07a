import type { Ingress } from "../../../../../src/api/wire.js";
import { DiagnosticSink } from "../../../../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { hostKey } from "../../../../../src/model/values.js";
import {
  enableHttpsOf,
  priorityOf,
  tlsAnnotationOf,
} from "../../../../../src/translate/ingress/annotations/origin.js";

function world(annotations: Record<string, string>) {
  const metadata = { name: "web", namespace: "default", annotations };
  const ingress: Ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata };
  const diagnostics = new DiagnosticSink();
  const { resources } = resourcesFromYaml("");
  const context = { resources, options: DEFAULT_OPTIONS, diagnostics };
  return { ingress, context, codes: () => diagnostics.sorted().map(({ code }) => code) };
}

it.each([
  ["1", 1, []],
  ["-9", -9, []],
  [" ", 5, []],
  ["0", 5, ["ANNOTATION_INVALID"]],
  ["1.5", 5, ["ANNOTATION_INVALID"]],
])("a priority of %j is %d", (text, priority, codes) => {
  const given = world({ "alb.cpaas.io/ingress-rule-priority-0-1": text });
  expect(priorityOf(given.ingress, { rule: 0, path: 1 }, given.context)).toBe(priority);
  expect(priorityOf(given.ingress, { rule: 0, path: 0 }, given.context)).toBe(5);
  expect(given.codes()).toEqual(codes);
});

it.each([
  ["true", true],
  ["false", false],
  ["yes", undefined],
])("enable-https %s is %s", (text, expected) => {
  const { ingress } = world({ "alb.networking.cpaas.io/enable-https": text });
  expect(enableHttpsOf(ingress, DEFAULT_OPTIONS.domains)).toBe(expected);
});

describe("certificates by host", () => {
  const read = (text: string) => {
    const { ingress, context, codes } = world({ "alb.networking.cpaas.io/tls": text });
    const { certificates } = tlsAnnotationOf(ingress, context);
    const found = certificates.map(({ host, secret }) => `${hostKey(host)} ${secret.name}`);
    return [found, codes()];
  };

  it("are read, each host once", () => {
    expect(read("a.example=ns/a, *.example=ns/b,a.example=ns/a")).toEqual([
      ["a.example a", "*.example b"],
      [],
    ]);
  });

  it.each(["a.example", "a.example=a", "a_.example=ns/a", "a.example=ns/a,a.example=ns/b"])(
    "%s is void as a whole",
    (text) => {
      expect(read(`b.example=ns/b,${text}`)).toEqual([[], ["ANNOTATION_INVALID"]]);
    },
  );
});
