/** A source → the objects in it, each with its place, and what is wrong with them. Unchanged documents are not parsed again. */
import type { Diagnostic, FieldPath, SourceLocation } from "../diagnostics/diagnostic.js";
import { type Report, diagnosticOf } from "../diagnostics/sink.js";
import {
  NO_COUNTS,
  type Chunk,
  type ChunkCounts,
  ChunkLines,
  type ChunkValue,
  addedCounts,
  countsOf,
  readChunk,
} from "./chunks.js";
import { memoized, spliced } from "../support/collections.js";
import { type Decoded, type DecodedValue, type UnknownKind, decode } from "./decode.js";
import type { KindTable } from "./kind-table.js";
import {
  type TextEdit,
  TextLocator,
  detached,
  editedParts,
  splitDocuments,
} from "./text-locator.js";
import type { SyntaxProblem } from "./yaml.js";

/** A text with manifests, as the edges pass it on. `path`: its name in diagnostics. */
export type Source =
  | { readonly path: string; readonly text: string }
  /** A text that is another one after an edit: the text of the last reading of this path, which can be edited (`canEdit`). */
  | { readonly path: string; readonly edit: TextEdit }
  /** Objects that come from no file, as an API server returns them. */
  | { readonly path: ""; readonly objects: readonly unknown[] }
  | {
      readonly path: string;
      /** Why there is no text. The path may be a folder's. */
      readonly unreadable: string;
      /** Whether it may be readable soon, without anything being changed. */
      readonly isPassing?: boolean;
    }
  /** Named, but not there. */
  | { readonly path: string; readonly absent: true };

/** A decoded value and the source that it comes from. */
interface Placed<D> {
  /** Empty for an object that comes from no file. */
  readonly path: string;
  readonly decoded: D;
  /** Where a field of the value is; `at`: point at the field's name. Undefined for an object that comes from no file. */
  locate(field: FieldPath, at?: Report["at"]): SourceLocation | undefined;
}

export type PlacedValue = Placed<DecodedValue>;

/** What a source contains. */
export interface SourceReading {
  readonly path: string;
  readonly source: Source;
  /** Empty if the source can't be read or parsed. */
  readonly values: readonly PlacedValue[];
  /** Values of kinds that are not read. */
  readonly unknown: readonly UnknownKind[];
  readonly diagnostics: readonly Diagnostic[];
  /** The source exists but can't be read or parsed, so its current objects are unknown. */
  readonly broken: boolean;
  /** It is broken, or one of its values has no name or namespace. */
  readonly unidentified: boolean;
  readonly chunks: readonly Chunk[];
  /** The number of values. */
  readonly size: number;
}

export function hasText(source: Source): boolean {
  return "text" in source || "edit" in source;
}

export function isSameSource(a: Source, b: Source): boolean {
  return a === b || ("text" in a && "text" in b && a.text === b.text);
}

/** Whether the next source of its path may be an edit. */
export function canEdit(reading: SourceReading): boolean {
  return reading instanceof TextReading;
}

/** Few chunks have problems to be located. */
const locatorOf = memoized(({ text }: Chunk) => new TextLocator(text));
const NONE: readonly never[] = [];

/** `known`: the last reading of this path. `reuse`: the chunks of other readings that have the text of a part. */
export function readSource(
  source: Source,
  table: KindTable,
  known?: SourceReading,
  reuse: (parts: readonly string[]) => readonly (Chunk | undefined)[] = () => NONE,
): SourceReading {
  const { path } = source;
  if ("edit" in source) {
    if (!(known instanceof TextReading)) throw new Error(`${path} was edited before it was read`);
    return known.edited(source, table);
  }
  if ("text" in source) {
    const parts = splitDocuments(source.text);
    const reused = reuse(parts);
    // Where no chunk is older than the text, all of them share its memory.
    const own = reused.some((chunk) => chunk !== undefined) ? parts.map(detached) : parts;
    return readingOf(source, source.text.length, chunksFor(own, reused, table));
  }
  if ("objects" in source) {
    const all = source.objects.map((object) => decode(object, table));
    const read = all.filter((decoded) => decoded.result !== "unknown");
    const { unidentified } = countsOf(all, table);
    return {
      ...{ path, source, chunks: NONE, size: read.length, broken: false },
      values: read.map((decoded) => ({ path, decoded, locate: () => undefined })),
      unknown: all.filter((decoded) => decoded.result === "unknown"),
      diagnostics: read.flatMap((decoded) => diagnosticsOf(decoded)),
      unidentified: unidentified > 0,
    };
  }
  const isAbsent = "absent" in source;
  const location = { file: path, line: 1, column: 1 };
  const error = isAbsent
    ? diagnosticOf({ code: "FILE_MISSING", message: `${path} does not exist` }, location)
    : diagnosticOf(
        { code: "FILE_UNREADABLE", message: `${path} can't be read: ${source.unreadable}` },
        location,
      );
  return { path, source, ...withoutValues([error], !isAbsent), chunks: NONE };
}

