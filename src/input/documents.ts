/** A source → the objects in it, each with its place, and what is wrong with them. Unchanged documents are not parsed again. */
import type { Diagnostic, FieldPath, SourceLocation } from "../diagnostics/diagnostic.js";
import { memoized } from "../support/collections.js";
import { isNear } from "../support/did-you-mean.js";
import { type JsonObject, isObject } from "../support/json-object.js";
import { type Decoded, type DecodedValue, type UnknownKind, decode } from "./decode.js";

import { lookUpKindName } from "./kind-lookup.js";
import type { KindTable } from "./kind-table.js";
import { type Report, diagnosticOf } from "../diagnostics/sink.js";
import { TextLocator, countLineBreaks, detached, splitDocuments } from "./text-locator.js";
import { type SyntaxProblem, parseYaml } from "./yaml.js";

/** A text with manifests, as the edges pass it on. `path`: its name in diagnostics. */
export type Source =
  | { readonly path: string; readonly text: string }
  /** Objects that come from no file, as an API server returns them. */
  | { readonly path: ""; readonly objects: readonly unknown[] }
  | {
      readonly path: string;
      /** Why there is no text. The path may be a folder's. */
      readonly unreadable: string;
    }
  /** Named, but not there. */
  | { readonly path: string; readonly absent: true };

/** A decoded value and the source that it comes from. */
interface Placed<D> {
  /** Empty for an object that comes from no file. */
  readonly path: string;
  readonly decoded: D;
  /** Where a field of the value is; `at`: point at the field's name. Undefined for an object that comes from no file. */
  locate(field: FieldPath, at?: "key"): SourceLocation | undefined;
}

export type PlacedValue = Placed<DecodedValue>;

/** What a source contains. */
export interface SourceReading {
  readonly path: string;
  /** Undefined for a source without text. */
  readonly text?: string;
  /** Empty if the source can't be read or parsed. */
  readonly values: readonly PlacedValue[];
  /** Values of kinds that are not read. */
  readonly unknown: readonly UnknownKind[];
  readonly diagnostics: readonly Diagnostic[];
  /** The source exists but can't be read or parsed, so its current objects are unknown. */
  readonly broken: boolean;
  /** It is broken, or it is unknown which object one of its values is. */
  readonly doubtful: boolean;
  /** It is broken, or one of its values has no name or namespace. */
  readonly unidentified: boolean;
  readonly chunks: readonly Chunk[];
}

/** A run of documents of a text. It depends on its text alone, so it is reused wherever that text appears again. */
export interface Chunk {
  readonly text: string;
  readonly lineBreaks: number;
  /** Empty if the text can't be parsed. */
  readonly values: readonly ChunkValue[];
  readonly syntaxProblems: readonly SyntaxProblem[];
}

/** Few chunks have problems to be located. */
const locatorOf = memoized(({ text }: Chunk) => new TextLocator(text));
const NONE: readonly never[] = [];

interface ChunkValue {
  readonly decoded: Decoded;
  /** 0-based. */
  readonly document: number;
  /** From the document's root: empty, or the path of an item of a list. */
  readonly field: FieldPath;
}

/** `reuse`: the chunks of previous readings that have the text of a part. */
export function readSource(
  source: Source,
  table: KindTable,
  reuse: (parts: readonly string[]) => readonly (Chunk | undefined)[],
): SourceReading {
  const { path } = source;
  if ("text" in source) {
    const parts = splitDocuments(source.text);
    return { path, text: source.text, ...readParts(path, parts, reuse(parts), table) };
  }
  if ("objects" in source) {
    const all = source.objects.map((object) => ({
      path,
      decoded: decode(object, table),
      locate: () => undefined,
    }));
    return { path, ...summarized(all, table), chunks: [] };
  }
  const isAbsent = "absent" in source;
  const location = { file: path, line: 1, column: 1 };
  const error = isAbsent
    ? diagnosticOf({ code: "FILE_MISSING", message: `${path} does not exist` }, location)
    : diagnosticOf(
        { code: "FILE_UNREADABLE", message: `${path} can't be read: ${source.unreadable}` },
        location,
      );
  return { path, ...withoutValues([error], !isAbsent), chunks: [] };
}

type Summary = Omit<SourceReading, "path" | "text" | "chunks">;

function withoutValues(diagnostics: readonly Diagnostic[], broken: boolean): Summary {
  return {
    ...{ values: [], unknown: [], diagnostics },
    ...{ broken, doubtful: broken, unidentified: broken },
  };
}

function summarized(all: readonly Placed<Decoded>[], table: KindTable): Summary {
  const values = all.filter(isRead);
  const refused = values.map(({ decoded }) => decoded).filter(({ result }) => result === "refused");
  return {
    values,
    unknown: all.flatMap(({ decoded }) => (decoded.result === "unknown" ? [decoded] : [])),
    diagnostics: values.flatMap((value) =>
      diagnosticsOf(value.decoded, (field, at) => value.locate(field, at)),
    ),
    broken: false,
    doubtful: refused.some(isDoubtful),
    unidentified: refused.some((decoded) => isUnidentified(decoded, table)),
  };
}

function isRead(value: Placed<Decoded>): value is PlacedValue {
  return value.decoded.result !== "unknown";
}

/** Whether it is unknown which object a refused value is. */
function isDoubtful({ ref, reports }: DecodedValue): boolean {
  return ref === undefined || ref.name === "" || reports.some(concernsName);
}

