import type { KindMap, KindName } from "../api/kinds.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import type { KubernetesObject } from "../api/wire.js";
import type { CloseBrokenAuth } from "./auth-shape.js";
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
  /** What an API server fills in besides the schema's defaults. */
  readonly fill?: (object: T) => T;
  /** What an API server checks beyond the schema; its defaults are there already. */
  readonly check?: (object: T) => Findings;
  /** Of kinds that hold an Auth object: sees to it that a broken one closes what it protects. */
  readonly close?: CloseBrokenAuth;
  /** Of kinds whose status is read: what of it is kept. */
  readonly status?: JsonSchema;
}

export type KindTable = { readonly [K in KindName]: KindDefinition<KindMap[K]> };

export function shape<T>(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
  readonly status?: JsonSchema;
} {
  return { schema, validate: validator<T>(schema) };
}
