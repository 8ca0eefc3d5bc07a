import type { Waiting } from "../../../src/controller/reload-turns.js";
import {
  waitingDiagnostics,
  withPendingStatuses,
} from "../../../src/controller/waiting-changes.js";
import { compile } from "../../../src/compile.js";
import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { LiveObjects } from "../../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";

const API = "gateway.networking.k8s.io/v1";
const live = new LiveObjects(DEFAULT_INPUT_OPTIONS);

function put(generation: number, ports: Readonly<Record<string, number>>): void {
  const listeners = Object.entries(ports).map(([name, port]) => ({ name, port, protocol: "HTTP" }));
  live.put("Gateway", "shop", "edge", {
    ...{ apiVersion: API, kind: "Gateway" },
    metadata: { namespace: "shop", name: "edge", generation },
    spec: { gatewayClassName: "albc", listeners },
  });
}

const compiled = () => {
  const { resources } = live.snapshot();
  return { resources, ...compile(resources, DEFAULT_OPTIONS) };
};

const programmed = ({ statuses }: Pick<ReturnType<typeof compiled>, "statuses">) => {
  interface Holder {
    readonly name?: string;
    readonly conditions: readonly Readonly<Record<string, unknown>>[];
  }
  const of = ({ name = "edge", conditions }: Holder) => {
    const { status, reason, observedGeneration } =
      conditions.find(({ type }) => type === "Programmed") ?? {};
    return [name, status, reason, observedGeneration];
  };
  return statuses
    .filter(({ kind }) => kind === "Gateway")
    .flatMap(({ status }) => {
      const { conditions, listeners } = status as unknown as Holder & {
        readonly listeners: readonly Holder[];
      };
      return [of({ conditions }), ...listeners.map(of)];
    });
};

test("a listener that waits for a reload is not programmed yet, and those beside it stay", () => {
  live.put("GatewayClass", "", "albc", {
    ...{ apiVersion: API, kind: "GatewayClass", metadata: { name: "albc" } },
    spec: { controllerName: DEFAULT_OPTIONS.controllerName },
  });
  put(1, { old: 8001, moved: 8002 });
  const loaded = compiled();
  put(2, { old: 8001, moved: 8003, added: 8004 });
  const newest = compiled();
  const changes = newest.resources.changesSince(loaded.resources);
  const waiting: Waiting = { namespace: "shop", wait: 60_000, urgency: "prompt", changes };
  expect(programmed(withPendingStatuses(loaded, newest, [waiting]))).toEqual([
    ["edge", "False", "Pending", 2],
    ["old", "True", "Programmed", 2],
    ["moved", "False", "Pending", 2],
    ["added", "False", "Pending", 2],
  ]);
  // Nothing of the Gateway waits.
  expect(withPendingStatuses(newest, newest, [])).toBe(newest);
  const [told, ...others] = waitingDiagnostics([waiting], newest.resources);
  expect(told).toMatchObject({ code: "RELOAD_WAITS", resource: { kind: "Gateway", name: "edge" } });
  expect(others).toEqual([]);
  expect(waitingDiagnostics([{ ...waiting, urgency: "patient" }], newest.resources)).toEqual([]);
});

test("a Gateway that is not loaded at all has a status", () => {
  const none = compile(
    new LiveObjects(DEFAULT_INPUT_OPTIONS).snapshot().resources,
    DEFAULT_OPTIONS,
  );
  const newest = compiled();
  const change = { kind: "Gateway", namespace: "shop", name: "edge" } as const;
  const now = newest.resources.get("Gateway", "shop", "edge");
  const waiting: Waiting = {
    ...{ namespace: "shop", wait: 60_000, urgency: "prompt" },
    changes: [{ ...change, now }],
  };
  const statuses = programmed(withPendingStatuses(none, newest, [waiting]));
  expect(statuses.map(([, status, reason]) => [status, reason])).toEqual(
    Array.from({ length: 4 }, () => ["False", "Pending"]),
  );
});
