/**
 * What an API server fills in by the defaults of a schema, before it checks the object.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
import type { JsonSchema } from "../api/schemas/schema.js";
import { isObject } from "../support/json-object.js";
import { own } from "../support/own.js";

type Fields = Readonly<Record<string, unknown>>;

/** The value itself where nothing was missing. */
export function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (!fillsIn(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : filledList(items, value);
  }
  if (!isObject(value)) return value;
  const filled = filledFields(schema.properties ?? {}, value);
  return schema.additionalProperties === undefined
    ? filled
    : filledMap(schema.additionalProperties, filled);
}

function filledList(items: JsonSchema, list: readonly unknown[]): readonly unknown[] {
  const filled = list.map((item) => withDefaults(items, item));
  return filled.some((item, i) => item !== list[i]) ? filled : list;
}

function filledFields(properties: Readonly<Record<string, JsonSchema>>, object: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!fillsIn(property)) continue;
    const given = Object.hasOwn(object, name) ? own(object, name) : property.default;
    const filled = given === undefined ? undefined : withDefaults(property, given);
    if (filled !== undefined && (filled !== given || !Object.hasOwn(object, name))) {
      (copy ??= { ...object })[name] = filled;
    }
  }
  return copy ?? object;
}

function filledMap(values: JsonSchema, map: Fields): Fields {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, withDefaults(values, value)]),
  );
}

const filling = new WeakMap<JsonSchema, boolean>();

/** Whether there is a default somewhere in the schema; most kinds have none and are not walked through. */
function fillsIn(schema: JsonSchema): boolean {
  let fills = filling.get(schema);
  if (fills === undefined) {
    const { items, additionalProperties, properties = {} } = schema;
    fills =
      schema.default !== undefined ||
      (items !== undefined && fillsIn(items)) ||
      (additionalProperties !== undefined && fillsIn(additionalProperties)) ||
      Object.values(properties).some(fillsIn);
    filling.set(schema, fills);
  }
  return fills;
}
