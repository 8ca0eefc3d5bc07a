/**
 * The part of JSON Schema that Kubernetes calls structural: the same schema checks manifests here and, in a CustomResourceDefinition,
 * in a cluster.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export interface JsonSchema {
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  /** Value that an API server sets if the field is absent. */
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly "x-kubernetes-int-or-string"?: true;
  /** Only API servers check this. Translation closes what the object is for, with a better diagnostic. */
  readonly admission?: Pick<JsonSchema, "enum" | "pattern" | "maxItems">;
  /** Fields that are not listed are kept, without effect. */
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  /** CEL rules that API servers check. Decoding checks them in code (src/input/rules). */
  readonly "x-kubernetes-validations"?: readonly {
    readonly rule: string;
    readonly message: string;
  }[];
}

type JsonValue =
  string | number | boolean | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Keywords that are not part of JSON Schema. */
export const KUBERNETES_KEYWORDS = [
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
  "admission",
] as const satisfies readonly (keyof JsonSchema)[];

declare const VALUE: unique symbol;

/** A schema of values of type T. T exists only at compile time, so that the schema also declares the type. */
export type SchemaOf<T> = JsonSchema & { readonly [VALUE]?: T };

/** The type of the values of a schema. */
export type Static<S> = S extends { readonly [VALUE]?: infer T } ? T : unknown;

type Properties = Readonly<Record<string, JsonSchema>>;
type Fields<P extends Properties, R extends keyof P> = {
  readonly [K in R]: Static<P[K]>;
} & { readonly [K in Exclude<keyof P, R>]?: Static<P[K]> };

/** Keywords besides those of the type. */
type Facets = Omit<JsonSchema, "type" | "properties" | "items" | "additionalProperties">;

export function string(facets: Facets = {}): SchemaOf<string> {
  return { type: "string", ...facets };
}

export function oneOf(values: readonly string[], facets: Facets = {}): SchemaOf<string> {
  return { type: "string", enum: values, ...facets };
}

export function boolean(facets: Facets = {}): SchemaOf<boolean> {
  return { type: "boolean", ...facets };
}

export function integer(facets: Facets = {}): SchemaOf<number> {
  return { type: "integer", ...facets };
}

/** A TCP or UDP port. */
export function port(facets: Facets = {}): SchemaOf<number> {
  return integer({ minimum: 1, maximum: 65535, ...facets });
}

export function intOrString(facets: Facets = {}): SchemaOf<number | string> {
  return {
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
    ...facets,
  };
}

/** A switch that existing manifests write as `true` or as `"true"`. */
export function booleanOrText(facets: Facets = {}): SchemaOf<boolean | string> {
  return {
    anyOf: [{ type: "boolean" }, { type: "string" }],
    "x-kubernetes-preserve-unknown-fields": true,
    ...facets,
  };
}

export function list<S extends JsonSchema>(
  items: S,
  facets: Facets = {},
): SchemaOf<readonly Static<S>[]> {
  return { type: "array", items, ...facets };
}

export function map<S extends JsonSchema>(
  values: S,
  facets: Facets = {},
): SchemaOf<Readonly<Record<string, Static<S>>>> {
  return { type: "object", additionalProperties: values, ...facets };
}

export function object<P extends Properties, R extends keyof P & string = never>(
  properties: P,
  facets: Omit<Facets, "required"> & { readonly required?: readonly R[] } = {},
): SchemaOf<Fields<P, R>> {
  return { type: "object", properties, ...facets };
}

/** An object whose fields are not read. */
export function anyObject(facets: Facets = {}): SchemaOf<unknown> {
  return { type: "object", "x-kubernetes-preserve-unknown-fields": true, ...facets };
}

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

/** The schema of a kind, from its own fields, which are its type. `status` is not checked. */
export function objectSchema<P extends Properties, R extends keyof P & string = never>(
  fields: P,
  required: readonly R[] = [],
): SchemaOf<Fields<P, R>> {
  const schema: JsonSchema = object<Properties, string>(
    { apiVersion: string(), kind: string(), metadata: OBJECT_META, status: anyObject(), ...fields },
    { required: ["apiVersion", "kind", "metadata", ...required] },
  );
  return schema;
}
