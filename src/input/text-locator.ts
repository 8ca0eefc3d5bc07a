/** Lines, columns and excerpts of one text. Read when a diagnostic needs them, so that good manifests cost nothing. */
import type { FieldPath, SourceLocation } from "../diagnostics/diagnostic.js";
import { type Report, withoutUrlSecrets } from "../diagnostics/sink.js";
import {
  type PositionNode,
  type Positions,
  type Range,
  mayHoldSecrets,
  nearestNode,
  secretRanges,
} from "./positions.js";
import { yamlPositions } from "./yaml.js";

/** A place in the text; columns count characters. The excerpt is absent where it could show a secret, or is too long to help. */
type TextPlace = Omit<SourceLocation, "file">;

/** Characters; columns in longer lines are counted in UTF-16 units. */
const LONG_LINE = 2000;

export class TextLocator {
  readonly #text: string;
  /** Held weakly: positions of a large text take ten times its size, and few texts are asked twice. */
  #index:
    WeakRef<{ readonly positions: Positions; readonly secrets: readonly Range[] }> | undefined;
  #lineStarts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The place of a field of a document, or of its innermost parent that is written down. */
  field(document: number, path: FieldPath, at?: Report["at"]): TextPlace | undefined {
    const { positions, secrets } = this.#indexed();
    const root = positions.documents[document];
    if (root === undefined) return undefined;
    const { node, exact } = nearestNode(root, path);
    const offset = exact && at !== "key" ? this.#valueOffset(node, at) : node.key;
    return this.#place(offset, (line) => !touches(secrets, line));
  }

  /** A place in a text that could not be parsed, so that nobody knows which of its lines are secret. */
  offset(offset: number): TextPlace {
    const mayShow = !mayHoldSecrets(this.#text);
    return this.#place(offset, () => mayShow);
  }

  #place(offset: number, mayShow: (line: Range) => boolean): TextPlace {
    this.#lineStarts ??= lineStarts(this.#text);
    const index = lastAtMost(this.#lineStarts, offset, (start) => start);
    const start = this.#lineStarts[index] ?? 0;
    const next = this.#lineStarts[index + 1] ?? this.#text.length;
    // A file that is one line would otherwise be scanned, and repeated, for each diagnostic.
    if (next - start > LONG_LINE) return { line: index + 1, column: offset - start + 1 };
    const line = this.#text.slice(start, next).replace(/[\r\n]+$/, "");
    const column = Array.from(this.#text.slice(start, offset)).length + 1;
    const place = { line: index + 1, column };
    return mayShow({ start, end: start + line.length })
      ? { ...place, excerpt: withoutUrlSecrets(line) }
      : place;
  }

  /** A collection is best shown by its key; a scalar by what is written, in a block after its indentation. */
  #valueOffset({ scalar, key, start, end }: PositionNode, line = 0): number {
    if (scalar === undefined) return key;
    const first = this.#indented(start);
    if (line === 0) return first;
    this.#lineStarts ??= lineStarts(this.#text);
    const index = lastAtMost(this.#lineStarts, first, (at) => at) + line;
    const offset = this.#indented(this.#lineStarts[index] ?? this.#text.length);
    // Only a literal block has the lines of its value.
    const [wanted = ""] = scalar.split("\n").slice(line);
    const isThere = offset < end && this.#text.startsWith(wanted.trim(), offset);
    return isThere && wanted !== "" ? offset : first;
  }

  #indented(offset: number): number {
    return offset + (/^ */.exec(this.#text.slice(offset, offset + LONG_LINE))?.[0].length ?? 0);
  }

  #indexed(): { readonly positions: Positions; readonly secrets: readonly Range[] } {
    const known = this.#index?.deref();
    if (known !== undefined) return known;
    const positions = yamlPositions(this.#text);
    const index = { positions, secrets: secretRanges(positions, this.#text.length) };
    this.#index = new WeakRef(index);
    return index;
  }
}

/** Whether a line holds a part of one of the ranges, which are in order. */
function touches(ranges: readonly Range[], line: Range): boolean {
  const last = ranges[lastAtMost(ranges, line.end, (range) => range.start)];
  return last !== undefined && last.start <= line.end && last.end >= line.start;
}

/** The index of the last item whose number is not above `limit`, of items in ascending order; 0 if there is none. */
function lastAtMost<T>(items: readonly T[], limit: number, numberOf: (item: T) => number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const item = items[middle];
    if (item !== undefined && numberOf(item) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

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
  if (hasDirectives(text)) return [text];
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

function hasDirectives(text: string): boolean {
  return text.startsWith("%") || text.includes("\n%") || text.includes("\r%");
}

/** Characters of a text from `start` to `end` are replaced by others. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The parts of a text after an edit: the number of parts from before that stay at its start and at its end, and the parts between them.
 * `chunks`: the parts before; `length`: of the text before.
 */
export function editedParts(
  edit: TextEdit,
  before: { readonly length: number; readonly chunks: readonly Part[] },
): { readonly start: number; readonly end: number; readonly parts: readonly string[] } {
  const { chunks } = before;
  // A text with directives is one part.
  if (chunks.length < 2) return { start: 0, end: 0, parts: splitDocuments(between(edit, chunks)) };
  // Where a part ends is decided by what is before it, and by what begins the next one.
  const [start, from] = partsWithin(edit.start - NEXT_BEGINS, chunks.length, (i) => chunks[i]);
  // The line break before a part belongs to the part before.
  const tail = before.length - edit.end - 1;
  const last = chunks.length - 1;
  let [end] = partsWithin(tail, chunks.length - start, (i) => chunks[last - i]);
  for (let more = 1; ; more *= 2) {
    const middle = between(edit, chunks.slice(start, chunks.length - end), from);
    if (hasDirectives(middle)) return { start: 0, end: 0, parts: [between(edit, chunks)] };
    const parts = splitDocuments(middle);
    // A tiny document stays together with what follows it.
    if (end === 0 || (parts.at(-1)?.length ?? 0) >= SMALL) return { start, end, parts };
    end = Math.max(0, end - more);
  }
}

/** The text of some parts after an edit within them. `from`: where they begin. */
function between({ start, end, text }: TextEdit, parts: readonly Part[], from = 0): string {
  const before = parts.map((part) => part.text).join("");
  return before.slice(0, start - from) + text + before.slice(end - from);
}

/** Characters: `---`, and one more or the end. */
const NEXT_BEGINS = 4;

type Part = Readonly<Record<"text", string>>;
/** How many parts, at most `most`, end within so many characters; and the length of them. */
function partsWithin(
  length: number,
  most: number,
  partAt: (i: number) => Part | undefined,
): readonly [count: number, length: number] {
  let [count, used] = [0, 0];
  for (; count < most; count += 1) {
    const next = used + (partAt(count)?.text.length ?? 0);
    if (next > length) break;
    used = next;
  }
  return [count, used];
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
