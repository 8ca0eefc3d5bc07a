/** The part of an API server that objects are made on: names are taken once, and writes are for one version. */
import { type ApiCall, ApiError } from "../../src/kubernetes/api-client.js";
import { OwnedObjects } from "../../src/kubernetes/owned-objects.js";
import type { Resource } from "../../src/kubernetes/raw-object.js";
import type { OwnedObject } from "../../src/status/object-status.js";

export interface Stored {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

const OURS = "example.com/c";
export const MADE_BY = "example.com/by";
const MANAGED = { "app.kubernetes.io/managed-by": "albc" };

export class ObjectApi {
  readonly objects = new Map<string, Stored>();
  readonly calls: string[] = [];
  /** Asked before each call. */
  fails: (method: string, path: string) => ApiError | undefined = () => undefined;
  /** Told after each write. */
  onWrite: (method: string, path: string) => void = () => undefined;
  #version = 0;

  put(path: string, object: { readonly metadata?: object } = {}, uid = "of-others"): string {
    const version = String(++this.#version);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const metadata = { name, namespace: "n", uid, ...object.metadata, resourceVersion: version };
    this.objects.set(path, { ...object, metadata });
    return version;
  }

  version(path: string): string {
    return String(this.objects.get(path)?.metadata["resourceVersion"]);
  }

  /** Of writes only. */
  get writes(): readonly string[] {
    return this.calls.filter((call) => !call.startsWith("GET"));
  }

  readonly call = async ({ method = "GET", path, body }: ApiCall): Promise<unknown> => {
    this.calls.push(`${method} ${path}`);
    const failure = this.fails(method, path);
    if (failure !== undefined) throw failure;
    const value = this.#answer(method, path, body as Stored);
    if (method !== "GET") this.onWrite(method, path);
    return value;
  };

  #answer(method: string, path: string, body: Stored): unknown {
    const at = method === "POST" ? `${path}/${body.metadata.name}` : path;
    const found = this.objects.get(at);
    if (method === "POST") {
      if (found !== undefined) throw new ApiError(409, "AlreadyExists", "exists");
      this.put(at, body, `uid-${String(this.#version)}`);
      return this.objects.get(at);
    }
    if (found === undefined) throw new ApiError(404, "NotFound", "not found");
    if (method === "GET") return found;
    const { preconditions } = body as { readonly preconditions?: object };
    const wanted = { ...body.metadata, ...preconditions } as Record<string, unknown>;
    const { uid, resourceVersion } = found.metadata;
    if (wanted["uid"] !== uid || wanted["resourceVersion"] !== resourceVersion)
      throw new ApiError(409, "Conflict", "changed");
    if (method === "DELETE") this.objects.delete(at);
    else this.put(at, body, String(uid));
    return this.objects.get(at) ?? {};
  }
}

export const SERVICE = "/api/v1/namespaces/n/services/x-albc";
export const SLICE = "/apis/discovery.k8s.io/v1/namespaces/n/endpointslices/x-albc-ipv4";
const owner = { apiVersion: "g/v1", kind: "Gateway", namespace: "n", name: "x" };
const shared = { owner, fields: {}, skeleton: {} };
const at = (name: string) => ({ name, namespace: "n", labels: {}, annotations: {} });

export const service: OwnedObject = {
  ...{ apiVersion: "v1", kind: "Service", metadata: at("x-albc") },
  ...shared,
};
export const slice: OwnedObject = {
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: at("x-albc-ipv4") },
  ...shared,
  requires: { kind: "Service", name: "x-albc" },
};

const RESOURCES: readonly Resource[] = [
  { kind: "Service", group: "", version: "v1", namespaced: true },
  { kind: "EndpointSlice", group: "discovery.k8s.io", version: "v1", namespaced: true },
];

/** As this controller would have made it for an owner. */
export function madeFor(uid: string, madeBy = OURS, name = "x"): { readonly metadata: object } {
  const controller = { kind: "Gateway", name, uid, controller: true };
  const annotations = { [MADE_BY]: madeBy };
  return { metadata: { labels: MANAGED, annotations, ownerReferences: [controller] } };
}

export interface Making {
  readonly api: ObjectApi;
  readonly objects: OwnedObjects;
  readonly told: string[];
  /** Uids of Gateways by name. */
  readonly owners: Map<string, string>;
  mayWrite: boolean;
}

export function making(pauses = {}): Making {
  const api = new ObjectApi();
  const told: string[] = [];
  const owners = new Map([["x", "u"]]);
  const objects = new OwnedObjects({
    client: api,
    watch: {
      get: (_kind, _namespace, name) => {
        const uid = owners.get(name);
        return uid === undefined ? undefined : { metadata: { name, uid } };
      },
      resourceOf: (kind) => RESOURCES.find((resource) => resource.kind === kind),
    },
    controllerName: OURS,
    annotation: MADE_BY,
    mayWrite: () => state.mayWrite,
    onProblem: () => told.push("problem"),
    log: { warn: (fields) => told.push(JSON.stringify(fields)) },
    pauses: { failed: 1, refused: 60_000, changed: 1, longest: 60_000, ...pauses },
  });
  const state: Making = { api, objects, told, owners, mayWrite: true };
  return state;
}

/** Tells what the watch delivers: the object as it is now, or that it is gone. */
export function deliver({ api, objects }: Making, path: string): void {
  const kind = path.includes("/services/") ? "Service" : "EndpointSlice";
  const stored = api.objects.get(path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  objects.observe(kind, stored ?? { metadata: { name, namespace: "n" } }, stored === undefined);
}

/** Answers come within a turn of the event loop: after it nothing is under way but pauses. */
export function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
