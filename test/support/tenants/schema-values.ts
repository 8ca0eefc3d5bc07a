/** Random values from the schemas that objects are read by, so a field that a schema gains is generated without being listed here. */
import type { JsonSchema } from "../../../src/api/schemas/schema.js";
import { fc } from "../fast-check.js";
import type { Json } from "../hostile-input.js";

/** Values by the end of a field's path: `secretName`, or `tls.mode` where the last name says too little; `*` is an item. */
export type Values = Readonly<Record<string, fc.Arbitrary<Json> | undefined>>;

type Fields = Readonly<Record<string, Json>>;

export class SchemaValues {
  readonly #values: Values;
  /** For a text field without values of its own: those that its schema takes. */
  readonly #texts: readonly string[];

  constructor(values: Values, texts: readonly string[]) {
    this.#values = values;
    this.#texts = texts;
  }

  /** With `near` most fields stay as they are there. */
  of(schema: JsonSchema, path: readonly string[], near?: Json): fc.Arbitrary<Json> {
    const fresh = this.#given(path) ?? this.#fresh(schema, path);
    if (near === undefined) return fresh;
    const kept = this.#near(schema, path, near);
    return fc.oneof({ weight: 40, arbitrary: kept }, { weight: 1, arbitrary: fresh });
  }

  /** Text fields for which there is no value. */
  missing(schema: JsonSchema, path: readonly string[]): readonly string[] {
    if (this.#given(path) !== undefined) return [];
    const { properties = {}, items, additionalProperties } = schema;
    return [
      ...(schema.type === "string" && this.#accepted(schema).length === 0 ? [path.join(".")] : []),
      ...Object.entries(properties).flatMap(([name, field]) =>
        this.missing(field, [...path, name]),
      ),
      ...[items, additionalProperties].flatMap((each) =>
        each === undefined ? [] : this.missing(each, [...path, "*"]),
      ),
    ];
  }

  #given(path: readonly string[]): fc.Arbitrary<Json> | undefined {
    const ends = [3, 2, 1].map((length) => path.slice(-length).join("."));
    return ends.map((end) => this.#values[end]).find((each) => each !== undefined);
  }

  #fresh(schema: JsonSchema, path: readonly string[]): fc.Arbitrary<Json> {
    switch (schema.type ?? "string") {
      case "object":
        return this.#object(schema, path, {});
      case "array":
        return fc.array(this.#item(schema, path), {
          minLength: Math.max(1, schema.minItems ?? 0),
          maxLength: 2,
        });
      case "boolean":
        return fc.boolean();
      case "integer":
      case "number":
        return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 100 });
      case "string":
        return fc.constantFrom(...this.#accepted(schema));
    }
  }

  #near(schema: JsonSchema, path: readonly string[], near: Json): fc.Arbitrary<Json> {
    if (Array.isArray(near)) {
      const items = near.map((item: Json) => this.of(schema.items ?? {}, [...path, "*"], item));
      return fc.tuple(...items);
    }
    if (schema.properties === undefined || typeof near !== "object" || near === null)
      return fc.constant(near);
    return this.#object(schema, path, near as Fields);
  }

  #object(schema: JsonSchema, path: readonly string[], near: Fields): fc.Arbitrary<Json> {
    const { properties = {}, required = [] } = schema;
    const usual = Object.keys(near).length === 0 ? 2 : 20;
    const fields = Object.entries(properties).map(([name, field]) => {
      const value = this.of(field, [...path, name], near[name]);
      return required.includes(name)
        ? ([name, value] as const)
        : ([
            name,
            fc.oneof(
              { weight: near[name] === undefined ? usual : 1, arbitrary: fc.constant(undefined) },
              { weight: near[name] === undefined ? 1 : 40, arbitrary: value },
            ),
          ] as const);
    });
    return fc
      .record<Record<string, Json>>(Object.fromEntries(fields))
      .map((record) =>
        Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
      );
  }

  #item({ items = {} }: JsonSchema, path: readonly string[]): fc.Arbitrary<Json> {
    return this.of(items, [...path, "*"]);
  }

  #accepted({ enum: values, pattern, minLength = 0, maxLength, default: usual }: JsonSchema) {
    if (values !== undefined) return values;
    const texts = typeof usual === "string" ? [usual, ...this.#texts] : this.#texts;
    return texts.filter(
      (text) =>
        text.length >= minLength &&
        text.length <= (maxLength ?? Infinity) &&
        new RegExp(pattern ?? "").test(text),
    );
  }
}
