/**
 * The requests for one host that two versions treat differently. It visits every pair of entries, one of each version, that can both be
 * the first to match a request. A pair is left out only if that is impossible, so no change is missed; whether the conditions of a pair
 * can really be met together may be unknown, for instance with regular expressions.
 */
import type { PathMatch, Predicate, ValueTest } from "../model/route.js";
import { literalStart } from "../support/literal-start.js";
import { addTo } from "../support/collections.js";
import { conditionKey, excludeEachOther, follows, meets, pathCondition } from "./conditions.js";
import { type HostCell, isOneHost } from "./host-cells.js";
import { type Outcome, NOTHING, outcomeKey } from "./outcome.js";
import { type LiteralPath, type PathCell, PathCells, literalKey, literalOf } from "./path-cells.js";
import type { SideEntry } from "./side.js";

/** Requests of a cell that meet the conditions, and what each version does with them. */
export interface CellChange {
  readonly cell: PathCell;
  readonly when: readonly Predicate[];
  readonly before: Outcome;
  readonly now: Outcome;
  /** Whether a request with these values is one of them. */
  readonly isMetBy: (values: RequestValues) => boolean;
}

/** The value of a request that a condition is about; undefined: it has none. */
export type RequestValues = (condition: Pick<Predicate, "of" | "key">) => string | undefined;

/** An entry that may be the first to match a request of a cell. */
interface Candidate {
  readonly outcome: Outcome;
  readonly does: string;
  /** What is not certain for every request of the cell. */
  readonly when: readonly Predicate[];
}

const LAST: Candidate = { outcome: NOTHING, does: outcomeKey(NOTHING), when: [] };

export function hostChanges(
  before: readonly SideEntry[],
  now: readonly SideEntry[],
  host: HostCell,
): readonly CellChange[] {
  const changed = changedEntries(before, now);
  if (changed.size === 0) return [];
  const cells = new PathCells();
  for (const entry of [...before, ...now]) for (const path of patternsOf(entry)) cells.add(path);
  const [old, current] = [before, now].map((entries) => new EntryIndex(entries, cells, host));
  if (old === undefined || current === undefined) return [];
  const isConcerned = concerns(changed, cells);
  return cells.all.filter(isConcerned).flatMap((cell) =>
    pairChanges(old.candidates(cell), current.candidates(cell)).map(({ isFirst, ...rest }) => ({
      ...{ cell, ...rest },
      isMetBy: (values) => cells.contains(cell, values({ of: "path" }) ?? "") && isFirst(values),
    })),
  );
}

/** Those of one version only. If the common ones have another order, all are. */
function changedEntries(
  before: readonly SideEntry[],
  now: readonly SideEntry[],
): ReadonlySet<SideEntry> {
  const [old, current] = [before, now].map((entries) => new Set(entries.map(({ key }) => key)));
  const common = (entries: readonly SideEntry[], others = old): readonly SideEntry[] =>
    entries.filter(({ key }) => others?.has(key) === true);
  const [kept, same] = [common(before, current), common(now)];
  const isOrdered = kept.length === same.length && kept.every(({ key }, i) => key === same[i]?.key);
  if (!isOrdered) return new Set([...before, ...now]);
  const known = new Set([...kept, ...same]);
  return new Set([...before, ...now].filter((entry) => !known.has(entry)));
}

/** Literal patterns that divide the paths as the entry does. */
function patternsOf({ path, when }: SideEntry): readonly LiteralPath[] {
  const literal = literalOf(path);
  const others = when.flatMap(({ of, any }) => (of === "path" ? any.flatMap(patternsOfTest) : []));
  return literal === undefined ? others : [literal, ...others];
}

function patternsOfTest([op, ...values]: ValueTest): readonly LiteralPath[] {
  if (op === "eq" || op === "in") return values.map((value) => ["exact", value] as const);
  const literal = op === "start" ? literalOf(["start", values[0] ?? ""]) : undefined;
  return literal === undefined ? [] : [literal];
}

/** Whether one of the entries can match in a cell. */
function concerns(entries: ReadonlySet<SideEntry>, cells: PathCells): (cell: PathCell) => boolean {
  const keys = new Set<string>();
  const loose: PathMatch[] = [];
  for (const { path } of entries) {
    const literal = literalOf(path);
    if (literal !== undefined) keys.add(literalKey(literal));
    else if (path !== undefined) loose.push(path);
  }
  return (cell) =>
    cell.within.some((key) => keys.has(key)) ||
    loose.some((path) => matchesInCell(cell, cells, conditionOf(path)) !== false);
}

function conditionOf(path: PathMatch): Predicate {
  return pathCondition(path[1], path[0] === "regex" ? path[2] : "");
}

/** The entries of one version, found by pattern. */
class EntryIndex {
  readonly #cells: PathCells;
  readonly #host: HostCell;
  readonly #literal = new Map<string, { entry: SideEntry; rank: number }[]>();
  readonly #loose: { entry: SideEntry; rank: number; condition: Predicate }[] = [];

