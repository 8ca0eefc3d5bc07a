/** What is computed once and does not hold any more must go: no condition of ours may be taken for another controller's. */
import { mergeStatus } from "../../../src/status/merge-status.js";
import { isObject } from "../../../src/support/json-object.js";
import { compileCase, goldenCases } from "../../support/golden-case.js";

const OURS = "alb.cpaas.io/gateway-controller";

/** The status with every list of conditions in it replaced. */
function withConditions(value: unknown, conditions: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withConditions(item, conditions));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "conditions" ? conditions : withConditions(item, conditions),
    ]),
  );
}

function typesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(typesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "type" && "reason" in value ? [String(item)] : typesIn(item),
  );
}

const statuses = goldenCases().flatMap((golden) =>
  compileCase(golden).statuses.map((status) => ({ status, golden })),
);
const types = [...new Set(statuses.flatMap(({ status }) => typesIn(status.status)))].sort();

test("there are conditions of many types", () => {
  expect(types.length).toBeGreaterThan(6);
});

test.each(types)("%s", (type) => {
  const foreign = { type: "example.com/Seen", status: "True", reason: "X", message: "" };
  const old = { type, status: "True", reason: "Old", message: "" };
  const found = statuses.filter(({ status }) => typesIn(status.status).includes(type));
  expect(found.length).toBeGreaterThan(0);
  for (const { status } of found) {
    const none = { ...status, status: withConditions(status.status, []) as typeof status.status };
    const merged = mergeStatus(withConditions(status.status, [old, foreign]), none, {
      controllerName: OURS,
      now: "2026-11-21T18:00:00Z",
    });
    expect(new Set(typesIn(merged))).toEqual(new Set([foreign.type]));
  }
});
