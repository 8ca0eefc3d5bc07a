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
  readonly value: unknown;
  /** Names that the place knows. */
  readonly known: readonly string[];
  /** Those of them that it lacks. */
  readonly absent: readonly string[];
  /** The only place below its neighbours, in the nearest level, that has a field of this name (`rules[].http`): it may stand too high. */
  readonly parent?: string;
  /** The place keeps fields that it does not know, on purpose. */
  readonly preserved: boolean;
}

/**
 * `value` is the given one itself if nothing changes, so that the many objects of an API server are not copied. `isLost`: whether a null
 * field has lost its value; such a null stays, and validation refuses it.
 */
export function conform(
  schema: JsonSchema,
  value: unknown,
  isLost: (name: string) => boolean = () => false,
): { readonly value: unknown; readonly unknown: readonly UnknownField[] } {
  const visitor = new ConformVisitor(isLost);
  return { value: visitor.visit(schema, value), unknown: visitor.unknown };
}

class ConformVisitor {
  readonly unknown: UnknownField[] = [];
  /** The place of the value that is visited; copied only where something is reported. */
  readonly #field: (string | number)[] = [];
  readonly #isLost: (name: string) => boolean;

  constructor(isLost: (name: string) => boolean) {
    this.#isLost = isLost;
  }

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
    const unknown: string[] = [];
    for (const key of Object.keys(object)) {
      const known = own(properties, key);
      const value = own(object, key);
      if (known !== undefined && value !== null) {
        const next = this.#step(key, known, value);
        if (next !== value) (copy ??= { ...SHARED_SHAPE, ...object })[key] = next;
        continue;
      }
      if (known === undefined) unknown.push(key);
      const stays = known === undefined ? isPreserving(schema) : this.#isLost(key);
      if (!stays) Reflect.deleteProperty((copy ??= { ...SHARED_SHAPE, ...object }), key);
    }
    this.#reportUnknown(schema, object, unknown);
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

  #reportUnknown(schema: JsonSchema, object: JsonObject, keys: readonly string[]): void {
    if (keys.length === 0) return;
    const { properties = {} } = schema;
    const known = Object.keys(properties);
    const absent = known.filter((name) => (own(object, name) ?? null) === null);
    const place = { known, absent, preserved: isPreserving(schema) };
    const parents = parentsIn(properties);
    for (const key of keys) {
      this.unknown.push({
        ...present("parent", parents.get(key)),
        ...place,
        field: [...this.#field, key],
        value: own(object, key),
      });
    }
  }
}

/** Levels in which a parent is looked for; further away a name says little. */
const PARENT_LEVELS = 3;

/** By the names of fields below: the only path to each in the nearest level that has it, undefined if there are several. Made once. */
const parentsIn = memoized((properties: Properties): ReadonlyMap<string, string | undefined> => {
  const parents = new Map<string, string | undefined>();
  let level: readonly (readonly [path: string, Properties])[] = [["", properties]];
  for (let depth = 0; depth < PARENT_LEVELS; depth += 1) {
    level = level.flatMap(([path, fields]) => childrenOf(path, fields));
    const found = new Map<string, string | undefined>();
    for (const [path, fields] of level)
      for (const name of Object.keys(fields)) found.set(name, found.has(name) ? undefined : path);
    for (const [name, path] of found) if (!parents.has(name)) parents.set(name, path);
  }
  return parents;
});

type Properties = Readonly<Record<string, JsonSchema>>;

/** The fields of mappings and of items of lists, with their paths. */
function childrenOf(path: string, fields: Properties): readonly (readonly [string, Properties])[] {
  return Object.entries(fields).map(([name, { items, properties = {} }]) => {
    const inner = path === "" ? name : `${path}.${name}`;
    return items === undefined ? [inner, properties] : [`${inner}[]`, items.properties ?? {}];
  });
}

function isPreserving(schema: JsonSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

/** The properties that have a default. */
const withDefault = memoized((properties: Readonly<Record<string, JsonSchema>>) =>
  Object.entries(properties).filter(([, property]) => property.default !== undefined),
);

/**
 * Warnings about fields that a kind does not have. Where unknown fields are kept on purpose, only those count that look
 * like a known one misspelt.
 */
export function unknownFieldReports(unknown: readonly UnknownField[]): readonly Report[] {
  return unknown.flatMap((each) => {
    const { field, known, preserved } = each;
    const hint = unknownFieldHint(field, known) ?? parentHint(each);
    if (preserved && hint === undefined) return [];
    const message = `${noField(field)}; it is ignored`;
    return [{ code: "FIELD_UNKNOWN", message, field, at: "key", ...present("hint", hint) }];
  });
}

/** How messages say that a field is unknown. */
export function noField(field: FieldPath): string {
  const parent = formatFieldPath(field.slice(0, -1));
  return `${parent === "" ? "the object" : parent} has no field ${String(field.at(-1))}`;
}

export function unknownFieldHint(field: FieldPath, known: readonly string[]): string | undefined {
  const near = didYouMean(String(field.at(-1)), known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** Advice for a field that stands too high. */
export function parentHint({ field, parent }: UnknownField): string | undefined {
  return parent === undefined ? undefined : `put ${String(field.at(-1))} below ${parent}`;
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
