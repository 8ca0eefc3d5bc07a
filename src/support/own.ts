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
