import type { KindMap, KindName } from "../api/kinds.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import type { KubernetesObject } from "../api/wire.js";
import type { Findings } from "./finding.js";
import type { NameRule } from "./rules/names.js";
import { validator } from "./validator.js";
import type { Validate } from "./validator.js";

/** How one kind is read. */
export interface KindDefinition<T extends KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string;
  /** Best first. */
  readonly versions: readonly string[];
  /** Groups that served the kind once; their manifests get told where it is now. */
  readonly formerGroups?: readonly string[];
  readonly namespaced: boolean;
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
  readonly name: NameRule;
  /** What an API server fills in. */
  readonly fill?: (object: T) => T;
  /** What an API server checks beyond the schema, before filling in. */
  readonly check?: (object: T) => Findings;
  /** Holds an Auth object at spec.config.auth. */
  readonly auth?: true;
}

export type KindTable = { readonly [K in KindName]: KindDefinition<KindMap[K]> };

export function shape<T>(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
} {
  return { schema, validate: validator<T>(schema) };
}
