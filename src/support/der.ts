/** Reads and writes elements of DER (X.690, 8.1). */

/** The range of the contents of the element that begins at `at`; undefined if it exceeds the buffer. */
export function element(der: Buffer, at: number): { start: number; end: number } | undefined {
  const first = der[at + 1];
  if (first === undefined) return undefined;
  const count = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + count;
  if (count > 4 || start > der.length) return undefined;
  const length = count === 0 ? first : der.readUIntBE(at + 2, count);
  return start + length <= der.length ? { start, end: start + length } : undefined;
}

/** The contents of the elements that the contents of a constructed one consist of. */
export function elements(contents: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < contents.length;) {
    const next = element(contents, at);
    if (next === undefined) break;
    found.push(contents.subarray(next.start, next.end));
    at = next.end;
  }
  return found;
}

export const SEQUENCE = 0x30;
export const OCTET_STRING = 0x04;
export const BIT_STRING = 0x03;
const INTEGER = 0x02;

export function encoded(tag: number, ...contents: readonly Buffer[]): Buffer {
  const length = contents.reduce((sum, each) => sum + each.length, 0);
  const bytes = unsigned(BigInt(length));
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from(head), ...contents]);
}

/** Of a number that is not negative. */
export function encodedInteger(value: bigint): Buffer {
  const bytes = unsigned(value);
  const sign = (bytes[0] ?? 0) >= 0x80 ? [0] : [];
  return encoded(INTEGER, Buffer.from(sign), bytes);
}

function unsigned(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
}

/** The number that an INTEGER has as contents; undefined if it is negative. */
export function integerOf(contents: Buffer): bigint | undefined {
  const [first] = contents;
  return first === undefined || first >= 0x80 ? undefined : BigInt(`0x${contents.toString("hex")}`);
}
