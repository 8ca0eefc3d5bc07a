import { type ApiCall, ApiError } from "../../../src/kubernetes/api-client.js";
import { EventRecorder, type ObjectEvent } from "../../../src/kubernetes/event-recorder.js";
import { idle } from "../../support/object-api.js";

const WATCH = { get: () => undefined, isTerminating: () => false };

/** An API server that refuses what is in the namespaces, and the paths that it was asked for. */
function recorderOf(refused: Readonly<Record<string, ApiError>>) {
  const asked: string[] = [];
  const call = async ({ path }: ApiCall) => {
    asked.push(path);
    const [, namespace = ""] = /namespaces\/([^/]+)/.exec(path) ?? [];
    const error = refused[namespace];
    if (error !== undefined) throw error;
  };
  const told: unknown[] = [];
  const log = { warn: (fields: object) => told.push(fields) };
  return { asked, told, recorder: new EventRecorder({ client: { call }, watch: WATCH, log }) };
}

function event(namespace: string): ObjectEvent {
  const resource = { apiVersion: "v1", kind: "Ingress", namespace, name: "x" };
  return { resource, reason: "Bad", message: "bad" };
}

const pathOf = (namespace: string) => `/api/v1/namespaces/${namespace}/events`;

test("an event that can't be written holds up no other, and is tried again", async () => {
  const error = new ApiError(500, "", "no");
  const { asked, told, recorder } = recorderOf({ a: error });
  await recorder.update([event("a"), event("b")]);
  expect(asked).toEqual([pathOf("a"), pathOf("b")]);
  await recorder.update([event("a"), event("b")]);
  expect(asked).toEqual([pathOf("a"), pathOf("b"), pathOf("a")]);
  expect(told).toEqual([{ reason: "no" }, { reason: "no" }]);
});

test("a namespace with ever new problems keeps no other's from being written", async () => {
  const { asked, recorder } = recorderOf({});
  const flood = Array.from({ length: 500 }, (_, i) => ({ ...event("a"), message: String(i) }));
  await recorder.update([...flood, event("b")]);
  expect(asked).toContain(pathOf("b"));
  expect(asked).toHaveLength(200);
});

test.each([
  [403, "Forbidden", "forbidden: namespace a is being terminated"],
  [404, "NotFound", 'POST /api/v1/namespaces/a/events: 404 namespaces "a" not found'],
])("in a namespace that goes or is gone (%i) nobody is told anything", async (...words) => {
  const error = new ApiError(...words);
  const { asked, recorder } = recorderOf({ a: error });
  await recorder.update([event("a"), event("b")]);
  await recorder.update([event("a"), event("b")]);
  expect(asked).toEqual([pathOf("a"), pathOf("b")]);
});

test("while one update is written, those that follow wait, and only the last is written", async () => {
  const asked: string[] = [];
  let answer: () => void = () => undefined;
  const call = ({ path }: ApiCall) => {
    asked.push(path);
    return new Promise<void>((resolve) => (answer = resolve));
  };
  const recorder = new EventRecorder({ client: { call }, watch: WATCH, log: { warn: () => 0 } });
  const updates = [["a"], ["b"], ["a", "c"]].map((names) => recorder.update(names.map(event)));
  await idle();
  expect(asked).toEqual([pathOf("a")]);
  answer();
  await idle();
  expect(asked).toEqual([pathOf("a"), pathOf("c")]);
  answer();
  await Promise.all(updates);
  expect(asked).toHaveLength(2);
});
