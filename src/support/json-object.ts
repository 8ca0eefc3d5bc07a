/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Not null, and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * No fields, to be spread before all else where thousands of objects are made: in Node 20, an object that begins with a copy of another one,
 * as `{ ...a, b }` does, gets a hidden class of its own, which takes 260 bytes and a microsecond.
 */
export const SHARED_SHAPE = {};

/** The value as an object; an empty one in place of another value. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one in place of another value. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Parses a JSON object; undefined for other JSON and for invalid text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The field of that name unless it is inherited: every object has a `constructor`, and users may choose the name.
 * https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html
 */
export function own<T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined {
  // eslint-disable-next-line albc/own-lookups -- the one place that checks whether the field is its own
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

type Field<Name extends string, T> = Readonly<Partial<Record<Name, T>>>;

/** `{ [name]: value }`, or `{}` if the value is undefined; to be spread. */
export function present<Name extends string, T>(name: Name, value: T | undefined): Field<Name, T> {
  // The compiler types a computed key as string.
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions
  return (value === undefined ? {} : { [name]: value }) as Field<Name, T>;
}

/** `{ [name]: list }`, or `{}` for an empty or absent list; to be spread. */
export function filled<Name extends string, T>(
  name: Name,
  list: readonly T[] | undefined,
): Field<Name, readonly T[]> {
  return present(name, list?.length === 0 ? undefined : list);
}
