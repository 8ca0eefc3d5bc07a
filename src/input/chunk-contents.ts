/** One run of documents → the objects in it and what is wrong; depends on the text alone, so it is cached by it. */
import type { FieldPath } from "../diagnostics/field-path.js";
import { decode } from "./decode.js";
import type { Decoded } from "./decode.js";
import type { KindTable } from "./kind-table.js";
import { listItems } from "./list-items.js";
import { countLineBreaks, detached } from "./text-chunks.js";
import { TextLocator } from "./text-locator.js";
import { parseYaml } from "./yaml.js";
import type { SyntaxProblem } from "./yaml.js";

/** A decoded value and where in its chunk it stands. */
export interface ChunkEntry {
  readonly decoded: Decoded;
  /** 0-based. */
  readonly document: number;
  /** From the document's root: empty, or the way to an item of a list. */
  readonly path: FieldPath;
}

export interface ChunkContents {
  readonly text: string;
  /** Lines that end in it. */
  readonly lineBreaks: number;
  readonly entries: readonly ChunkEntry[];
  /** Not empty: the chunk could not be parsed, and there are no entries. */
  readonly syntaxProblems: readonly SyntaxProblem[];
  readonly locator: TextLocator;
}

/** Chunks by their text. */
export type ChunkCache = ReadonlyMap<string, ChunkContents>;

export function readChunk(part: string, table: KindTable): ChunkContents {
  const text = detached(part);
  const shared = { text, lineBreaks: countLineBreaks(text), locator: new TextLocator(text) };
  const parsed = parseYaml(text);
  if ("problems" in parsed) {
    return { ...shared, entries: [], syntaxProblems: parsed.problems };
  }
  const entries = parsed.documents.flatMap((value, document) =>
    listItems(value).map((item) => ({
      decoded: decode(item.value, table, item.misspeltList),
      document,
      path: item.path,
    })),
  );
  return { ...shared, entries, syntaxProblems: [] };
}
