/** What every Kubernetes object has. */
import { anyObject, boolean, integer, list, map, object, string } from "./schema.js";
import type { JsonSchema } from "./schema.js";

export const GATEWAY_GROUP = "gateway.networking.k8s.io";

const OWNER_REFERENCE = object(
  {
    apiVersion: string(),
    kind: string(),
    name: string(),
    uid: string(),
    controller: boolean(),
    blockOwnerDeletion: boolean(),
  },
  { required: ["apiVersion", "kind", "name", "uid"] },
);

const OBJECT_META = object(
  {
    name: string(),
    generateName: string(),
    namespace: string(),
    uid: string(),
    generation: integer(),
    resourceVersion: string(),
    selfLink: string(),
    creationTimestamp: string(),
    deletionTimestamp: string(),
    deletionGracePeriodSeconds: integer(),
    labels: map(string()),
    annotations: map(string()),
    finalizers: list(string()),
    ownerReferences: list(OWNER_REFERENCE),
    managedFields: list(anyObject()),
  },
  { required: ["name"] },
);

/** The schema of a kind from its own fields; `status` is for controllers and is not checked. */
export function objectSchema(
  fields: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return object<Readonly<Record<string, JsonSchema>>, string>(
    { apiVersion: string(), kind: string(), metadata: OBJECT_META, status: anyObject(), ...fields },
    { required: ["apiVersion", "kind", "metadata", ...required] },
  );
}
