/** A status is written by controllers, not by who wrote the object: what is strange in it is left out, and the object stays. */
import type { JsonSchema } from "../api/schemas/schema.js";
import { isObject } from "../support/json-object.js";
import { sameElements } from "../support/same-elements.js";
import { own } from "../support/own.js";

type Fields = Readonly<Record<string, unknown>>;

/** The object with what of its status has the shape of `schema`; as it was if the kind's status is not read. */
export function readStatus(schema: JsonSchema | undefined, object: Fields): Fields {
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

function readableFields({ properties = {}, required = [] }: JsonSchema, value: Fields): unknown {
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
