/** What follows a line break where a document begins, wherever that is (YAML 1.2.2, section 9.1.2). */
const DOCUMENT_START = /[\r\n]---(?=[ \t\r\n]|$)/g;
const LINE_BREAK = /\r\n|\n|\r/g;

/** Characters. A parser takes longer to begin than to read so few, and no object is shorter. */
const SMALL = 40;

/**
 * Cuts a text before its `---` lines, so that a change parses only its own documents again; tiny documents stay together with what
 * follows them. A text with directives stays whole: they belong to the document after them. The parts joined are the text.
 */
export function splitDocuments(text: string): readonly string[] {
  const hasDirectives = text.startsWith("%") || text.includes("\n%") || text.includes("\r%");
  if (hasDirectives) return [text];
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(DOCUMENT_START)) {
    const end = match.index + 1;
    if (end - start < SMALL) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Offsets at which the lines of a text begin. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(LINE_BREAK)) starts.push(match.index + match[0].length);
  return starts;
}

/** Lines that end in a text. */
export function countLineBreaks(text: string): number {
  if (text.includes("\r")) return lineStarts(text).length - 1;
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/**
 * The same text in memory of its own: a part of a string keeps the whole of it in memory, so that one cached document
 * would hold on to every version of its file.
 */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}
