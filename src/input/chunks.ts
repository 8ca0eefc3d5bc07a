/** A run of documents of a text → the objects in it. */
import type { FieldPath } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import { addTo, getOrInsert, groupBy } from "../support/collections.js";
import { type JsonObject, isObject } from "../support/json-object.js";
import { type Decoded, type DecodedValue, decode } from "./decode.js";
import { lookUpKindName } from "./kind-lookup.js";
import type { KindTable } from "./kind-table.js";
import { countLineBreaks } from "./text-locator.js";
import { type DuplicateKey, type SyntaxProblem, parseYaml } from "./yaml.js";

/** A run of documents of a text. It depends on its text alone, so it is reused wherever that text appears again. */
export interface Chunk {
  readonly text: string;
  readonly lineBreaks: number;
  /** Empty if the text can't be parsed. */
  readonly values: readonly ChunkValue[];
  readonly syntaxProblems: readonly SyntaxProblem[];
  readonly counts: ChunkCounts;
}

/** How many of its values are of some sort. */
export type ChunkCounts = Readonly<
  Record<"read" | "unknown" | "reported" | "unidentified" | "unparsed", number>
>;

export interface ChunkValue {
  readonly decoded: Decoded;
  /** 0-based. */
  readonly document: number;
  /** From the document's root: empty, or the path of an item of a list. */
  readonly field: FieldPath;
}

const NONE: readonly never[] = [];

export function readChunk(text: string, table: KindTable): Chunk {
  const parsed = parseYaml(text);
  const isBroken = "problems" in parsed;
  const values = isBroken ? NONE : decodedValues(parsed, table);
  return {
    text,
    lineBreaks: countLineBreaks(text),
    values,
    syntaxProblems: isBroken ? parsed.problems : NONE,
    counts: isBroken ? { ...NO_COUNTS, unparsed: 1 } : chunkCounts(values, table),
  };
}

/** Most chunks have one object without problems; thousands of them share its counts. */
function chunkCounts(values: readonly ChunkValue[], table: KindTable): ChunkCounts {
  const all = values.map(({ decoded }) => decoded);
  return all.length === 1 && all.every(isWithoutProblem) ? ONE : countsOf(all, table);
}

function isWithoutProblem(decoded: Decoded): boolean {
  return decoded.result === "object" && decoded.reports.length === 0;
}

function decodedValues({ documents, duplicates }: Parsed, table: KindTable): readonly ChunkValue[] {
  const twice = groupBy(duplicates, ({ document }) => document);
  const values = documents.map((value, document) => {
    const items = listItems(value);
    const reportsIn = duplicatesOf(items, twice.get(document) ?? NONE);
    return items.map(({ value: item, path }) => ({
      decoded: decode(item, table, reportsIn(path)),
      document,
      field: path,
    }));
  });
  // The list of a chunk with one document is as long as it has to be; `flat` makes room for more.
  return values.length === 1 ? (values[0] ?? NONE) : values.flat();
}

type Parsed = Exclude<ReturnType<typeof parseYaml>, { readonly problems: unknown }>;

/** Reports of the keys that stand twice in an item of a document. The first outside of the items of a list counts for each of them. */
function duplicatesOf(
  items: readonly ListItem[],
  duplicates: readonly DuplicateKey[],
): (item: FieldPath) => readonly Report[] {
  if (duplicates.length === 0) return () => NONE;
  const paths = new Set(items.map(({ path }) => JSON.stringify(path)));
  const lists = new Set(items.flatMap(({ path }) => listsAbove(path)));
  const inside = new Map<string, Report[]>();
  const outside = new Map<string, Report>();
  for (const { report } of duplicates) {
    const { field } = report;
    const above = [...listsAbove(field), JSON.stringify(field)];
    const item = above.find((path) => paths.has(path));
    if (item === undefined) {
      const list = above.findLast((path) => lists.has(path)) ?? "";
      getOrInsert(outside, list, () => ({ ...report, field: [] }));
    } else addTo(inside, item, { ...report, field: field.slice(2 * above.indexOf(item)) });
  }
  return (item) => [
    ...listsAbove(item).flatMap((list) => outside.get(list) ?? []),
    ...(inside.get(JSON.stringify(item)) ?? []),
  ];
}

