/** What the writer looks at. That it writes what is to be said, whatever happens: test/property/convergence. */
import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient } from "../../../src/kubernetes/api-client.js";
import type { RawObject, Resource } from "../../../src/kubernetes/raw-object.js";
import { StatusWriter, type StatusWriterOptions } from "../../../src/kubernetes/status-writer.js";
import type { ObjectStatus } from "../../../src/status/object-status.js";

const MANY = 300;
const objects = new Map<string, RawObject>();
let asked: string[] = [];
let written: string[] = [];
let writer: StatusWriter;

function ingressStatus(name: string, ip: string): ObjectStatus {
  const metadata = { namespace: "shop", name };
  const status = { loadBalancer: { ingress: [{ ip }] } };
  return { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, status };
}

/** `get`: what the watch knows. `resource`: of the kind whose statuses are written. */
function writerOf({
  get,
  resource,
  ...options
}: Pick<StatusWriterOptions, "client" | "hides"> & {
  readonly get: StatusWriterOptions["watch"]["get"];
  readonly resource: Omit<Resource, "namespaced">;
}): StatusWriter {
  return new StatusWriter({
    ...options,
    watch: {
      get,
      resourceOf: () => ({ ...resource, namespaced: true }),
      isTerminating: () => false,
    },
    controllerName: "example.com/albc",
    mayWrite: () => true,
    onWritten: () => undefined,
    onProblem: () => undefined,
    log: { warn: () => undefined },
  });
}

const client: Pick<ApiClient, "call"> = {
  call: ({ path, body }) => {
    const name = path.split("/").at(-2) ?? "";
    written.push(name);
    const [, { value }] = body as [unknown, { value: unknown }];
    const object = objects.get(name);
    if (object !== undefined) objects.set(name, { ...object, status: value });
    return Promise.resolve({});
  },
};

beforeEach(async () => {
  const names = Array.from({ length: MANY }, (_, i) => `i${String(i)}`);
  for (const name of names) {
    const metadata = { namespace: "shop", name, uid: name, resourceVersion: "1" };
    objects.set(name, { kind: "Ingress", metadata });
  }
  writer = writerOf({
    client,
    hides: false,
    get: (_kind, _namespace, name) => {
      asked.push(name);
      return objects.get(name);
    },
    resource: { kind: "Ingress", group: "networking.k8s.io", version: "v1" },
  });
  writer.enable(true);
  writer.update(names.map((name) => ingressStatus(name, "192.0.2.1")));
  await quiet();
});
afterEach(() => writer.close());

/** Until nothing has been looked at for a while: what was written is looked at once more. */
async function quiet(): Promise<void> {
  for (let before = -1; before !== asked.length;) {
    before = asked.length;
    await delay(150);
  }
}

test("all statuses are written, once", () => {
  expect(new Set(written).size).toBe(MANY);
  expect(written).toHaveLength(MANY);
});

test("of a new list only statuses are looked at that are other ones", async () => {
  const all = Array.from(objects.keys(), (name) => ingressStatus(name, "192.0.2.1"));
  writer.update(all);
  await quiet();
  [asked, written] = [[], []];
  writer.update(all.map((status, i) => (i === 7 ? ingressStatus("i7", "192.0.2.2") : status)));
  await quiet();
  expect(new Set(asked)).toEqual(new Set(["i7"]));
  expect(written).toEqual(["i7"]);
});

test("an object that the watch delivers is looked at, and no other", async () => {
  [asked, written] = [[], []];
  const metadata = { namespace: "shop", name: "i9", uid: "i9", resourceVersion: "2" };
  const object = { kind: "Ingress", metadata, status: { loadBalancer: {} } } as RawObject;
  objects.set("i9", object);
  writer.observe("Ingress", object);
  await quiet();
  expect(new Set(asked)).toEqual(new Set(["i9"]));
  expect(written).toEqual(["i9"]);
});

describe("a shard, of the policies that every shard watches,", () => {
  const ancestor = (name: string, status: string) => ({
    ancestorRef: { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "shop", name },
    controllerName: "example.com/albc",
    conditions: [{ type: "Accepted", status, reason: "Accepted", message: "" }],
  });
  const policyStatus = (...ancestors: readonly unknown[]): ObjectStatus => ({
    ...{ apiVersion: "example.com/v1", kind: "AuthPolicy", status: { ancestors } },
    metadata: { namespace: "shop", name: "policy" },
  });

  it.each<[string, ObjectStatus, readonly string[]]>([
    ["does not clear what others have written", policyStatus(), []],
    ["does not say that a Gateway of others is missing", policyStatus(ancestor("b", "False")), []],
    ["writes of its own Gateways", policyStatus(ancestor("a", "True")), ["a"]],
    [
      "writes of its own Gateways only",
      policyStatus(ancestor("a", "True"), ancestor("b", "False")),
      ["a"],
    ],
  ])("%s", async (_, status, names) => {
    const metadata = { namespace: "shop", name: "policy", uid: "p", resourceVersion: "1" };
    let sent: unknown;
    const shard = writerOf({
      client: {
        call: ({ body }) => {
          [, { value: sent }] = body as [unknown, { value: unknown }];
          return Promise.resolve({});
        },
      },
      hides: true,
      get: (kind, _namespace, name) => {
        if (kind === "AuthPolicy")
          return { kind, metadata, status: { ancestors: [ancestor("b", "True")] } };
        return name === "a" ? { kind, metadata } : undefined;
      },
      resource: { kind: "AuthPolicy", group: "example.com", version: "v1" },
    });
    shard.enable(true);
    shard.update([status]);
    await delay(50);
    await shard.close();
    const { ancestors = [] } = (sent ?? {}) as {
      ancestors?: readonly ReturnType<typeof ancestor>[];
    };
    expect(ancestors.map(({ ancestorRef }) => ancestorRef.name)).toEqual(names);
    expect(sent === undefined).toBe(names.length === 0);
  });
});
