import type { ApiClient, Call } from "../../../src/kubernetes/api-client.js";
import { ApiError } from "../../../src/kubernetes/api-client.js";
import { OwnedObjectClient } from "../../../src/kubernetes/owned-object-client.js";
import { OwnedObjects } from "../../../src/kubernetes/owned-objects.js";
import type { OwnedObject } from "../../../src/status/owned-object.js";
import { waitFor } from "../../../e2e/harness/wait.js";

const PATH = "/api/v1/namespaces/n/services/x-albc";
const THEIRS = {
  metadata: { name: "x-albc", namespace: "n", uid: "theirs", resourceVersion: "1" },
};
const SERVICE: OwnedObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "x-albc", namespace: "n", labels: {}, annotations: {} },
  owner: { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", namespace: "n", name: "x" },
  fields: {},
  skeleton: {},
};

/** Answers as `answer` says; a GET finds nothing and a list is empty where it says nothing. */
function objectsOn(answer: (call: Call) => unknown) {
  const calls: Call[] = [];
  const call = async (asked: Call) => {
    calls.push(asked);
    const value = answer(asked);
    if (value instanceof ApiError) throw value;
    if (value !== undefined) return value;
    if (asked.query?.["labelSelector"] !== undefined) return { items: [] };
    throw new ApiError(404, "NotFound", "not found");
  };
  const refused: OwnedObject[] = [];
  const controllerName = "example.com/c";
  const options = { fieldManager: "albc", controllerName, annotation: "example.com/by" };
  const objects = new OwnedObjects({
    // Nothing else of it is used.
    client: new OwnedObjectClient({ ...options, client: { call } as unknown as ApiClient }),
    controllerName,
    namespaces: [],
    uidOf: () => "u",
    mayWrite: () => true,
    onRefused: (object) => refused.push(object),
    onError: () => undefined,
    pauses: { failed: 1, refused: 60_000, changed: 1, longest: 60_000 },
  });
  return { calls, objects, refused };
}

function made(version: string, annotations = { "example.com/by": "example.com/c" }) {
  const controller = { kind: "Gateway", name: "x", uid: "u", controller: true };
  const metadata = { name: "x-albc", namespace: "n", uid: "ours", resourceVersion: version };
  return { metadata: { ...metadata, annotations, ownerReferences: [controller] } };
}

const writes = (calls: readonly Call[]) => calls.filter(({ method = "GET" }) => method !== "GET");

test("an object that appears between the look and the making is not written to", async () => {
  let looks = 0;
  const { calls, objects, refused } = objectsOn(({ method = "GET", path }) => {
    if (method === "POST") return new ApiError(409, "AlreadyExists", "exists");
    return path === PATH && ++looks > 1 ? THEIRS : undefined;
  });
  objects.enable(true);
  objects.update([SERVICE]);
  await waitFor("it is refused", () => refused.length === 1);
  objects.update([SERVICE]);
  await objects.close();
  expect(writes(calls).map(({ method }) => method)).toEqual(["POST"]);
  expect(refused).toEqual([SERVICE]);
  expect(objects.refused).toEqual([SERVICE]);
});

test("nothing is removed before it is known what is to be, and then in the version that was seen", async () => {
  const { calls, objects } = objectsOn(({ method, query, path }) => {
    if (method === "DELETE") return {};
    const isList = query?.["labelSelector"] !== undefined && path.endsWith("/services");
    return isList ? { items: [made("7")] } : undefined;
  });
  objects.enable(true);
  expect(calls).toEqual([]);
  objects.update([]);
  await waitFor("it is removed", () => writes(calls).length > 0);
  await objects.close();
  const preconditions = { uid: "ours", resourceVersion: "7" };
  expect(writes(calls)).toEqual([{ method: "DELETE", path: PATH, body: { preconditions } }]);
});

test("what another controller has taken over since is not removed", async () => {
  let looks = 0;
  const { calls, objects } = objectsOn(({ method, query, path }) => {
    if (method === "DELETE") return new ApiError(409, "Conflict", "changed");
    if (path === PATH && ++looks > 0) return made("8", { "example.com/by": "example.com/other" });
    const isList = query?.["labelSelector"] !== undefined && path.endsWith("/services");
    return isList ? { items: [made("7")] } : undefined;
  });
  objects.enable(true);
  objects.update([]);
  await waitFor("it is looked at again", () => looks > 0);
  await objects.close();
  expect(writes(calls)).toHaveLength(1);
});

test("our own writes are no news; what others write is put right", async () => {
  let version = 1;
  const { calls, objects } = objectsOn(({ method = "GET", path }) => {
    if (method === "GET") return path === PATH && version > 1 ? made("9") : undefined;
    return made(String(++version));
  });
  objects.enable(true);
  objects.update([SERVICE]);
  await waitFor("it is made", () => writes(calls).length === 2);
  objects.observe("Service", "n", "x-albc", "2");
  objects.observe("Service", "n", "x-albc", "3");
  objects.update([SERVICE]);
  objects.observe("Service", "n", "x-albc", "9");
  await waitFor("it is put right", () => writes(calls).length === 3);
  await objects.close();
  expect(writes(calls).map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
  expect(writes(calls)[2]?.body).toMatchObject({ metadata: { uid: "ours", resourceVersion: "9" } });
});