/** The places of the lists that hold a field of a list's item: two steps lead from a list to its item. */
function listsAbove(field: FieldPath): readonly string[] {
  return Array.from({ length: Math.ceil(field.length / 2) }, (_, i) =>
    JSON.stringify(field.slice(0, 2 * i)),
  );
}

export const NO_COUNTS: ChunkCounts = {
  read: 0,
  unknown: 0,
  reported: 0,
  unidentified: 0,
  unparsed: 0,
};
const ONE: ChunkCounts = { ...NO_COUNTS, read: 1 };

export function countsOf(all: readonly Decoded[], table: KindTable): ChunkCounts {
  const read = all.filter((decoded) => decoded.result !== "unknown");
  const refused = read.filter(({ result }) => result === "refused");
  return {
    read: read.length,
    unknown: all.length - read.length,
    reported: read.filter(({ reports }) => reports.length > 0).length,
    unidentified: refused.filter((decoded) => isUnidentified(decoded, table)).length,
    unparsed: 0,
  };
}

/** `times`: 1, or -1 to subtract. */
export function addedCounts(sum: ChunkCounts, { counts }: Chunk, times: number): ChunkCounts {
  return {
    read: sum.read + times * counts.read,
    unknown: sum.unknown + times * counts.unknown,
    reported: sum.reported + times * counts.reported,
    unidentified: sum.unidentified + times * counts.unidentified,
    unparsed: sum.unparsed + times * counts.unparsed,
  };
}

/** The lines before chunks. Counted only as far as they were asked for: of 100,000 chunks mostly a few are. */
export class ChunkLines {
  readonly #chunks: readonly Chunk[];
  /** Equal documents share a chunk; the first place counts. */
  readonly #known = new Map<Chunk, number>();
  #next = 0;
  #line = 0;

  constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
  }

  /** Undefined if it is none of the chunks. */
  before(chunk: Chunk): number | undefined {
    for (;;) {
      const known = this.#known.get(chunk);
      const next = this.#chunks[this.#next];
      if (known !== undefined || next === undefined) return known;
      getOrInsert(this.#known, next, () => this.#line);
      this.#line += next.lineBreaks;
      this.#next += 1;
    }
  }
}

/** Whether it is unknown which object a refused value is. */
function isUnidentified({ ref, reports }: DecodedValue, table: KindTable): boolean {
  if (ref === undefined || ref.name === "" || reports.some(concernsName)) return true;
  const kind = lookUpKindName(table, ref.kind);
  return ref.namespace === "" && kind !== undefined && table[kind].namespaced;
}

/** Whether a finding makes an object's name or namespace doubtful. */
function concernsName({ code, field = [] }: Report): boolean {
  const [first, second] = field;
  if (first === "metadata" && second !== undefined)
    return ["name", "namespace"].includes(String(second));
  return (
    code === "YAML_DUPLICATE_KEY" && ["apiVersion", "kind", "metadata"].includes(String(first))
  );
}

/** A value of a document, or an item of a list in it. */
interface ListItem {
  readonly value: unknown;
  readonly path: FieldPath;
}

/**
 * The objects of a document: itself, none if it is empty, or the items of a `List` (or `SecretList` and so on, whose items may omit their
 * kind), including lists in lists.
 */
export function listItems(value: unknown, path: FieldPath = NONE): readonly ListItem[] {
  if (path.length === 0 && (value === null || value === undefined)) return [];
  if (!isObject(value)) return [{ value, path }];
  const { kind, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items))
    return [{ value, path }];
  return items.flatMap((item: unknown, i) =>
    listItems(typed(item, value, kind), [...path, "items", i]),
  );
}

/** Gives an item without a kind the one that its list's kind names. */
function typed(item: unknown, { apiVersion }: JsonObject, list: string): unknown {
  const kind = list.slice(0, -"List".length);
  const isTyped = kind === "" || !isObject(item) || item["kind"] !== undefined;
  return isTyped ? item : { apiVersion, kind, ...item };
}