function chunksFor(
  parts: readonly string[],
  reused: readonly (Chunk | undefined)[],
  table: KindTable,
): readonly Chunk[] {
  return parts.map((part, i) => reused[i] ?? readChunk(part, table));
}

/** `length`: of the text, in characters. */
function readingOf(source: Source, length: number, chunks: readonly Chunk[]): SourceReading {
  const counts = chunks.reduce((sum, chunk) => addedCounts(sum, chunk, 1), NO_COUNTS);
  if (counts.unparsed === 0) return new TextReading({ source, length, chunks, counts });
  const { path } = source;
  return { path, source, chunks, ...withoutValues(syntaxErrors(path, chunks), true) };
}

/** A text that can be parsed. What changes is a small part of it, so what few need is computed when it is needed. */
class TextReading implements SourceReading {
  readonly path: string;
  readonly source: Source;
  readonly chunks: readonly Chunk[];
  readonly broken = false;
  readonly #length: number;
  readonly #counts: ChunkCounts;
  #lines: ChunkLines | undefined;
  #values: readonly PlacedValue[] | undefined;
  #diagnostics: readonly Diagnostic[] | undefined;

  constructor({
    source,
    length,
    chunks,
    counts,
  }: {
    readonly source: Source;
    readonly length: number;
    readonly chunks: readonly Chunk[];
    readonly counts: ChunkCounts;
  }) {
    this.path = source.path;
    this.source = source;
    this.chunks = chunks;
    this.#length = length;
    this.#counts = counts;
  }

  get size(): number {
    return this.#counts.read;
  }

  get unidentified(): boolean {
    return this.#counts.unidentified > 0;
  }