/** Whether a finding makes an object's name or namespace doubtful. */
function concernsName({ field = [] }: Report): boolean {
  const [first, second] = field;
  return (
    first === "metadata" && (field.length === 1 || second === "name" || second === "namespace")
  );
}

function isUnidentified({ ref }: DecodedValue, table: KindTable): boolean {
  if (ref === undefined || ref.name === "") return true;
  const kind = lookUpKindName(table, ref.kind);
  return ref.namespace === "" && kind !== undefined && table[kind].namespaced;
}

/** More syntax errors of one file are not reported. */
const MAX_SYNTAX_ERRORS = 20;

function readParts(
  path: string,
  parts: readonly string[],
  reused: readonly (Chunk | undefined)[],
  table: KindTable,
): Summary & Pick<SourceReading, "chunks"> {
  const chunks: Chunk[] = [];
  const values: Placed<Decoded>[] = [];
  const syntaxErrors: Diagnostic[] = [];
  let line = 0;
  for (const [i, part] of parts.entries()) {
    const chunk = reused[i] ?? readChunk(part, table);
    const place = { path, chunk, line };
    for (const value of chunk.values) values.push(new ValueInFile(place, value));
    for (const problem of chunk.syntaxProblems.slice(0, MAX_SYNTAX_ERRORS)) {
      syntaxErrors.push(syntaxError(problem, place));
    }
    chunks.push(chunk);
    if (syntaxErrors.length >= MAX_SYNTAX_ERRORS) break;
    line += chunk.lineBreaks;
  }
  const summary =
    syntaxErrors.length === 0
      ? summarized(values, table)
      : withoutValues(syntaxErrors.slice(0, MAX_SYNTAX_ERRORS), true);
  return { chunks, ...summary };
}

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
  readonly #place: ChunkPlace;
  readonly #value: ChunkValue;

  constructor(place: ChunkPlace, value: ChunkValue) {
    this.path = place.path;
    this.decoded = value.decoded;
    this.#place = place;
    this.#value = value;
  }

  locate(field: FieldPath, at?: "key"): SourceLocation | undefined {
    const { path, chunk, line } = this.#place;
    const { document, field: root } = this.#value;
    const place = locatorOf(chunk).field(document, [...root, ...field], at);
    return place && { file: path, ...place, line: place.line + line };
  }
}

function syntaxError(
  { code, message, hint, offset, related }: SyntaxProblem,
  { path, chunk, line }: ChunkPlace,
): Diagnostic {
  const locate = (at: number): SourceLocation => {
    const place = locatorOf(chunk).offset(at);
    return { file: path, ...place, line: place.line + line };
  };
  const others = related && [{ message: related.message, location: locate(related.offset) }];
  return diagnosticOf({ code, message, hint, ...(others && { related: others }) }, locate(offset));
}

function readChunk(part: string, table: KindTable): Chunk {
  const text = detached(part);
  const parsed = parseYaml(text);
  const isBroken = "problems" in parsed;
  return {
    text,
    lineBreaks: countLineBreaks(text),
    values: isBroken ? NONE : decodedValues(parsed.documents, table),
    syntaxProblems: isBroken ? parsed.problems : NONE,
  };
}

function decodedValues(documents: readonly unknown[], table: KindTable): readonly ChunkValue[] {
  const values = documents.map((value, document) =>
    listItems(value).map((item) => ({
      decoded: decode(item.value, table, item.misspeltList),
      document,
      field: item.path,
    })),
  );
  // The list of a chunk with one document is as long as it has to be; `flat` makes room for more.
  return values.length === 1 ? (values[0] ?? NONE) : values.flat();
}

/** A value of a document, or an item of a list in it. */
interface ListItem {
  readonly value: unknown;
  readonly path: FieldPath;
  /** The kind of the document, if it has items as a List has but another kind. */
  readonly misspeltList?: string;
}

/**
 * The objects of a document: itself, none if it is empty, or the items of a `List` (or `SecretList` and so on, whose
 * items may omit their kind), including lists in lists.
 */
export function listItems(
  value: unknown,
  path: FieldPath = NONE,
  misspelt?: string,
): readonly ListItem[] {
  if (path.length === 0 && (value === null || value === undefined)) return [];
  const self = { value, path, ...(misspelt !== undefined && { misspeltList: misspelt }) };
  if (!isObject(value)) return [self];
  const { kind } = value;
  const list = listOf(value);
  if (typeof kind !== "string" || list === undefined) return [self];
  const isList = kind.endsWith("List") && list.field === "items";
  if (!isList && !list.items.some(isLikeObject)) return [self];
  return list.items.flatMap((item, i) =>
    listItems(typed(item, value, kind), [...path, list.field, i], isList ? misspelt : kind),
  );
}

/** The `items` of a document, or the list under a similar name. */
function listOf(value: JsonObject): { field: string; items: readonly unknown[] } | undefined {
  const lists = Object.entries(value).flatMap(([field, items]) =>
    Array.isArray(items) && isNear(field, "items") ? [{ field, items }] : [],
  );
  return lists.find(({ field }) => field === "items") ?? lists[0];
}

/** Gives an item without a kind the one that its list's kind names, however "List" is spelt there. */
function typed(item: unknown, { apiVersion }: JsonObject, list: string): unknown {
  const kind = list.slice(0, -"List".length);
  const isTyped = kind.length < 2 || !isObject(item) || item["kind"] !== undefined;
  return isTyped ? item : { apiVersion, kind, ...item };
}

function isLikeObject(item: unknown): boolean {
  if (!isObject(item) || !isObject(item["metadata"])) return false;
  return typeof item["kind"] === "string" || isObject(item["spec"]);
}
