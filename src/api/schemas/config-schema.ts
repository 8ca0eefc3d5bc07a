/** core/v1 Secret, ConfigMap and Namespace. */
import { objectSchema } from "./object-schema.js";
import { boolean, list, map, object, string } from "./schema.js";

export const SECRET_SCHEMA = objectSchema({
  type: string(),
  immutable: boolean(),
  data: map(string()),
  stringData: map(string()),
});

export const CONFIG_MAP_SCHEMA = objectSchema({
  immutable: boolean(),
  data: map(string()),
  binaryData: map(string()),
});

export const NAMESPACE_SCHEMA = objectSchema({ spec: object({ finalizers: list(string()) }) });
