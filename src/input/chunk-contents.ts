/** One run of documents → the objects in it and what is wrong; depends on the text alone, so it is cached by it. */
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { isNear } from "../support/did-you-mean.js";
import { isObject } from "../support/json-object.js";
import type { Decoded } from "./decode.js";
import { decode } from "./decode.js";
import type { KindTable } from "./kind-table.js";
import { TextLocator, countLineBreaks, detached } from "./text-locator.js";
import type { SyntaxProblem } from "./yaml.js";
import { parseYaml } from "./yaml.js";

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

type Fields = Readonly<Record<string, unknown>>;

/** A value of a document, or of a list in it. */
interface ListItem {
  readonly value: unknown;
  readonly path: FieldPath;
  /** The kind of the document that holds it, where that has items as a list has but another name. */
  readonly misspeltList?: string;
}

/**
 * The objects of a document: itself, none if it is empty, or the items of a `List` (or `SecretList` and so on, whose
 * items may leave their kind out), lists in lists included.
 */
export function listItems(
  value: unknown,
  path: FieldPath = [],
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

interface Items {
  readonly field: string;
  readonly items: readonly unknown[];
}

/** Its `items`, or what stands under nearly that name. */
function listOf(value: Fields): Items | undefined {
  const lists = Object.entries(value).flatMap(([field, items]): readonly Items[] =>
    isNear(field, "items") && Array.isArray(items) ? [{ field, items }] : [],
  );
  return lists.find(({ field }) => field === "items") ?? lists[0];
}

/** Its list's kind says what it is: without "List", in whatever way that is written. */
function typed(item: unknown, { apiVersion }: Fields, list: string): unknown {
  const kind = list.slice(0, -"List".length);
  const isTyped = kind.length < 2 || !isObject(item) || item["kind"] !== undefined;
  return isTyped ? item : { apiVersion, kind, ...item };
}

function isLikeObject(item: unknown): boolean {
  if (!isObject(item) || !isObject(item["metadata"])) return false;
  return typeof item["kind"] === "string" || isObject(item["spec"]);
}
