/** The fields of Gateway API's CRDs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { gatewayApi } from "./gateway-api.js";

const CRDS = "config/crd/experimental/gateway.networking.k8s.io_";

interface Schema {
  readonly enum?: readonly (string | number)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/**
 * Every field of `spec` that has no fields of its own, as `kubectl explain` writes it (`rules.matches.path.type`), of version v1 in
 * the experimental channel. `plural`: of the kind, lower case.
 */
export function crdFields(plural: string): readonly string[] {
  return leaves(specSchema(plural), []);
}

export interface EnumField {
  /** Below `spec`; `*` stands for the items of a list. */
  readonly path: readonly string[];
  readonly values: readonly (string | number)[];
}

/** Every field of `spec` that has a closed set of values, of version v1 in the experimental channel. */
export function crdEnums(plural: string): readonly EnumField[] {
  return enums(specSchema(plural), []);
}

function specSchema(plural: string): Schema {
  const file = join(gatewayApi("api"), `${CRDS}${plural}.yaml`);
  const { spec } = load(readFileSync(file, "utf8")) as Definition;
  const version = spec.versions.find(({ name }) => name === "v1");
  return version?.schema.openAPIV3Schema.properties?.["spec"] ?? {};
}

function enums(schema: Schema, path: readonly string[]): readonly EnumField[] {
  const { properties = {}, items, enum: values } = schema;
  return [
    ...(values === undefined ? [] : [{ path, values }]),
    ...(items === undefined ? [] : enums(items, [...path, "*"])),
    ...Object.entries(properties).flatMap(([name, field]) => enums(field, [...path, name])),
  ];
}

function leaves(schema: Schema, path: readonly string[]): readonly string[] {
  const { properties, items } = schema;
  if (items !== undefined) return leaves(items, path);
  if (properties === undefined) return [path.join(".")];
  return Object.entries(properties).flatMap(([name, field]) => leaves(field, [...path, name]));
}
