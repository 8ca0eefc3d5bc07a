/** Chooses what is served of all readings, for each change again: from the documents that have changed, where others can't matter. */
import { type Diagnostic, type ResourceRef, refKey } from "../diagnostics/diagnostic.js";
import { sameElements, withoutCommonEnds } from "../support/collections.js";
import { SharedMap } from "../support/shared-map.js";
import type { DecodedValue } from "./decode.js";
import type { Chunk } from "./chunks.js";
import { type PlacedValue, type SourceReading, hasText, placedIn, valuesIn } from "./documents.js";
import {
  type Choice,
  ObjectChoice,
  type PlacedObject,
  placedObject,
  withUniqueNames,
} from "./last-good.js";
import type { ObjectChange } from "./object-store.js";

/** What is served of all readings. */
export interface ServedObjects {
  readonly choice: Choice;
  /** Closed objects in the store. */
  readonly closed: readonly PlacedObject[];
  /** The objects in the store. */
  readonly byKey: SharedMap<PlacedObject>;
  /** Keys of values that are refused; undefined while an object depends on others: on those of its name, or on a broken file. */
  readonly refusedKeys: ReadonlySet<string> | undefined;
}

export interface Readings {
  /** In the order of the sources. */
  readonly list: readonly SourceReading[];
  readonly byPath: SharedMap<SourceReading>;
}

interface Chosen extends ServedObjects {
  readonly changes: readonly ObjectChange[];
  readonly diagnostics: readonly Diagnostic[];
  /** Objects that are served with their last good content. */
  readonly stale: readonly ResourceRef[];
}

export function chosenFromAll(previous: ServedObjects, list: readonly SourceReading[]): Chosen {
  const choice = new ObjectChoice(previous.choice, list);
  const { objects, refused, stale } = choice;
  const { byKey, diagnostics: duplicates } = withUniqueNames(objects);
  const diagnostics = [...choice.diagnostics, ...duplicates];
  const isIndependent =
    diagnostics.length === 0 && stale.size === 0 && list.every((each) => !each.unidentified);
  return {
    choice: { objects, refused },
    closed: [...byKey.values()].filter(({ entry }) => entry.object.closed !== undefined),
    byKey: SharedMap.of(byKey),
    refusedKeys: isIndependent ? refusedKeysOf(list) : undefined,
    changes: changesOf(previous.byKey, byKey),
    diagnostics,
    stale: [...stale]
      .filter(({ key, value }) => byKey.get(key)?.value === value)
      .map(({ ref }) => ref),
  };
}

function refusedKeysOf(list: readonly SourceReading[]): ReadonlySet<string> {
  return new Set(
    list.flatMap(({ values }) =>
      values.flatMap(({ decoded: { result, ref, served } }) =>
        result === "refused" && ref !== undefined ? [served?.key ?? refKey(ref)] : [],
      ),
    ),
  );
}

/**
 * The same as `chosenFromAll`, but looks only at documents that have changed. Undefined if others may matter: if an object has a name
 * that another one has, is refused, or depends on a broken file.
 */
export function chosenLocally(
  { byKey, refusedKeys, choice, closed }: ServedObjects,
  { before, now }: ChangedReadings,
  byPath: Readings["byPath"],
): Chosen | undefined {
  if (refusedKeys === undefined) return undefined;
  const chunks = changedChunks({ before, now });
  const [removed, added] = [chunks.before.flatMap(decodedOf), chunks.now.flatMap(decodedOf)];
  const gone = new Set(removed);
  const isGood =
    now.every((each) => hasText(each.source) && !each.unidentified) &&
    before.every(({ source }) => hasText(source)) &&
    [...removed, ...added].every(
      ({ result, served }) =>
        result === "object" && served !== undefined && !refusedKeys.has(served.key),
    );
  const own = new Set(chunks.now);
  const objects = now
    .flatMap((reading) => valuesIn(reading, own))
    .flatMap((value) => placedObject(value) ?? []);
  const keys = new Set(objects.map(({ key }) => key));
  const isAlone = ({ key }: PlacedObject): boolean => {
    const known = byKey.get(key);
    return known === undefined || gone.has(known.value.decoded);
  };
  if (!isGood || keys.size < added.length || !objects.every(isAlone)) return undefined;
  const next = byKey.with([
    ...removed.flatMap(({ served }) => (served ? [[served.key, undefined] as const] : [])),
    ...objects.map((object) => [object.key, object] as const),
  ]);
  const touched = new Set([...removed.flatMap(({ served }) => served?.key ?? []), ...keys]);
  return {
    choice: {
      // Only a choice from all objects needs them, and few are.
      get objects() {
        return next.values().map((object) => ({ ...object, value: valueNow(object, byPath) }));
      },
      refused: choice.refused,
    },
    ...{ byKey: next, refusedKeys, closed, diagnostics: [], stale: [] },
    changes: [...touched].flatMap((key) => changeOf(byKey.get(key), next.get(key))),
  };
}

/** Readings that differ. */
interface ChangedReadings {
  readonly before: readonly SourceReading[];
  readonly now: readonly SourceReading[];
}

export function changedReadings(
  before: readonly SourceReading[],
  now: readonly SourceReading[],
): ChangedReadings {
  const middle = withoutCommonEnds(before, now);
  const [known, kept] = [new Set(middle.before), new Set(middle.now)];
  return {
    before: middle.before.filter((reading) => !kept.has(reading)),
    now: middle.now.filter((reading) => !known.has(reading)),
  };
}

/** All of a file that was renamed: its objects have new places. */
function changedChunks({ before, now }: ChangedReadings) {
  const all = { before: allChunks(before), now: allChunks(now) };
  const isSame = sameElements(before.map(pathOf), now.map(pathOf));
  return isSame ? withoutCommonEnds(all.before, all.now) : all;
}

/** Mostly one file has changed, and copying 100,000 chunks takes 40 ms. */
function allChunks(readings: readonly SourceReading[]): readonly Chunk[] {
  const [only] = readings;
  return only !== undefined && readings.length === 1 ? only.chunks : readings.flatMap(chunksOf);
}

function pathOf({ path }: SourceReading): string {
  return path;
}

export function chunksOf({ chunks }: SourceReading): readonly Chunk[] {
  return chunks;
}

function decodedOf({ values }: Chunk): readonly DecodedValue[] {
  return values.flatMap(({ decoded }) => (decoded.result === "unknown" ? [] : [decoded]));
}

/** The value in the present reading of its file: it may have moved to other lines. */
export function valueNow({ value }: PlacedObject, byPath: Readings["byPath"]): PlacedValue {
  const reading = byPath.get(value.path);
  return (reading && placedIn(reading, value)) ?? value;
}

function changesOf(
  before: SharedMap<PlacedObject>,
  now: ReadonlyMap<string, PlacedObject>,
): readonly ObjectChange[] {
  const gone = [...before.entries()].filter(([key]) => !now.has(key));
  return [
    ...[...now].flatMap(([key, object]) => changeOf(before.get(key), object)),
    ...gone.flatMap(([, object]) => changeOf(object, undefined)),
  ];
}

function changeOf(
  before: PlacedObject | undefined,
  now: PlacedObject | undefined,
): readonly ObjectChange[] {
  const entry = now?.entry ?? before?.entry;
  if (entry === undefined || before?.entry.object === now?.entry.object) return [];
  const { namespace, name } = entry.object.metadata;
  return [{ kind: entry.kind, namespace, name, ...(now && { now: entry }) }];
}
