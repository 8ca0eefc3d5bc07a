import { isDeepStrictEqual } from "node:util";
import type { KindName } from "../api/kinds.js";
import { listOf } from "../status/object-status.js";
import { isObject } from "../support/json-object.js";
import {
  type ApiCall,
  type ApiClient,
  AGENT,
  ApiError,
  ifExists,
  ifNotFound,
} from "./api-client.js";

/** An object as the API server sends it. Only its name has been checked. */
export interface RawObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Fields of metadata about who manages which field, and about garbage collection. */
const UNREAD: ReadonlySet<string> = new Set(["managedFields", "ownerReferences", "generateName"]);

/**
 * The object without large parts that albc does not read: managed fields, kubectl's copy of the whole object, and the pod and node of an
 * endpoint. `apiVersion` and `kind`, which are missing in lists, are added.
 *
 * Literals start with a named field: V8 gives an object that starts with a spread a hidden class of its own, which is larger than the
 * object.
 */
export function keptParts(object: RawObject, apiVersion: string, kind: string): RawObject {
  const lean = kind === "EndpointSlice" ? trimmedSlice(object) : object;
  const { metadata, apiVersion: _version, kind: _kind, ...fields } = lean;
  const { name, annotations, ...more } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== LAST_APPLIED);
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...Object.fromEntries(Object.entries(more).filter(([key]) => !UNREAD.has(key))),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
    ...fields,
  };
}

/**
 * The object, sharing equal fields with its previous state: most changes are of one field, and what was compiled from the previous state
 * may still be in memory.
 */
export function sharing(object: RawObject, before: RawObject | undefined): RawObject {
  if (before === undefined) return object;
  const { metadata, ...fields } = object;
  const { name, ...more } = metadata;
  return {
    metadata: { name, ...sharingFields(more, before.metadata) },
    ...sharingFields(fields, before),
  };
}

function sharingFields(object: object, before: object): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(object).map(([field, value]: [string, unknown]) => {
      const known = old.get(field);
      return [field, isDeepStrictEqual(value, known) ? known : value];
    }),
  );
}

/** Keeps only the Service's name and our own mark of a slice's labels: annotations and other labels change all the time. */
function trimmedSlice(object: RawObject): RawObject {
  const { annotations: _annotations, labels, ...metadata } = object.metadata;
  const endpoints: unknown = object["endpoints"];
  return {
    ...object,
    metadata: { ...metadata, ...(labels && { labels: usefulLabels(labels) }) },
    ...(Array.isArray(endpoints) && { endpoints: endpoints.map(trimmedEndpoint) }),
  };
}

const SERVICE_NAME = "kubernetes.io/service-name";
/** OwnedObjects finds what an earlier leader made by this label. */
export const MANAGED_BY = "app.kubernetes.io/managed-by";

function usefulLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { [SERVICE_NAME]: name, [MANAGED_BY]: manager } = labels;
  return {
    ...(name !== undefined && { [SERVICE_NAME]: name }),
    ...(manager === AGENT && { [MANAGED_BY]: manager }),
  };
}

function trimmedEndpoint(endpoint: unknown): unknown {
  if (typeof endpoint !== "object" || endpoint === null) return endpoint;
  const { addresses, conditions }: { addresses?: unknown; conditions?: unknown } = endpoint;
  return { addresses, ...(conditions !== undefined && { conditions: shared(conditions) }) };
}

/** Nearly all of thousands of endpoints have the same conditions, so they share one object. */
const known = new Map<string, unknown>();
const MOST_KNOWN = 64;

function shared(conditions: unknown): unknown {
  const text = JSON.stringify(conditions);
  const same = known.get(text);
  if (same !== undefined) return same;
  if (known.size < MOST_KNOWN) known.set(text, conditions);
  return conditions;
}

export function isRawObject(value: unknown): value is RawObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value;
  if (typeof metadata !== "object" || metadata === null || !("name" in metadata)) return false;
  return typeof metadata.name === "string";
}

/** The object at a path; undefined if there is none. Throws ApiError. */
export async function getObject(
  client: Pick<ApiClient, "call">,
  path: string,
  more: Pick<ApiCall, "deadline"> = {},
): Promise<RawObject | undefined> {
  const answer = await client.call({ path, ...more }).catch(ifNotFound);
  return answer === null ? undefined : mustBeObject(answer, path);
}

/** The object at a path, which is created from `body` if there is none. Throws ApiError. */
export async function getOrCreateObject(
  client: Pick<ApiClient, "call">,
  path: string,
  body: object,
): Promise<RawObject> {
  const found = await getObject(client, path);
  if (found !== undefined) return found;
  const list = path.slice(0, path.lastIndexOf("/"));
  const call = { method: "POST", path: list, query: { fieldManager: AGENT }, body } as const;
  const created = await client.call(call).catch(ifExists);
  if (created !== null) return mustBeObject(created, path);
  // Another client has created it in between.
  const others = await getObject(client, path);
  if (others === undefined) throw new ApiError(409, "", `${path}: created and removed at once`);
  return others;
}

/** Server-side apply: the API server restores the fields of `body`, and removes those of our previous body. Throws ApiError. */
export async function applyObject(
  client: Pick<ApiClient, "call">,
  path: string,
  body: object,
): Promise<RawObject> {
  const query = { fieldManager: AGENT, force: "true" };
  const contentType = "application/apply-patch+yaml";
  return mustBeObject(await client.call({ method: "PATCH", path, query, contentType, body }), path);
}

/** Deletes this version of an object, if it still exists. Throws ApiError. */
export async function deleteObject(
  client: Pick<ApiClient, "call">,
  path: string,
  { metadata: { uid, resourceVersion } }: RawObject,
): Promise<void> {
  const body = { preconditions: { uid, resourceVersion } };
  await client.call({ method: "DELETE", path, body }).catch(ifNotFound);
}

/** The owner reference that is marked as controller. */
export function controllerOf({
  metadata,
}: RawObject): Readonly<Record<string, unknown>> | undefined {
  const references = listOf("ownerReferences" in metadata ? metadata.ownerReferences : []);
  return references.filter(isObject).find(({ controller }) => controller === true);
}

function mustBeObject(answer: unknown, path: string): RawObject {
  if (isRawObject(answer)) return answer;
  throw new ApiError(0, "", `${path}: the answer is not an object`);
}

/** A kind as the API server serves it. */
export interface Resource {
  readonly kind: KindName;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
}

/** `v1`, `gateway.networking.k8s.io/v1`. */
export function apiVersionOf({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Path of the group's version, such as `/api/v1`. */
export function basePath({ group, version }: Pick<Resource, "group" | "version">): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Path of all objects, or of those of one namespace. */
export function listPath(resource: Resource, namespace = ""): string {
  const inside =
    resource.namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${basePath(resource)}${inside}/${pluralOf(resource.kind)}`;
}

export function objectPath(resource: Resource, namespace: string, name: string): string {
  return `${listPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** Resources whose name in paths is not the English plural of the kind. */
const IRREGULAR: Readonly<Partial<Record<KindName, string>>> = {
  ALB2: "alaudaloadbalancer2",
};

/** Name of the resource in paths: `Ingress` → `ingresses`, `AuthPolicy` → `authpolicies`. */
export function pluralOf(kind: KindName): string {
  const name = kind.toLowerCase();
  const irregular = IRREGULAR[kind];
  if (irregular !== undefined) return irregular;
  if (name.endsWith("s")) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** Identifies an object of any version, such as `Ingress shop/web`. Objects of the cluster have no namespace. */
export function objectKey(
  kind: string,
  { namespace = "", name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return `${kind} ${namespace}/${name}`;
}
