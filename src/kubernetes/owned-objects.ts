/**
 * Makes the objects that belong to users' objects as they are to be, by server-side apply: what others set in them stays. The API
 * server removes them with their owners.
 */
import type { OwnedObject } from "../status/owned-object.js";
import type { ApiClient } from "./api-client.js";
import { basePath } from "./resource.js";

export interface OwnedObjectsOptions {
  readonly client: ApiClient;
  readonly fieldManager: string;
  /** Of an owner; undefined while it is not known, then nothing is made for it. */
  readonly uidOf: (kind: string, namespace: string, name: string) => string | undefined;
  /** Asked before each write, see StatusWriter. */
  readonly mayWrite: () => boolean;
  readonly onError: (error: unknown, object: OwnedObject) => void;
}

/** Milliseconds before what failed is tried again. */
const PAUSE = 5000;
const PLURALS: Readonly<Record<string, string>> = {
  Service: "services",
  EndpointSlice: "endpointslices",
};

export class OwnedObjects {
  readonly #options: OwnedObjectsOptions;
  /** Path → what was applied. */
  #applied: ReadonlyMap<string, string> = new Map();
  #desired: readonly OwnedObject[] = [];
  #enabled = false;
  #running: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OwnedObjectsOptions) {
    this.#options = options;
  }

  /** All that is to be. What is not among them any more, though its owner lives, goes. */
  update(objects: readonly OwnedObject[]): void {
    this.#desired = objects;
    this.#run();
  }

  /** Whether this replica writes. */
  enable(enabled: boolean): void {
    this.#enabled = enabled;
    this.#run();
  }

  async close(): Promise<void> {
    this.#enabled = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#again = true;
    if (!this.#enabled || this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = this.#reconcile().finally(() => {
      this.#running = undefined;
      if (this.#again) this.#run();
    });
  }

  async #reconcile(): Promise<void> {
    this.#again = false;
    const { client, mayWrite } = this.#options;
    if (!mayWrite()) return;
    const before = this.#applied;
    const now = new Map<string, string>();
    let complete = true;
    for (const object of this.#desired) {
      const body = this.#body(object);
      if (body === undefined) continue;
      const path = pathOf(object);
      const text = JSON.stringify(body);
      if (before.get(path) !== text && !(await this.#apply(path, body, object))) {
        complete = false;
        continue;
      }
      now.set(path, text);
    }
    for (const path of before.keys()) {
      if (now.has(path) || this.#desired.some((object) => pathOf(object) === path)) continue;
      // With its owner gone it may be gone already.
      await client.call({ method: "DELETE", path }).catch(() => undefined);
    }
    this.#applied = now;
    if (!complete) {
      this.#timer = setTimeout(() => {
        this.#run();
      }, PAUSE);
      this.#timer.unref();
    }
  }

  async #apply(path: string, body: object, object: OwnedObject): Promise<boolean> {
    const { client, fieldManager, onError } = this.#options;
    try {
      await client.call({
        method: "PATCH",
        path,
        query: { fieldManager, force: "true" },
        contentType: "application/apply-patch+yaml",
        body,
      });
      return true;
    } catch (error: unknown) {
      onError(error, object);
      return false;
    }
  }

  #body({ apiVersion, kind, metadata, owner, fields }: OwnedObject): object | undefined {
    const uid = this.#options.uidOf(owner.kind, owner.namespace, owner.name);
    if (uid === undefined) return undefined;
    const { name } = owner;
    const reference = {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name,
      uid,
      controller: true,
    };
    return { apiVersion, kind, metadata: { ...metadata, ownerReferences: [reference] }, ...fields };
  }
}

function pathOf({ apiVersion, kind, metadata }: OwnedObject): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const base = basePath({ group: group ?? "", version: version ?? "" });
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return `${base}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
}
