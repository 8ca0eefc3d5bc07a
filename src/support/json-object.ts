/** A JSON object of which nothing else is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Not null, and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The object that a text is; undefined for other JSON, and for what is none. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The field of that name, unless it is inherited: every object has a `constructor`, and the name may be a user's.
 * https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html
 */
export function own<T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined {
  // eslint-disable-next-line albc/own-lookups -- the one place that looks whether the field is its own
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Optional fields: absent values and empty lists are left out. */

type Field<Name extends string, T> = Readonly<Partial<Record<Name, T>>>;

/** `{ [name]: value }`, or nothing when there is none; to be spread. */
export function present<Name extends string, T>(name: Name, value: T | undefined): Field<Name, T> {
  // A computed key has the type string for the compiler; it is the one that was passed.
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions
  return (value === undefined ? {} : { [name]: value }) as Field<Name, T>;
}

/** `{ [name]: list }`, or nothing for an empty or absent list; to be spread. */
export function filled<Name extends string, T>(
  name: Name,
  list: readonly T[] | undefined,
): Field<Name, readonly T[]> {
  return present(name, list?.length === 0 ? undefined : list);
}
