import { selectsLabels } from "../../../../src/translate/gateway/namespace-filter.js";

const labels = { tier: "gold", team: "a" };

test.each([
  [{}, true],
  [{ matchLabels: { tier: "gold" } }, true],
  [{ matchLabels: { tier: "gold", team: "b" } }, false],
  [{ matchLabels: { constructor: "x" } }, false],
  [{ matchExpressions: [{ key: "tier", operator: "In", values: ["gold", "silver"] }] }, true],
  [{ matchExpressions: [{ key: "tier", operator: "In", values: ["silver"] }] }, false],
  [{ matchExpressions: [{ key: "none", operator: "In", values: ["gold"] }] }, false],
  [{ matchExpressions: [{ key: "tier", operator: "NotIn", values: ["silver"] }] }, true],
  [{ matchExpressions: [{ key: "none", operator: "NotIn", values: ["gold"] }] }, true],
  [{ matchExpressions: [{ key: "tier", operator: "NotIn", values: ["gold"] }] }, false],
  [{ matchExpressions: [{ key: "team", operator: "Exists" }] }, true],
  [{ matchExpressions: [{ key: "none", operator: "Exists" }] }, false],
  [{ matchExpressions: [{ key: "none", operator: "DoesNotExist" }] }, true],
  [{ matchExpressions: [{ key: "toString", operator: "DoesNotExist" }] }, true],
  [{ matchExpressions: [{ key: "team", operator: "DoesNotExist" }] }, false],
  [{ matchExpressions: [{ key: "team", operator: "Near", values: ["a"] }] }, false],
  [
    {
      matchLabels: { team: "a" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["silver"] }],
    },
    false,
  ],
])("%j selects it: %s", (selector, expected) => {
  expect(selectsLabels(selector, labels)).toBe(expected);
});
