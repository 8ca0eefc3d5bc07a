import {
  ANY,
  BASE,
  GROUP,
  NO_INGRESS,
  alb2,
  frontend,
  oneRule,
  rule,
  translated,
} from "../../../support/translated.js";

describe("a Rule", () => {
  it("is a route with its matches", () => {
    const dslx = [
      { type: "HOST", values: [["IN", "a.example", "*.b.example"]] },
      { type: "URL", values: [["STARTS_WITH", "/v1"]] },
      { type: "METHOD", values: [["EQ", "GET"]] },
    ];
    const result = oneRule({ dslx });
    expect(result.route("rule/cpaas-system/r")).toEqual({
      id: "rule/cpaas-system/r",
      source: ["Rule", "cpaas-system", "r", "spec"],
      backends: [{ upstream: "default/web/80", weight: 1, protocol: "http" }],
    });
    expect(result.tried(80)).toEqual([
      "a.example start /v1 → rule/cpaas-system/r",
      "*.b.example start /v1 → rule/cpaas-system/r",
    ]);
    expect(result.bindings("rule/cpaas-system/r").map(({ when }) => when)).toEqual([
      [{ of: "method", any: [["eq", "GET"]] }],
      [{ of: "method", any: [["eq", "GET"]] }],
    ]);
  });

  it("has priority 5 where it names none", () => {
    const at = (name: string, priority?: number): string =>
      rule(name, { dslx: ANY, serviceGroup: GROUP, ...(priority !== undefined && { priority }) });
    const { tried } = translated(BASE + at("a", 6) + at("b") + at("c", 4) + at("d", -1));
    expect(tried(80).map((line) => line.split("/").at(-1))).toEqual(["d", "c", "b", "a"]);
  });

  it.each([
    [{ alb: "other" }, "its labels name no ALB2 of namespace cpaas-system"],
    [{ frontend: "none" }, "its labels name no Frontend of ALB2 cpaas-system/alb"],
  ])("with labels %j belongs to nobody", (text, message) => {
    const result = oneRule({}, text);
    expect(result.config.bindings).toEqual([]);
    expect(result.messages("RULE_UNATTACHED")).toEqual([message]);
  });

  it("of a Frontend that is not served is not served either", () => {
    const yaml =
      alb2("alb", NO_INGRESS) +
      frontend("ft", "alb", { port: 80, protocol: "tcp" }) +
      rule("r", { dslx: ANY });
    expect(translated(yaml).messages("RULE_UNATTACHED")).toEqual([
      "Frontend cpaas-system/ft passes on tcp without Rules",
    ]);
  });

  it.each([[undefined], [[]], [[{ type: "URL", values: [] }]]])(
    "with dslx %j matches nothing and is not served",
    (dslx) => {
      const result = translated(BASE + rule("r", { serviceGroup: GROUP, ...(dslx && { dslx }) }));
      expect(result.config.bindings).toEqual([]);
      expect(result.reports).toEqual(["RULE_WITHOUT_MATCH Rule cpaas-system/r spec.dslx"]);
    },
  );

  it("that was generated from an Ingress is not served", () => {
    const generated = rule("r", {
      dslx: ANY,
      source: { type: "ingress", name: "web", namespace: "default" },
    });
    const labelled = generated.replace(
      '"labels":{',
      '"labels":{"alb2.cpaas.io/source-type":"ingress",',
    );
    const result = translated(BASE + labelled);
    expect(result.config.bindings).toEqual([]);
    expect(result.reports).toEqual(["RULE_GENERATED Rule cpaas-system/r metadata.labels"]);
    expect(result.messages("RULE_GENERATED")[0]).toContain("Ingress default/web");
  });

  it("of which no term can be read answers 500 to all that no other rule serves before", () => {
    const result = oneRule({ dslx: [{ type: "URL", values: [["REGEX", "("]] }] });
    expect(result.tried(80)).toEqual(["any → rule/cpaas-system/r"]);
    expect(result.route("rule/cpaas-system/r").refuse?.[0]).toBe(500);
  });

  it("with a wrong term keeps the others and answers 500", () => {
    const dslx = [
      { type: "HOST", values: [["EQ", "a.example"]] },
      {
        type: "URL",
        values: [
          ["STARTS_WITH", "/v1"],
          ["MATCHES", "/v2"],
        ],
      },
    ];
    const result = oneRule({ dslx });
    expect(result.tried(80)).toEqual(["a.example any → rule/cpaas-system/r"]);
    expect(result.route("rule/cpaas-system/r").refuse).toEqual([
      500,
      "InvalidRule : invalid cfg dslx",
    ]);
    expect(result.reports).toEqual([
      "RULE_MATCH_INVALID Rule cpaas-system/r spec.dslx[1].values[1]",
    ]);
  });
});