  get values(): readonly PlacedValue[] {
    return (this.#values ??= valuesIn(this));
  }

  get unknown(): readonly UnknownKind[] {
    if (this.#counts.unknown === 0) return NONE;
    return this.chunks.flatMap(({ values }) =>
      values.flatMap(({ decoded }) => (decoded.result === "unknown" ? [decoded] : [])),
    );
  }

  get diagnostics(): readonly Diagnostic[] {
    if (this.#counts.reported === 0) return NONE;
    return (this.#diagnostics ??= this.values.flatMap((value) =>
      diagnosticsOf(value.decoded, (field, at) => value.locate(field, at)),
    ));
  }

  /** A value of another reading of this file, where it stands here; undefined if it does not. */
  placed(value: PlacedValue): PlacedValue | undefined {
    this.#lines ??= new ChunkLines(this.chunks);
    const moved = value instanceof ValueInFile ? value.movedTo(this.#lines) : undefined;
    return moved && isRead(moved) ? moved : undefined;
  }

  /** The reading of the text after an edit, which parses only what is not in this one. */
  edited(source: Extract<Source, { readonly edit: TextEdit }>, table: KindTable): SourceReading {
    const { chunks } = this;
    const { edit } = source;
    const length = this.#length + edit.text.length - (edit.end - edit.start);
    const { start, end, parts } = editedParts(edit, { length: this.#length, chunks });
    const before = chunks.slice(start, chunks.length - end);
    const known = new Map(before.map((chunk) => [chunk.text, chunk]));
    const now = chunksFor(
      parts.map(detached),
      parts.map((part) => known.get(part)),
      table,
    );
    const all = spliced(chunks, { start, end: chunks.length - end }, now);
    const left = before.reduce((sum, chunk) => addedCounts(sum, chunk, -1), this.#counts);
    const counts = now.reduce((sum, chunk) => addedCounts(sum, chunk, 1), left);
    if (counts.unparsed > 0) return readingOf(source, length, all);
    return new TextReading({ source, length, chunks: all, counts });
  }
}

/** A value where it stands in this reading of its file: it may have moved to other lines. Undefined if it is not there. */
export function placedIn(reading: SourceReading, value: PlacedValue): PlacedValue | undefined {
  return reading instanceof TextReading ? reading.placed(value) : undefined;
}

/** The values of a text; with `of`, only those of these chunks. */
export function valuesIn(
  { path, chunks }: Pick<SourceReading, "path" | "chunks">,
  of?: ReadonlySet<Chunk>,
): readonly PlacedValue[] {
  const values: Placed<Decoded>[] = [];
  let line = 0;
  for (const chunk of chunks) {
    if (of?.has(chunk) !== false) {
      for (const value of chunk.values) values.push(new ValueInFile({ path, chunk, line }, value));
    }
    line += chunk.lineBreaks;
  }
  return values.filter(isRead);
}

function withoutValues(
  diagnostics: readonly Diagnostic[],
  broken: boolean,
): Omit<SourceReading, "path" | "source" | "chunks"> {
  return {
    ...{ values: NONE, unknown: NONE, diagnostics, size: 0 },
    ...{ broken, unidentified: broken },
  };
}

function syntaxErrors(path: string, chunks: readonly Chunk[]): readonly Diagnostic[] {
  const errors: Diagnostic[] = [];
  let line = 0;
  for (const chunk of chunks) {
    const room = MAX_SYNTAX_ERRORS - errors.length;
    for (const problem of chunk.syntaxProblems.slice(0, room)) {
      errors.push(syntaxError(problem, { path, chunk, line }));
    }
    if (errors.length >= MAX_SYNTAX_ERRORS) break;
    line += chunk.lineBreaks;
  }
  return errors;
}

function isRead(value: Placed<Decoded>): value is PlacedValue {
  return value.decoded.result !== "unknown";
}

/** More syntax errors of one file are not reported. */
const MAX_SYNTAX_ERRORS = 20;

/** The reports of a value. `locate`: where a field of the value is. */
export function diagnosticsOf(
  { ref, reports }: DecodedValue,
  locate: PlacedValue["locate"] = () => undefined,
): readonly Diagnostic[] {
  return reports.map((report) =>
    diagnosticOf(
      { ...report, ...(ref && { resource: ref }) },
      locate(report.field ?? [], report.at),
    ),
  );
}

/** A chunk in a file, and the lines before it. */
interface ChunkPlace {
  readonly path: string;
  readonly chunk: Chunk;
  readonly line: number;
}

class ValueInFile implements Placed<Decoded> {
  readonly path: string;
  readonly decoded: Decoded;
  readonly #chunk: Chunk;
  readonly #line: number;
  readonly #value: ChunkValue;

  constructor({ path, chunk, line }: ChunkPlace, value: ChunkValue) {
    this.path = path;
    this.decoded = value.decoded;
    this.#chunk = chunk;
    this.#line = line;
    this.#value = value;
  }

  locate(field: FieldPath, at?: Report["at"]): SourceLocation | undefined {
    const { document, field: root } = this.#value;
    const place = locatorOf(this.#chunk).field(document, [...root, ...field], at);
    return place && { file: this.path, ...place, line: place.line + this.#line };
  }

  /** Undefined: its chunk is none of them. */
  movedTo(lines: ChunkLines): ValueInFile | undefined {
    const [chunk, line] = [this.#chunk, lines.before(this.#chunk)];
    return line === undefined
      ? undefined
      : new ValueInFile({ path: this.path, chunk, line }, this.#value);
  }
}

function syntaxError(
  { offset, ...problem }: SyntaxProblem,
  { path, chunk, line }: ChunkPlace,
): Diagnostic {
  const place = locatorOf(chunk).offset(offset);
  return diagnosticOf(problem, { file: path, ...place, line: place.line + line });
}
