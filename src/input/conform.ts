/** What an API server does with a value before it checks it: drops unknown fields and nulls, and notices the former. */
import type { JsonSchema } from "../api/schemas/schema.js";
import type { FieldPath } from "../diagnostics/field-path.js";
import { isObject } from "../support/json-object.js";
import { own } from "../support/own.js";

type Fields = Readonly<Record<string, unknown>>;

export interface UnknownField {
  readonly field: FieldPath;
  readonly value: unknown;
  /** Names that the place knows. */
  readonly known: readonly string[];
  /** Those of them that it lacks. */
  readonly absent: readonly string[];
  /** The place keeps fields that it does not know, on purpose. */
  readonly preserved: boolean;
}

export interface Conformed {
  /** The value itself where nothing had to be dropped. */
  readonly value: unknown;
  readonly unknown: readonly UnknownField[];
}

/** `isLost`: whether a field without a value has lost one; such nulls stay, and no type has them. */
export function conform(
  schema: JsonSchema,
  value: unknown,
  isLost: (name: string) => boolean = () => false,
): Conformed {
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

  #visitMap(values: JsonSchema, map: Fields): Fields {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(map)) {
      const next = this.#step(key, values, own(map, key));
      if (next !== own(map, key)) (copy ??= { ...map })[key] = next;
    }
    return copy ?? map;
  }

  #visitFields(schema: JsonSchema, object: Fields): Fields {
    const properties = schema.properties ?? {};
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(object)) {
      const known = own(properties, key);
      if (known === undefined) {
        this.#reportUnknown(schema, object, key);
        if (schema["x-kubernetes-preserve-unknown-fields"] === true) continue;
        copy ??= { ...object };
        Reflect.deleteProperty(copy, key);
      } else if (own(object, key) === null) {
        if (this.#isLost(key)) continue;
        copy ??= { ...object };
        Reflect.deleteProperty(copy, key);
      } else {
        const next = this.#step(key, known, own(object, key));
        if (next !== own(object, key)) (copy ??= { ...object })[key] = next;
      }
    }
    return copy ?? object;
  }

  #step(step: string | number, schema: JsonSchema, value: unknown): unknown {
    this.#field.push(step);
    const next = this.visit(schema, value);
    this.#field.pop();
    return next;
  }

  #reportUnknown(schema: JsonSchema, object: Fields, key: string): void {
    const known = Object.keys(schema.properties ?? {});
    this.unknown.push({
      field: [...this.#field, key],
      value: own(object, key),
      known,
      absent: known.filter((name) => own(object, name) === undefined || own(object, name) === null),
      preserved: schema["x-kubernetes-preserve-unknown-fields"] === true,
    });
  }
}
