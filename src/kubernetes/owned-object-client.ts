/**
 * Reads and writes the objects that a controller makes for others. None of the calls can change or remove an object that somebody else
 * has made: what is new is created, never applied to what may be there; what is there is written and removed in the version that was
 * looked at, or not at all.
 */
import { listOf } from "../status/json.js";
import type { OwnedObject } from "../status/owned-object.js";
import { isObject } from "../support/json-object.js";
import type { ApiClient } from "./api-client.js";
import { ApiError } from "./api-client.js";
import { isRawObject } from "./raw-object.js";
import type { Resource } from "./resource.js";
import { listPath, objectPath } from "./resource.js";
import { own } from "../support/own.js";

/** What is in the cluster under the name of an object that is to be made. */
export interface FoundObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Its owner that is marked as its controller. */
  readonly controller?: { readonly kind: string; readonly name: string; readonly uid: string };
  /** Which controller made it; empty: none like this one. */
  readonly madeBy: string;
}

export interface OwnedObjectClientOptions {
  readonly client: ApiClient;
  /** Also in the label that all objects carry which are made here. */
  readonly fieldManager: string;
  /** Several controllers may share a cluster, and a field manager. */
  readonly controllerName: string;
  /** Annotation with the controller's name. */
  readonly annotation: string;
}

const MANAGED_BY = "app.kubernetes.io/managed-by";
const NOT_FOUND = 404;

/** The kinds that are made. */
const RESOURCES: readonly Resource[] = [
  { kind: "Service", group: "", version: "v1", namespaced: true },
  { kind: "EndpointSlice", group: "discovery.k8s.io", version: "v1", namespaced: true },
];

export class OwnedObjectClient {
  readonly #options: OwnedObjectClientOptions;

  constructor(options: OwnedObjectClientOptions) {
    this.#options = options;
  }

  /** All that this controller has made in these namespaces, as in WatchScope. Throws ApiError. */
  async list(namespaces: readonly string[]): Promise<readonly FoundObject[]> {
    const { client, fieldManager, controllerName } = this.#options;
    const found: FoundObject[] = [];
    const everywhere = namespaces.length === 0 || namespaces.includes("*");
    const places = everywhere ? [""] : new Set(namespaces);
    for (const resource of RESOURCES)
      for (const namespace of places) {
        const query = { labelSelector: `${MANAGED_BY}=${fieldManager}` };
        const list = await client.call({ path: listPath(resource, namespace), query });
        const items = isObject(list) ? listOf(list["items"]) : [];
        found.push(...items.flatMap((item) => this.#foundObject(resource.kind, item) ?? []));
      }
    return found.filter(({ madeBy }) => madeBy === controllerName);
  }

  /** Undefined when there is none. Throws ApiError. */
  async find({ kind, metadata }: OwnedObject): Promise<FoundObject | undefined> {
    return this.#get(pathOf({ kind, ...metadata }), kind);
  }

  /** The same object, if it is there still. Throws ApiError. */
  async findAgain(found: FoundObject): Promise<FoundObject | undefined> {
    const now = await this.#get(pathOf(found), found.kind);
    return now?.uid === found.uid ? now : undefined;
  }

  /** Makes no more than what identifies it; undefined when an object of that name is there. Throws ApiError. */
  async create(object: OwnedObject, ownerUid: string): Promise<FoundObject | undefined> {
    const { client, fieldManager } = this.#options;
    const { kind, metadata, skeleton } = object;
    const { name, namespace } = metadata;
    const bare = { ...object, metadata: { ...metadata, labels: {}, annotations: {} } };
    try {
      const made = await client.call({
        method: "POST",
        path: listPath(resourceOf(kind), namespace),
        query: { fieldManager },
        // Not the whole: fields of an object that was created stay when it is applied without them.
        body: this.#body({ ...bare, fields: skeleton }, ownerUid),
      });
      return this.#found(kind, made, `POST ${name}`);
    } catch (error: unknown) {
      if (error instanceof ApiError && error.reason === "AlreadyExists") return undefined;
      throw error;
    }
  }

  /**
   * Brings what was found, and nothing else of that name or of a later version, to what is given. Throws ApiError, a conflict when it
   * has changed since.
   */
  async apply(object: OwnedObject, ownerUid: string, found: FoundObject): Promise<FoundObject> {
    const { client, fieldManager } = this.#options;
    const { uid, version: resourceVersion } = found;
    const path = pathOf(found);
    const applied = await client.call({
      method: "PATCH",
      path,
      query: { fieldManager, force: "true" },
      contentType: "application/apply-patch+yaml",
      body: this.#body(object, ownerUid, { uid, resourceVersion }),
    });
    return this.#found(found.kind, applied, `PATCH ${path}`);
  }

  /** In the version that was found; throws ApiError, a conflict when it has changed since. */
  async remove(found: FoundObject): Promise<void> {
    const { uid, version: resourceVersion } = found;
    const body = { preconditions: { uid, resourceVersion } };
    try {
      await this.#options.client.call({ method: "DELETE", path: pathOf(found), body });
    } catch (error: unknown) {
      if (!(error instanceof ApiError && error.status === NOT_FOUND)) throw error;
    }
  }

  async #get(path: string, kind: string): Promise<FoundObject | undefined> {
    try {
      return this.#found(kind, await this.#options.client.call({ path }), `GET ${path}`);
    } catch (error: unknown) {
      if (error instanceof ApiError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  #body(object: OwnedObject, ownerUid: string, precondition = {}): object {
    const { fieldManager, annotation, controllerName } = this.#options;
    const { apiVersion, kind, metadata, owner, fields } = object;
    const reference = {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.name,
      uid: ownerUid,
      controller: true,
    };
    return {
      apiVersion,
      kind,
      metadata: {
        ...metadata,
        ...precondition,
        labels: { ...metadata.labels, [MANAGED_BY]: fieldManager },
        annotations: { ...metadata.annotations, [annotation]: controllerName },
        ownerReferences: [reference],
      },
      ...fields,
    };
  }

  #found(kind: string, value: unknown, call: string): FoundObject {
    const found = this.#foundObject(kind, value);
    if (found === undefined) throw new ApiError(0, "", `${call}: the answer is not an object`);
    return found;
  }

  #foundObject(kind: string, value: unknown): FoundObject | undefined {
    if (!isRawObject(value)) return undefined;
    const { metadata } = value;
    const { name, namespace = "", uid = "", resourceVersion = "", annotations } = metadata;
    const controller = controllerOf(metadata);
    return {
      ...{ kind, namespace, name, uid, version: resourceVersion },
      madeBy: own(annotations, this.#options.annotation) ?? "",
      ...(controller !== undefined && { controller }),
    };
  }
}

function pathOf({ kind, namespace, name }: Place): string {
  return objectPath(resourceOf(kind), namespace, name);
}

function resourceOf(kind: string): Resource {
  const known = RESOURCES.find((resource) => resource.kind === kind);
  if (known === undefined) throw new Error(`objects of kind ${kind} are not made`);
  return known;
}

type Place = Pick<FoundObject, "kind" | "namespace" | "name">;

function controllerOf(metadata: object): FoundObject["controller"] {
  return listOf("ownerReferences" in metadata ? metadata.ownerReferences : []).find(isController);
}

function isController(reference: unknown): reference is NonNullable<FoundObject["controller"]> {
  if (!isObject(reference)) return false;
  const { controller, kind, name, uid } = reference;
  return (
    controller === true &&
    typeof kind === "string" &&
    typeof name === "string" &&
    typeof uid === "string"
  );
}
