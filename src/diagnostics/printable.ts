/** What a terminal would obey instead of showing: control characters, and marks that turn the direction of writing. */
// eslint-disable-next-line no-control-regex -- control characters are what it is for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text with what a terminal would obey written out as `\u001b`. */
export function printable(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text with each such character as one `�`, tabs kept, so that columns stay. */
export function printableInPlace(text: string): string {
  return text.replace(CONTROL, (char) => (char === "\t" ? char : "\ufffd"));
}
