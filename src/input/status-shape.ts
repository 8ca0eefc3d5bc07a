/** A status is written by controllers, not by who wrote the object: what is strange in it is left out, and the object stays. */
import type { JsonSchema } from "../api/schemas/schema.js";
import { isObject } from "../support/json-object.js";

type Fields = Readonly<Record<string, unknown>>;

/** The object with what of its status has the shape of `schema`; as it was if the kind's status is not read. */
export function readStatus(schema: JsonSchema | undefined, object: Fields): Fields {
  if (schema === undefined || !Object.hasOwn(object, "status")) return object;
  const { status, ...rest } = object;
  const read = readable(schema, status);
  return read === undefined ? rest : { ...rest, status: read };
}

/** Undefined if nothing is left. Fields that the schema does not know stay. */
function readable(schema: JsonSchema, value: unknown): unknown {
  const { type, items = {} } = schema;
  if (type === "object") return isObject(value) ? readableFields(schema, value) : undefined;
  if (type === "array") {
    return Array.isArray(value)
      ? value.map((item: unknown) => readable(items, item)).filter((item) => item !== undefined)
      : undefined;
  }
  if (type === "integer") return Number.isSafeInteger(value) ? value : undefined;
  return type === undefined || typeof value === type ? value : undefined;
}

function readableFields({ properties = {}, required = [] }: JsonSchema, value: Fields): unknown {
  const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const read = property === undefined ? field : readable(property, field);
    return read === undefined ? [] : [[name, read]];
  });
  const names = new Set(entries.map(([name]) => name));
  return required.every((name) => names.has(name)) ? Object.fromEntries(entries) : undefined;
}
