import { waitFor } from "../../../e2e/harness/wait.js";
import { ApiError } from "../../../src/kubernetes/api-client.js";
import {
  MADE_BY,
  type Making,
  SERVICE,
  SLICE,
  deliver,
  idle,
  madeFor,
  making,
  service,
  slice,
} from "../../support/object-api.js";

const POST = "POST /api/v1/namespaces/n/services";
let opened: Making[] = [];
afterEach(async () => {
  for (const { objects } of opened) await objects.close();
  opened = [];
});

function open(pauses = {}): Making {
  const made = making(pauses);
  opened.push(made);
  return made;
}

/** Both are there, and nothing is under way any more. */
async function begun(pauses = {}): Promise<Making> {
  const made = open(pauses);
  made.objects.enable(true);
  made.objects.update([service, slice]);
  await waitFor("both are made", () => made.api.writes.length === 4);
  await idle();
  made.api.calls.length = 0;
  return made;
}

/** As the log names what is refused, and the owner. */
const REFUSED = ['{"object":"Service n/x-albc","owner":"Gateway n/x"}', "problem"];
const refusedBy = ({ objects }: Making) =>
  objects.problems.map(({ message }) => message.split(":")[0]);
const isThere = ({ api }: Making, path: string) => api.objects.has(path);
const isOurs = ({ api }: Making, path: string) =>
  api.objects.get(path)?.metadata["annotations"] !== undefined &&
  JSON.stringify(api.objects.get(path)?.metadata["annotations"]).includes(MADE_BY);

test("what is as it is to be is not asked for again, and what is to change is written at once", async () => {
  const { api, objects } = await begun();
  objects.update([service, slice]);
  objects.update([{ ...service, fields: { spec: { ports: [] } } }, slice]);
  await waitFor("it is changed", () => api.writes.length > 0);
  await objects.close();
  expect(api.calls).toEqual([`GET ${SERVICE}`, `PATCH ${SERVICE}`]);
});

test("who leads again removes what others have made meanwhile; what lives for nobody is left to the API server", async () => {
  const made = await begun();
  made.objects.enable(false);
  const leftover = SERVICE.replace("x-albc", "old-albc");
  const dead = SERVICE.replace("x-albc", "dead-albc");
  made.api.put(leftover, madeFor("o", undefined, "old"));
  made.api.put(dead, madeFor("d", undefined, "gone"));
  made.owners.set("old", "o");
  for (const path of [leftover, dead]) deliver(made, path);
  await idle();
  expect(isThere(made, leftover)).toBe(true);
  made.objects.enable(true);
  await waitFor("it is removed", () => !isThere(made, leftover));
  expect(isThere(made, SERVICE)).toBe(true);
  expect(isThere(made, dead)).toBe(true);
});

test("nothing is removed before it is known what is wanted, and then in the version that was seen", async () => {
  const made = open();
  made.api.put(SERVICE, madeFor("u"));
  deliver(made, SERVICE);
  made.objects.enable(true);
  await idle();
  expect(made.api.calls).toEqual([]);
  // Somebody changes it between the look and the removal.
  let tries = 0;
  made.api.fails = (method) => {
    if (method === "DELETE" && ++tries === 1) made.api.put(SERVICE, madeFor("u"));
    return undefined;
  };
  made.objects.update([]);
  await waitFor("it is removed", () => !isThere(made, SERVICE));
  const removal = [`GET ${SERVICE}`, `DELETE ${SERVICE}`];
  expect(made.api.calls).toEqual([...removal, ...removal]);
});

test("an object that appears between the look and the making is not written to", async () => {
  const made = open();
  made.api.fails = (method) => {
    if (method === "POST") made.api.put(SERVICE);
    return undefined;
  };
  made.objects.enable(true);
  made.objects.update([service]);
  await waitFor("it is refused", () => made.told.length > 0);
  expect(made.api.writes).toEqual([POST]);
  expect(refusedBy(made)).toEqual(["Service x-albc"]);
});

