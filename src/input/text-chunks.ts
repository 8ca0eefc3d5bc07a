/** A run of whole YAML documents of a file, parsed and cached on its own. */
export interface TextChunk {
  readonly text: string;
  /** Lines of the file before it. */
  readonly lineOffset: number;
}

/** A line that starts with `---` begins a document wherever it stands (YAML 1.2.2, section 9.1.2). */
const DOCUMENT_START = /(?<=[\r\n])---(?=[ \t\r\n]|$)/g;
const DIRECTIVE_LINE = /(?:^|[\r\n])%/;
const LINE_BREAK = /\r\n|\n|\r/g;

/**
 * Cuts a text before its `---` lines, so that a change parses only its own documents again. A text with directives
 * stays whole: they belong to the document after them. The chunks joined are the text.
 */
export function splitDocuments(text: string): readonly TextChunk[] {
  if (DIRECTIVE_LINE.test(text)) return [{ text, lineOffset: 0 }];
  const chunks: TextChunk[] = [];
  let start = 0;
  let lineOffset = 0;
  for (const match of text.matchAll(DOCUMENT_START)) {
    const chunk = detached(text.slice(start, match.index));
    chunks.push({ text: chunk, lineOffset });
    lineOffset += countLineBreaks(chunk);
    start = match.index;
  }
  chunks.push({ text: start === 0 ? text : detached(text.slice(start)), lineOffset });
  return chunks;
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(LINE_BREAK)) count += 1;
  return count;
}

/** A copy: the engine's slice of a string would keep the whole file in memory for as long as the chunk is cached. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
