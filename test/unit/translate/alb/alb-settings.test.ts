import type { Alb2, Alb2Config } from "../../../../src/api/alb.js";
import type { Ingress } from "../../../../src/api/wire.js";
import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { formatFieldPath } from "../../../../src/diagnostics/diagnostic.js";
import { resourcesFromObjects } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  configOf,
  reportSettings,
  selectsByProject,
  servesIngresses,
  sslStrategyOf,
} from "../../../../src/translate/alb/alb-settings.js";

function alb(config?: Alb2Config): Alb2 {
  const metadata = { namespace: "cpaas-system", name: "edge" };
  const spec = config && { config };
  return { apiVersion: "crd.alauda.io/v2", kind: "ALB2", metadata, ...(spec && { spec }) };
}

/** Namespaces with the labels of projects. */
function world(labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {}) {
  const namespaces = Object.entries(labels).map(([name, own]) => ({
    ...{ apiVersion: "v1", kind: "Namespace" },
    metadata: { name, labels: own },
  }));
  const { resources } = resourcesFromObjects(namespaces);
  const diagnostics = new DiagnosticSink();
  const reports = (): readonly string[] =>
    diagnostics.reports.map(
      ({ code, field = [], message }) => `${code} ${formatFieldPath(field)}: ${message}`,
    );
  return { context: { resources, options: DEFAULT_OPTIONS, diagnostics }, reports };
}

test("an ALB2 without a spec has no settings", () => {
  expect(configOf(alb())).toEqual({});
});

describe("the settings of an ALB2", () => {
  const reportsOf = (config: Alb2Config): readonly string[] => {
    const { context, reports } = world();
    reportSettings(alb({ projects: ["p"], ...config }), context);
    return reports();
  };
  const noEffect = (field: string): string =>
    `SETTING_WITHOUT_EFFECT spec.config.${field}: ${field} has no effect on the data plane`;

  it("are fine if none is without effect", () => {
    expect(reportsOf({ enableIngress: true, ingressHTTPPort: 80 })).toEqual([]);
  });

  it.each(["host", "container"])("such as networkMode %s have no effect", (networkMode) => {
    expect(reportsOf({ networkMode })).toEqual([noEffect("networkMode")]);
  });

  it.each<[Alb2Config, string]>([
    [
      { networkMode: "bridge" },
      'SETTING_IGNORED spec.config.networkMode: "bridge" is neither host nor container',
    ],
    [{ replicas: -1 }, "SETTING_IGNORED spec.config.replicas: -1 is not a number of replicas"],
  ])("such as %j are wrong besides", (config, report) => {
    const [field = ""] = Object.keys(config);
    expect(reportsOf(config)).toEqual([noEffect(field), report]);
  });

  it.each([0, 3])("of %i replicas and a vip have no effect", (replicas) => {
    expect(reportsOf({ replicas, vip: {} })).toEqual([noEffect("replicas"), noEffect("vip")]);
  });

  it("without projects serve no Ingress, which is said", () => {
    const report =
      "ALB_WITHOUT_PROJECTS spec.config.projects: no project is named, so no Ingress is served";
    expect(reportsOf({ projects: [] })).toEqual([report]);
    const { context, reports } = world();
    reportSettings(alb(), context);
    expect(reports()).toEqual([report]);
  });
});

describe("defaultSSLStrategy", () => {
  it.each(["Always", "Never", "Request", "Both"])("may be %s", (defaultSSLStrategy) => {
    const { context, reports } = world();
    expect(sslStrategyOf(alb({ defaultSSLStrategy }), context)).toBe(defaultSSLStrategy);
    expect(reports()).toEqual([]);
  });

  it.each([{}, { defaultSSLStrategy: "" }])("%j says nothing", (config) => {
    const { context, reports } = world();
    expect(sslStrategyOf(alb(config), context)).toBeUndefined();
    expect(reports()).toEqual([]);
  });

  it("with another case or text is ignored, which is reported", () => {
    const { context, reports } = world();
    expect(sslStrategyOf(alb({ defaultSSLStrategy: "always" }), context)).toBeUndefined();
    expect(reports()).toEqual([
      'SETTING_IGNORED spec.config.defaultSSLStrategy: "always" is none of Always, Never, Request, Both',
    ]);
  });
});

test.each<[Alb2Config, boolean]>([
  [{}, true],
  [{ enableIngress: true }, true],
  [{ enableIngress: "true" }, true],
  [{ enableIngress: "no" }, true],
  [{ enableIngress: false }, false],
  [{ enableIngress: "false" }, false],
  [{ enableIngress: "False" }, false],
])("whether an ALB2 with %j serves Ingresses: %s", (config, serves) => {
  expect(servesIngresses(alb(config))).toBe(serves);
});

describe("an ALB2 serves an Ingress", () => {
  const project = (name: string) => ({ "cpaas.io/project": name });
  const LABELS = { one: project("red"), two: project("blue"), empty: project(""), none: {} };

  function selects(config: Alb2Config, namespace: string, ingressClassName?: string): boolean {
    const ingress: Ingress = {
      ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
      metadata: { namespace, name: "web" },
      spec: { ...(ingressClassName !== undefined && { ingressClassName }) },
    };
    return selectsByProject(alb(config), world(LABELS).context).selects(ingress);
  }

  it.each([
    [["red"], ["one"]],
    [
      ["red", "blue"],
      ["one", "two"],
    ],
    [["green"], []],
    [[], []],
    [[""], []],
    [["ALL_ALL"], ["one", "two", "empty", "none", "unknown"]],
  ])("of projects %j in the namespaces %j", (projects, namespaces) => {
    const all = [...Object.keys(LABELS), "unknown"];
    expect(all.filter((name) => selects({ projects }, name))).toEqual(namespaces);
  });

  it.each([
    [undefined, true],
    ["", true],
    ["edge", true],
    ["Edge", false],
    ["nginx", false],
  ])("of the class %j: %s", (name, expected) => {
    expect(selects({ projects: ["red"] }, "one", name)).toBe(expected);
  });

  it("with a selection that differs where another one may be selected", () => {
    const selectionOf = (projects: readonly string[], enableIngress = true): unknown =>
      selectsByProject(alb({ projects, enableIngress }), world(LABELS).context).selection;
    const red = selectionOf(["red"]);
    expect(selectionOf(["red"])).toEqual(red);
    const others = [selectionOf([]), selectionOf(["blue"]), selectionOf(["red"], false)];
    for (const other of [...others, selectionOf(["ALL_ALL"])]) expect(other).not.toEqual(red);
  });

  it("never, if it is to serve none", () => {
    expect(selects({ projects: ["ALL_ALL"], enableIngress: false }, "one")).toBe(false);
  });
});