test("what is changed while nothing is under way, or while it is being made, is put right", async () => {
  const made = await begun();
  made.api.put(SERVICE, madeFor("u"), String(made.api.objects.get(SERVICE)?.metadata["uid"]));
  deliver(made, SERVICE);
  await waitFor("it is put right", () => made.api.writes.length === 1);

  const other = open();
  let isFirst = true;
  other.api.onWrite = (method, path) => {
    if (method !== "PATCH" || !isFirst) return;
    isFirst = false;
    const uid = String(other.api.objects.get(path)?.metadata["uid"]);
    other.api.put(path, madeFor("u"), uid);
    deliver(other, path);
  };
  other.objects.enable(true);
  other.objects.update([service]);
  await waitFor("it is put right", () => other.api.writes.length === 3);
  expect(other.api.writes).toEqual([POST, `PATCH ${SERVICE}`, `PATCH ${SERVICE}`]);
});

test("what somebody else has is made when it is gone, at once; it is told once, and then no more", async () => {
  const made = open();
  made.api.put(SERVICE);
  made.objects.enable(true);
  made.objects.update([service, slice]);
  await waitFor("it is refused", () => made.told.length > 0);
  made.objects.update([service, slice]);
  await idle();
  expect(refusedBy(made)).toEqual(["Service x-albc"]);
  expect(made.api.writes).toEqual([]);
  made.api.objects.delete(SERVICE);
  deliver(made, SERVICE);
  await waitFor("both are made", () => isThere(made, SLICE) && isOurs(made, SERVICE));
  await waitFor("none is refused", () => made.objects.problems.length === 0);
  expect(made.told).toEqual(REFUSED);
});

test("what is refused and wanted no more is refused no more", async () => {
  const made = open({ refused: 5 });
  made.api.put(SERVICE);
  made.objects.enable(true);
  made.objects.update([service]);
  await waitFor(
    "it is looked at again",
    () => made.api.calls.filter((call) => call.endsWith(SERVICE)).length > 2,
  );
  expect(made.told).toEqual(REFUSED);
  made.objects.update([]);
  await waitFor("none is refused", () => made.objects.problems.length === 0);
  expect(isThere(made, SERVICE)).toBe(true);
});

test("what requires an object that somebody else took over goes", async () => {
  const made = await begun();
  made.api.put(SERVICE);
  deliver(made, SERVICE);
  await waitFor("the slice is removed", () => !isThere(made, SLICE));
  expect(made.api.writes).toEqual([`DELETE ${SLICE}`]);
  expect(refusedBy(made)).toEqual(["Service x-albc"]);
});

test("what requires an object that can't be made waits for it", async () => {
  const made = open({ failed: 5 });
  made.api.fails = (method, path) =>
    method === "POST" && path.endsWith("/services") && made.told.length < 3
      ? new ApiError(403, "Forbidden", "no")
      : undefined;
  made.objects.enable(true);
  made.objects.update([service, slice]);
  await waitFor("both are made", () => isThere(made, SLICE) && isThere(made, SERVICE));
  const posts = made.api.writes.filter((call) => call.startsWith("POST"));
  expect(posts).toEqual([POST, POST, POST, POST, `POST ${SLICE.slice(0, SLICE.lastIndexOf("/"))}`]);
});

test("for an owner that is not known nothing is made until it is", async () => {
  const made = open();
  made.owners.clear();
  made.objects.enable(true);
  made.objects.update([service]);
  await idle();
  made.objects.update([service]);
  made.owners.set("x", "u");
  made.objects.update([service]);
  await waitFor("it is made", () => isOurs(made, SERVICE));
  expect(made.api.writes).toEqual([POST, `PATCH ${SERVICE}`]);
});

test("what was made for an owner of before is waited for, not refused", async () => {
  const made = open();
  made.api.put(SERVICE, madeFor("before"));
  made.objects.enable(true);
  made.objects.update([service]);
  await waitFor(
    "it is looked at",
    () => made.api.calls.filter((call) => call.endsWith(SERVICE)).length > 1,
  );
  made.api.objects.delete(SERVICE);
  await waitFor("it is made", () => isOurs(made, SERVICE));
  expect(made.told).toEqual([]);
});

test.each([
  ["another controller", madeFor("before", "example.com/other")],
  ["another Gateway", madeFor("other", undefined, "y")],
])("what was made by or for %s is refused", async (_what, object) => {
  const made = open();
  made.api.put(SERVICE, object);
  made.objects.enable(true);
  made.objects.update([service]);
  await waitFor("it is refused", () => made.told.length > 0);
  expect(made.api.writes).toEqual([]);
});

