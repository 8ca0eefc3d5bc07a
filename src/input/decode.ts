/**
 * A value read from text or from an API server → a typed object, or what keeps it from being one. Checks what an API
 * server would check; what the object means is decided later.
 */
import type { KindMap, KindName } from "../api/kinds.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Finding } from "./finding.js";
import { lookUpKind } from "./kind-table.js";
import type { KindTable } from "./kind-table.js";
import { isRecord } from "./record.js";

export type DecodedObject<K extends KindName = KindName> = {
  [P in K]: { readonly kind: P; readonly object: KindMap[P] };
}[K];

export type Decoded =
  | {
      readonly result: "object";
      readonly ref: ResourceRef;
      readonly decoded: DecodedObject;
      readonly findings: readonly Finding[];
    }
  /** Not served. `ref` is as complete as the value is. */
  | {
      readonly result: "refused";
      readonly ref: ResourceRef | undefined;
      readonly findings: readonly Finding[];
    }
  /** A kind that is not read; such objects are counted, not checked. */
  | { readonly result: "unknown"; readonly apiVersion: string; readonly kind: string };

export function decode(value: unknown, table: KindTable): Decoded {
  if (!isRecord(value)) return refused(undefined, [finding([], "not an object")]);
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    return refused(undefined, [finding([], "apiVersion and kind are needed")]);
  }
  const lookup = lookUpKind(table, apiVersion, kind);
  if (lookup.found === "nothing") return { result: "unknown", apiVersion, kind };
  const name = isRecord(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  const given =
    isRecord(metadata) && typeof metadata["namespace"] === "string" ? metadata["namespace"] : "";
  const namespace = lookup.row.namespaced ? given || "default" : "";
  const ref = { apiVersion, kind, namespace, name };
  if (lookup.found === "other-version")
    return refused(ref, [finding(["apiVersion"], "other version")]);
  if (name === "") return refused(ref, [finding(["metadata", "name"], "no name")]);
  const object = {
    ...value,
    metadata: { ...(isRecord(metadata) ? metadata : {}), name, namespace },
  };
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- replaced by ajv's guard next
  const decoded = { kind: lookup.kind, object } as unknown as DecodedObject;
  return { result: "object", ref, decoded, findings: [] };
}

function finding(field: Finding["field"], message: string): Finding {
  return { code: "FIELD_INVALID", field, message };
}

function refused(ref: ResourceRef | undefined, findings: readonly Finding[]): Decoded {
  return { result: "refused", ref, findings };
}
