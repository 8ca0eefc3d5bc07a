/**
 * What an API server does with a value before it checks it: drops unknown fields and nulls, and fills in defaults.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
import type { JsonSchema } from "../api/schemas/schema.js";
import { type FieldPath, formatFieldPath } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../support/did-you-mean.js";
import { SHARED_SHAPE, type JsonObject, isObject, own, present } from "../support/json-object.js";
import { memoized, sameElements } from "../support/collections.js";
import type { Report } from "../diagnostics/sink.js";

export interface UnknownField {
  readonly field: FieldPath;
  /** Names that the place knows. */
  readonly known: readonly string[];
}

/** `value` is the given one itself if nothing changes, so that the many objects of an API server are not copied. */
export function conform(
  schema: JsonSchema,
  value: unknown,
): { readonly value: unknown; readonly unknown: readonly UnknownField[] } {
  const visitor = new ConformVisitor();
  return { value: visitor.visit(schema, value), unknown: visitor.unknown };
}

class ConformVisitor {
  readonly unknown: UnknownField[] = [];
  /** The place of the value that is visited; copied only where something is reported. */
  readonly #field: (string | number)[] = [];

  visit(schema: JsonSchema, value: unknown): unknown {
    if (Array.isArray(value)) return this.#visitList(schema.items, value);
    if (!isObject(value)) return value;
    if (schema.properties !== undefined) return this.#visitFields(schema, value);
    return schema.additionalProperties === undefined
      ? value
      : this.#visitMap(schema.additionalProperties, value);
  }

  #visitList(items: JsonSchema | undefined, list: readonly unknown[]): readonly unknown[] {
    if (items === undefined) return list;
    let copy: unknown[] | undefined;
    for (const [i, item] of list.entries()) {
      const next = this.#step(i, items, item);
      if (next !== item) (copy ??= [...list])[i] = next;
    }
    return copy ?? list;
  }

  #visitMap(values: JsonSchema, map: JsonObject): JsonObject {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(map)) {
      const next = this.#step(key, values, own(map, key));
      if (next !== own(map, key)) (copy ??= { ...SHARED_SHAPE, ...map })[key] = next;
    }
    return copy ?? map;
  }

  #visitFields(schema: JsonSchema, object: JsonObject): JsonObject {
    const properties = schema.properties ?? {};
    let copy: Record<string, unknown> | undefined;
    let names: readonly string[] | undefined;
    for (const key of Object.keys(object)) {
      const known = own(properties, key);
      const value = own(object, key);
      if (known !== undefined && value !== null) {
        const next = this.#step(key, known, value);
        if (next !== value) (copy ??= { ...SHARED_SHAPE, ...object })[key] = next;
        continue;
      }
      Reflect.deleteProperty((copy ??= { ...SHARED_SHAPE, ...object }), key);
      if (known !== undefined) continue;
      names ??= Object.keys(properties);
      this.unknown.push({ field: [...this.#field, key], known: names });
    }
    return this.#withDefaults(properties, copy ?? object);
  }

  #withDefaults(properties: Readonly<Record<string, JsonSchema>>, object: JsonObject): JsonObject {
    const absent = withDefault(properties).filter(([name]) => own(object, name) === undefined);
    if (absent.length === 0) return object;
    const filled: Record<string, unknown> = { ...SHARED_SHAPE, ...object };
    for (const [name, property] of absent)
      filled[name] = this.#step(name, property, property.default);
    return filled;
  }

  #step(step: string | number, schema: JsonSchema, value: unknown): unknown {
    this.#field.push(step);
    const next = this.visit(schema, value);
    this.#field.pop();
    return next;
  }
}

/** The properties that have a default. */
const withDefault = memoized((properties: Readonly<Record<string, JsonSchema>>) =>
  Object.entries(properties).filter(([, property]) => property.default !== undefined),
);

/** Fields that a kind does not have, which an API server with strict field validation refuses. */
export function unknownFieldReports(unknown: readonly UnknownField[]): readonly Report[] {
  return unknown.map(({ field, known }) => {
    const parent = formatFieldPath(field.slice(0, -1));
    const name = String(field.at(-1));
    const message = `${parent === "" ? "the object" : parent} has no field ${name}`;
    const near = didYouMean(name, known);
    const hint = near === undefined ? undefined : `did you mean ${near}?`;
    return { code: "FIELD_UNKNOWN", message, field, at: "key", ...present("hint", hint) };
  });
}

/**
 * The object with the part of its status that has the shape of `schema`; unchanged without a schema. Controllers write the status, not the
 * user, so a malformed one does not refuse the object.
 */
export function readStatus(schema: JsonSchema | undefined, object: JsonObject): JsonObject {
  if (schema === undefined || !Object.hasOwn(object, "status")) return object;
  const { status, ...rest } = object;
  const read = readable(schema, status);
  if (read === status) return object;
  return read === undefined ? rest : { ...rest, status: read };
}

/** The value itself if all is well, undefined if nothing is left. Fields that the schema does not know stay. */
function readable(schema: JsonSchema, value: unknown): unknown {
  const { type, items = {} } = schema;
  if (type === "object") return isObject(value) ? readableFields(schema, value) : undefined;
  if (type === "array") {
    if (!Array.isArray(value)) return undefined;
    const list: readonly unknown[] = value;
    const read = list.map((item) => readable(items, item)).filter((item) => item !== undefined);
    return sameElements(read, list) ? list : read;
  }
  if (type === "integer") return Number.isSafeInteger(value) ? value : undefined;
  return type === undefined || typeof value === type ? value : undefined;
}

function readableFields(
  { properties = {}, required = [] }: JsonSchema,
  value: JsonObject,
): unknown {
  const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const property = own(properties, name);
    const read = property === undefined ? field : readable(property, field);
    return read === undefined ? [] : [[name, read]];
  });
  const names = new Set(entries.map(([name]) => name));
  if (!required.every((name) => names.has(name))) return undefined;
  const isWhole =
    names.size === Object.keys(value).length &&
    entries.every(([name, read]) => read === own(value, name));
  return isWhole ? value : Object.fromEntries(entries);
}
