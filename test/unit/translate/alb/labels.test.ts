import { mayName } from "../../../../src/translate/alb/labels.js";
import { alb2, frontend, rule, translated } from "../../../support/translated.js";

test.each([
  [undefined, "alb", true],
  ["alb", "alb", true],
  ["ALB", "alb", true],
  ["abl", "alb", true],
  ["alb-00080", "alb-80", false],
  ["alb-00081", "alb-00080", false],
  ["alb-080", "alb-80", true],
  ["other", "alb", false],
])("the label %j may mean %j: %s", (label, name, expected) => {
  expect(mayName(label, name)).toBe(expected);
});

/** The listeners that a Rule with these labels closes, among those of two ALB2s with two Frontends each. */
function closedBy(labels: {
  readonly alb?: string;
  readonly frontend?: string;
}): readonly string[] {
  const { config } = translated(
    alb2("shop", { enableIngress: false }) +
      alb2("desk", { enableIngress: false }) +
      frontend("shop-00080", "shop", { port: 80 }) +
      frontend("shop-00443", "shop", { port: 443 }) +
      frontend("desk-00080", "desk", { port: 8080 }) +
      frontend("desk-00443", "desk", { port: 8443 }) +
      rule("r", { dslx: [{ type: "URL", values: [["STARTS_WITH", "/"]] }] }, labels),
  );
  return config.bindings
    .filter(({ route }) => route.startsWith("rule/cpaas-system/r"))
    .flatMap(({ at }) => at.flatMap(({ listeners }) => listeners));
}

it.each([
  [{ alb: "shop", frontend: "shop-0080" }, ["frontend/cpaas-system/shop-00080"]],
  [{ alb: "shpo", frontend: "shop-00443" }, ["frontend/cpaas-system/shop-00443"]],
  [{ alb: "shop", frontend: "shop-00081" }, []],
  [{ alb: "other", frontend: "shop-0080" }, []],
])("a stray Rule with labels %j closes %j", (labels, listeners) => {
  expect(closedBy(labels)).toEqual(listeners);
});