test("who may not write any more makes and removes nothing more", async () => {
  const made = open();
  const leftover = SERVICE.replace("x-albc", "old-albc");
  made.api.put(leftover, madeFor("o", undefined, "old"));
  made.owners.set("old", "o");
  made.api.onWrite = () => {
    made.mayWrite = false;
  };
  made.objects.enable(true);
  made.objects.update([service, slice]);
  await waitFor("one is made", () => made.api.writes.length > 0);
  await made.objects.close();
  // What was begun is ended.
  expect(made.api.writes).toEqual([POST, `PATCH ${SERVICE}`]);
  made.objects.enable(true);
  made.objects.update([]);
  await made.objects.close();
  expect(made.api.writes).toHaveLength(2);
});

test("what is wanted no more goes in the version of now, but not what took its name", async () => {
  const made = await begun();
  const uid = String(made.api.objects.get(SERVICE)?.metadata["uid"]);
  made.api.put(SERVICE, madeFor("u"), uid);
  deliver(made, SERVICE);
  made.api.put(SLICE, madeFor("u", "example.com/other"), "another");
  deliver(made, SLICE);
  made.objects.update([]);
  await waitFor("it is removed", () => !isThere(made, SERVICE));
  await made.objects.close();
  expect(made.api.writes.filter((call) => call.startsWith("DELETE"))).toEqual([
    `DELETE ${SERVICE}`,
  ]);
});

test("what can't be removed is tried again after a pause, and told", async () => {
  const made = await begun({ failed: 20 });
  let tries = 0;
  made.api.fails = (method) =>
    method === "DELETE" && ++tries <= 2 ? new ApiError(500, "", "no") : undefined;
  made.objects.update([slice]);
  made.objects.update([]);
  await waitFor("all is gone", () => !isThere(made, SERVICE) && !isThere(made, SLICE));
  expect(made.told.length).toBe(2);
});

test("a conflict is looked at again, and nobody is told", async () => {
  const made = await begun({ failed: 4 });
  const uid = String(made.api.objects.get(SERVICE)?.metadata["uid"]);
  let tries = 0;
  made.api.fails = (method) => {
    if (method === "PATCH" && ++tries === 1) made.api.put(SERVICE, madeFor("u"), uid);
    return undefined;
  };
  made.objects.update([{ ...service, fields: { spec: {} } }, slice]);
  await waitFor("it is written", () => made.api.writes.length === 2);
  expect(made.api.writes).toEqual([`PATCH ${SERVICE}`, `PATCH ${SERVICE}`]);
  expect(made.told).toEqual([]);
});

test("what a watch delivers of our own writes, however late, costs no write", async () => {
  const made = await begun({ changed: 60_000 });
  const created = {
    ...made.api.objects.get(SERVICE),
    metadata: { name: "x-albc", namespace: "n", resourceVersion: "1" },
  };
  made.objects.observe("Service", created);
  deliver(made, SERVICE);
  const uid = String(made.api.objects.get(SLICE)?.metadata["uid"]);
  made.api.put(SLICE, madeFor("u"), uid);
  deliver(made, SLICE);
  made.objects.update([service, slice]);
  await idle();
  expect(made.api.calls).toEqual([]);

  const other = await begun();
  other.objects.observe("Service", created);
  await waitFor("it is looked at", () => other.api.calls.length > 0);
  await idle();
  expect(other.api.calls).toEqual([`GET ${SERVICE}`]);
});

test("what failed is not tried again before its pause is over, whatever else is to be done", async () => {
  const made = open({ failed: 60_000 });
  made.api.fails = (method) => (method === "POST" ? new ApiError(500, "", "no") : undefined);
  made.objects.enable(true);
  for (let turn = 0; turn < 3; turn++) {
    made.objects.update([service]);
    await idle();
  }
  expect(made.api.writes).toEqual([POST]);
  expect(made.told).toHaveLength(1);
  made.api.fails = () => undefined;
  // Another thing need not wait.
  made.objects.update([{ ...service, fields: { spec: {} } }]);
  await idle();
  expect(isOurs(made, SERVICE)).toBe(true);
  made.api.fails = (method) => (method === "DELETE" ? new ApiError(500, "", "no") : undefined);
  for (let turn = 0; turn < 3; turn++) {
    made.objects.update([]);
    await idle();
  }
  expect(made.api.writes.filter((call) => call.startsWith("DELETE"))).toHaveLength(1);
});
