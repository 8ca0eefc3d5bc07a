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
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Leaves out what nobody here reads and what makes most of many objects: who manages which field, and kubectl's copy of the
 * whole object. `apiVersion` and `kind`, which lists leave out, are filled in.
 */
export function trimmed(object: RawObject, apiVersion: string, kind: string): RawObject {
  const { name, annotations, ...metadata } = object.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== LAST_APPLIED);
  return {
    ...object,
    apiVersion,
    kind,
    metadata: {
      ...without(metadata, "managedFields"),
      name,
      ...(annotations !== undefined && { annotations: Object.fromEntries(kept) }),
    },
  };
}

function without(fields: object, dropped: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== dropped));
}

export function isRawObject(value: unknown): value is RawObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value;
  if (typeof metadata !== "object" || metadata === null || !("name" in metadata)) return false;
  return typeof metadata.name === "string";
}
