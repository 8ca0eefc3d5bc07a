import type { ObjectStatus } from "../../../src/status/object-status.js";
import { mergedStatus, mergeStatus } from "../../../src/status/merge-status.js";

const OURS = "alb.cpaas.io/gateway-controller";
const EARLIER = "2026-01-01T00:00:00Z";
const NOW = "2026-11-21T18:00:00Z";
const context = { controllerName: OURS, now: NOW };

function computed(kind: string, status: ObjectStatus["status"]): ObjectStatus {
  return { apiVersion: "v1", kind, metadata: { name: "a", namespace: "n" }, status };
}

function accepted(status: string, generation = 2): Record<string, unknown> {
  return {
    type: "Accepted",
    status,
    reason: "R",
    message: "m",
    observedGeneration: generation,
  };
}

/** Another controller's, about an old generation. */
const FOREIGN = {
  type: "example.com/Seen",
  status: "True",
  reason: "X",
  message: "",
  observedGeneration: 1,
  lastTransitionTime: EARLIER,
};

const at = (condition: object, time: string): object => ({
  ...condition,
  lastTransitionTime: time,
});

describe("conditions", () => {
  test("foreign ones stay in their places, ours are replaced, those that do not hold any more go", () => {
    const existing = {
      conditions: [
        at(accepted("Unknown"), "1970-01-01T00:00:00Z"),
        FOREIGN,
        at({ ...accepted("True"), type: "InsecureFrontendValidationMode" }, EARLIER),
      ],
    };
    const programmed = { ...accepted("False"), type: "Programmed" };
    const merged = mergeStatus(
      existing,
      computed("Gateway", { conditions: [accepted("True"), programmed] }),
      context,
    );
    expect(merged).toEqual({
      conditions: [at(accepted("True"), NOW), FOREIGN, at(programmed, NOW)],
    });
  });

  test("without a time to write ours have none, and foreign ones theirs", () => {
    const existing = { conditions: [at(accepted("True"), EARLIER), FOREIGN], other: 1 };
    const status = computed("Gateway", { conditions: [accepted("True")] });
    expect(mergedStatus(existing, status, { controllerName: OURS })).toEqual({
      conditions: [accepted("True"), FOREIGN],
      other: 1,
    });
  });

  test("the time of a condition whose status stays is kept, whatever else changes", () => {
    const existing = { conditions: [at(accepted("True", 1), EARLIER)] };
    const next = { ...accepted("True", 2), reason: "Other" };
    expect(mergeStatus(existing, computed("Gateway", { conditions: [next] }), context)).toEqual({
      conditions: [at(next, EARLIER)],
    });
  });

  test("nothing is written when nothing changes, in whatever order the keys are", () => {
    const { type, ...rest } = at(accepted("True"), EARLIER) as Record<string, unknown>;
    const existing = { conditions: [{ ...rest, type }, FOREIGN] };
    const same = computed("Gateway", { conditions: [accepted("True")] });
    expect(mergeStatus(existing, same, context)).toBeUndefined();
  });

  test("what was computed of an older generation is not written", () => {
    const existing = { conditions: [at(accepted("False", 3), EARLIER)] };
    const older = computed("Gateway", { conditions: [accepted("True", 2)] });
    expect(mergeStatus(existing, older, context)).toBeUndefined();
  });

  test("a foreign condition of a later generation is no reason to wait", () => {
    const existing = { conditions: [{ ...FOREIGN, observedGeneration: 9 }] };
    const status = computed("Gateway", { conditions: [accepted("True", 2)] });
    expect(mergeStatus(existing, status, context)).toBeDefined();
  });
});

describe("listeners", () => {
  test("foreign conditions of a listener stay, listeners that are gone go", () => {
    const existing = {
      listeners: [
        { name: "gone", attachedRoutes: 1, conditions: [FOREIGN] },
        {
          name: "http",
          attachedRoutes: 0,
          conditions: [FOREIGN, at(accepted("True"), EARLIER)],
        },
      ],
    };
    const status = {
      listeners: [{ name: "http", attachedRoutes: 2, conditions: [accepted("True")] }],
    };
    expect(mergeStatus(existing, computed("Gateway", status), context)).toEqual({
      listeners: [
        {
          name: "http",
          attachedRoutes: 2,
          conditions: [FOREIGN, at(accepted("True"), EARLIER)],
        },
      ],
    });
  });

  test("own fields that are not computed go, others stay", () => {
    const existing = { addresses: [{ type: "IPAddress", value: "10.0.0.1" }], example: { a: 1 } };
    const status = computed("Gateway", { attachedListenerSets: 0 });
    expect(mergeStatus(existing, status, context)).toEqual({
      example: { a: 1 },
      attachedListenerSets: 0,
    });
  });
});

describe.each([
  ["parents", "parentRef", "HTTPRoute"],
  ["ancestors", "ancestorRef", "BackendTLSPolicy"],
])("%s", (field, subject, kind) => {
  const entry = (controllerName: string, name: string, conditions: unknown): object => ({
    [subject]: { name },
    controllerName,
    conditions,
  });

  test("entries of other controllers stay, ours are replaced by what they are about", () => {
    const foreign = entry("example.com/other", "gone", [FOREIGN]);
    const existing = {
      [field]: [
        entry(OURS, "gone", [at(accepted("True"), EARLIER)]),
        foreign,
        entry(OURS, "kept", [at(accepted("True"), EARLIER), FOREIGN]),
      ],
    };
    const status = {
      [field]: [entry(OURS, "new", [accepted("False")]), entry(OURS, "kept", [accepted("True")])],
    };
    expect(mergeStatus(existing, computed(kind, status), context)).toEqual({
      [field]: [
        foreign,
        entry(OURS, "kept", [at(accepted("True"), EARLIER), FOREIGN]),
        entry(OURS, "new", [at(accepted("False"), NOW)]),
      ],
    });
  });

  test("no entry of ours takes back those that were", () => {
    const foreign = entry("example.com/other", "a", [FOREIGN]);
    const existing = { [field]: [foreign, entry(OURS, "a", [])] };
    expect(mergeStatus(existing, computed(kind, { [field]: [] }), context)).toEqual({
      [field]: [foreign],
    });
  });

  test("an entry of ours about a later generation is not overwritten", () => {
    const existing = { [field]: [entry(OURS, "a", [at(accepted("True", 3), EARLIER)])] };
    const status = computed(kind, { [field]: [entry(OURS, "a", [accepted("False", 2)])] });
    expect(mergeStatus(existing, status, context)).toBeUndefined();
  });
});

test("a status that was never written gets everything", () => {
  const status = computed("ALB2", { state: "Running", reason: "" });
  expect(mergeStatus(undefined, status, context)).toEqual({ state: "Running", reason: "" });
  expect(mergeStatus({ state: "Running", reason: "", detail: 1 }, status, context)).toBeUndefined();
});

test("the addresses of an Ingress are replaced, and gone when there are none", () => {
  const existing = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] }, other: 1 };
  const named = { loadBalancer: { ingress: [{ hostname: "lb.example" }] } };
  expect(mergeStatus(existing, computed("Ingress", named), context)).toEqual({
    ...named,
    other: 1,
  });
  expect(mergeStatus(existing, computed("Ingress", { loadBalancer: {} }), context)).toEqual({
    loadBalancer: {},
    other: 1,
  });
  const asCreated = { loadBalancer: {} };
  expect(mergeStatus(asCreated, computed("Ingress", asCreated), context)).toBeUndefined();
});
