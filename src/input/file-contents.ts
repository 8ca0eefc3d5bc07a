/** A file's text → its objects, each with its place in the file, or why the file can't be read. */
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { Diagnostic, FieldPath, SourceLocation } from "../diagnostics/diagnostic.js";
import { readChunk } from "./chunk-contents.js";
import type { ChunkCache, ChunkContents, ChunkEntry } from "./chunk-contents.js";
import type { Decoded } from "./decode.js";
import type { KindTable } from "./kind-table.js";
import { splitDocuments } from "./text-locator.js";
import type { TextPlace } from "./text-locator.js";
import type { SyntaxProblem } from "./yaml.js";

/** Where a field of a value stands; `at` the key to point at a field's name. */
export type LocateField = (field: FieldPath, at?: "key") => SourceLocation | undefined;

/** A decoded value and where it stands, if it stands in a file. */
export interface PlacedValue {
  readonly decoded: Decoded;
  readonly locate: LocateField;
}

export interface FileContents {
  readonly values: readonly PlacedValue[];
  /** Not empty: the file can't be parsed, and there are no values. */
  readonly syntaxErrors: readonly Diagnostic[];
  readonly chunks: readonly ChunkContents[];
}

/** More errors than these in one file say nothing new. */
const MAX_SYNTAX_ERRORS = 20;

export function readFileText(
  path: string,
  text: string,
  table: KindTable,
  cache: ChunkCache,
): FileContents {
  const chunks: ChunkContents[] = [];
  const values: PlacedValue[] = [];
  const syntaxErrors: Diagnostic[] = [];
  let lineOffset = 0;
  for (const part of splitDocuments(text)) {
    const chunk = cache.get(part) ?? readChunk(part, table);
    const place = placeIn(path, lineOffset);
    for (const entry of chunk.entries) {
      values.push({ decoded: entry.decoded, locate: locateIn(chunk, entry, place) });
    }
    for (const problem of chunk.syntaxProblems.slice(0, MAX_SYNTAX_ERRORS)) {
      syntaxErrors.push(syntaxError(problem, (offset) => place(chunk.locator.offset(offset))));
    }
    chunks.push(chunk);
    if (syntaxErrors.length >= MAX_SYNTAX_ERRORS) break;
    lineOffset += chunk.lineBreaks;
  }
  return syntaxErrors.length === 0
    ? { values, syntaxErrors, chunks }
    : { values: [], syntaxErrors: syntaxErrors.slice(0, MAX_SYNTAX_ERRORS), chunks };
}

function placeIn(file: string, lineOffset: number): (place: TextPlace) => SourceLocation {
  return (place) => ({ file, ...place, line: place.line + lineOffset });
}

function locateIn(
  chunk: ChunkContents,
  entry: ChunkEntry,
  placed: (place: TextPlace) => SourceLocation,
): LocateField {
  return (field, at) => {
    const place = chunk.locator.field(entry.document, [...entry.path, ...field], at);
    return place === undefined ? undefined : placed(place);
  };
}

function syntaxError(
  problem: SyntaxProblem,
  locate: (offset: number) => SourceLocation,
): Diagnostic {
  const { code, message, hint, offset, related } = problem;
  return {
    code,
    severity: DIAGNOSTIC_CATALOG[code].severity,
    message,
    hint,
    location: locate(offset),
    ...(related === undefined
      ? {}
      : { related: [{ message: related.message, location: locate(related.offset) }] }),
  };
}