  constructor(entries: readonly SideEntry[], cells: PathCells, host: HostCell) {
    this.#cells = cells;
    this.#host = host;
    for (const [rank, entry] of entries.entries()) {
      const literal = literalOf(entry.path);
      if (literal !== undefined) addTo(this.#literal, literalKey(literal), { entry, rank });
      else if (entry.path !== undefined) {
        this.#loose.push({ entry, rank, condition: conditionOf(entry.path) });
      }
    }
  }

  /** In order; the last one matches every request. */
  candidates(cell: PathCell): readonly Candidate[] {
    const literal = cell.within.flatMap((key) => this.#literal.get(key) ?? []);
    const all = [...literal.map((each) => ({ ...each, condition: undefined })), ...this.#loose];
    const found: Candidate[] = [];
    for (const { entry, condition } of all.sort((a, b) => a.rank - b.rank)) {
      const when = this.#open(cell, condition ? [condition, ...entry.when] : entry.when);
      if (when === undefined || excludeEachOther(when)) continue;
      found.push({ outcome: entry.outcome, does: entry.does, when });
      if (when.length === 0) return found;
    }
    return [...found, LAST];
  }

  /** The conditions that only some requests of the cell meet; undefined: none meets all. */
  #open(cell: PathCell, when: readonly Predicate[]): readonly Predicate[] | undefined {
    const open: Predicate[] = [];
    for (const condition of when) {
      const holds =
        condition.of === "path"
          ? matchesInCell(cell, this.#cells, condition)
          : condition.of === "host"
            ? matchesHost(this.#host, condition)
            : undefined;
      if (holds === false) return undefined;
      if (holds === undefined) open.push(condition);
    }
    return open;
  }
}

/** Whether all paths of a cell meet a condition, or none does; undefined: some may. */
function matchesInCell(
  cell: PathCell,
  cells: PathCells,
  condition: Predicate,
): boolean | undefined {
  if (cell.pattern[0] === "exact") return meets(condition, cell.path);
  return combined(condition, (test) => {
    const [op, value = ""] = test;
    if (op === "regex") {
      const { text, insensitive } = literalStart(value, "");
      if (text === "") return undefined;
      return (insensitive ? mayOverlap(cell, text) : cells.mayContain(cell, text))
        ? undefined
        : false;
    }
    const isUniform = op === "eq" || op === "in" || op === "start" || op === "exists";
    return isUniform ? meets({ ...condition, any: [test] }, cell.path) : undefined;
  });
}

function mayOverlap({ pattern: [, value] }: PathCell, text: string): boolean {
  const [base, start] = [value.toLowerCase(), text.toLowerCase()];
  return base.startsWith(start) || start.startsWith(base);
}

/** The same for the hosts of a cell. */
function matchesHost(cell: HostCell, condition: Predicate): boolean | undefined {
  if (isOneHost(cell)) return meets(condition, cell.host);
  return combined(condition, (test) => {
    const [op, value = ""] = test;
    const isUniform =
      ["eq", "in", "oneLabel", "exists"].includes(op) || (op === "end" && value.startsWith("."));
    return isUniform ? meets({ ...condition, any: [test] }, cell.host) : undefined;
  });
}

function combined(
  { any }: Predicate,
  passes: (test: ValueTest) => boolean | undefined,
): boolean | undefined {
  const results = any.map(passes);
  return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
}

/** `isFirst`: whether both entries are the first to match a request of the cell. */
function pairChanges(
  before: readonly Candidate[],
  now: readonly Candidate[],
): readonly (Pick<CellChange, "when" | "before" | "now"> & {
  readonly isFirst: (values: RequestValues) => boolean;
})[] {
  return before.flatMap((old, i) =>
    now.flatMap((current, k) => {
      if (old.does === current.does) return [];
      const when = union(old.when, current.when);
      if (excludeEachOther(when)) return [];
      if (isTaken(before.slice(0, i), when) || isTaken(now.slice(0, k), when)) return [];
      const isFirst = (values: RequestValues): boolean =>
        firstMet(before, values) === old && firstMet(now, values) === current;
      return [{ when, before: old.outcome, now: current.outcome, isFirst }];
    }),
  );
}

/** Whether one of the earlier candidates matches every request that meets the conditions. */
function isTaken(earlier: readonly Candidate[], given: readonly Predicate[]): boolean {
  return earlier.some(({ when }) => when.every((condition) => follows(condition, given)));
}

function union(a: readonly Predicate[], b: readonly Predicate[]): readonly Predicate[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  return [...new Map([...a, ...b].map((each) => [conditionKey(each), each])).values()];
}

function firstMet(candidates: readonly Candidate[], values: RequestValues): Candidate | undefined {
  return candidates.find(({ when }) =>
    when.every((condition) => {
      const value = values(condition);
      return value !== undefined && meets(condition, value) === true;
    }),
  );
}
