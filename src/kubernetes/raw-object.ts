import { isDeepStrictEqual } from "node:util";
import type { KindName } from "../api/kinds.js";
import { AGENT } from "./api-client.js";

/** An object as the API server gives it: nothing of it has been checked but that it has a name. */
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

/** Who manages which field, and what concerns garbage collection. */
const UNREAD: ReadonlySet<string> = new Set(["managedFields", "ownerReferences", "generateName"]);

/**
 * Leaves out what nobody here reads and what makes most of many objects: who manages which field, kubectl's copy of the
 * whole object, and which pod and node an endpoint is. `apiVersion` and `kind`, which lists leave out, are filled in.
 *
 * Spreads stand last in what is kept: V8 gives an object that begins with one a hidden class for itself alone, which is larger than
 * the object.
 */
export function trimmed(object: RawObject, apiVersion: string, kind: string): RawObject {
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
 * The object, with what is as it was taken from the object of before: most changes are of one field, and somebody may still hold
 * what was compiled from the other.
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

/** Of a slice's annotations and labels only the Service's name and our own mark matter; the others change all the time. */
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
/** By it OwnedObjects finds what an earlier leader made. */
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

/** Three switches: of thousands of endpoints nearly all have the same. */
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

/** Path of all objects, of one namespace when it is given. */
export function listPath(resource: Resource, namespace = ""): string {
  const inside =
    resource.namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${basePath(resource)}${inside}/${pluralOf(resource.kind)}`;
}

export function objectPath(resource: Resource, namespace: string, name: string): string {
  return `${listPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** Names of resources in paths that are not the kind's name with an English plural. */
const IRREGULAR: Readonly<Partial<Record<KindName, string>>> = {
  ALB2: "alaudaloadbalancer2",
};

/** The resource's name in the API's paths: `Ingress` → `ingresses`, `AuthPolicy` → `authpolicies`. */
export function pluralOf(kind: KindName): string {
  const name = kind.toLowerCase();
  const irregular = IRREGULAR[kind];
  if (irregular !== undefined) return irregular;
  if (name.endsWith("s")) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** Where an object is; without a namespace it belongs to the cluster. */
export interface ObjectPlace {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Names an object, whatever its version: `Ingress shop/web`. */
export function keyOf(kind: string, { namespace = "", name }: ObjectPlace): string {
  return `${kind} ${namespace}/${name}`;
}
