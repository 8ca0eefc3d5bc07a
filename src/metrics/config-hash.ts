/** Hexadecimal digits that a double holds exactly. */
const DIGITS = 12;

/** A number that differs, in all likelihood, whenever the version of a policy does: metrics hold numbers only. */
export function configHash(version: string): number {
  const digits = version.slice(0, DIGITS);
  return /^[0-9a-f]+$/.test(digits) ? Number.parseInt(digits, 16) : 0;
}
