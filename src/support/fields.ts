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

/** The function of a value that may be absent. */
export function given<T, U>(value: T | undefined, map: (value: T) => U): U | undefined {
  return value === undefined ? undefined : map(value);
}
