/**
 * What a change of the configuration does to requests: compares two compiled policies, not manifests. docs/adr/diff-by-cells.md says how
 * and why.
 */
import { forgetLongPatterns } from "../explain/pcre.js";
import type { SourceRef } from "../model/values.js";
import { compareBy, compareStrings, getOrInsert, groupBy } from "../support/collections.js";
import { present } from "../support/json-object.js";
import { type Effect, EFFECTS, changedNames, effectsOf } from "./effects.js";
import { type Example, exampleOf } from "./example.js";
import { type HostCell, hostCells } from "./host-cells.js";
import { type CellChange, hostChanges } from "./host-changes.js";
import type { Outcome } from "./outcome.js";
import type { Predicate } from "../model/route.js";
import type { LiteralPath } from "./path-cells.js";
import { type DiffInput, type Door, Side } from "./side.js";

/** Requests that the two versions treat differently, and how. The output of `albc diff --format json` is a list of them. */
export interface Change {
  /** The most important one first. */
  readonly effects: readonly Effect[];
  readonly doors: readonly Door[];
  /** Host keys: `""` is any other host, `*.example` one label, `**.example` any number of labels. */
  readonly hosts: readonly string[];
  readonly paths: readonly LiteralPath[];
  /** Only requests that meet all of them. */
  readonly when: readonly Predicate[];
  readonly before: Treatment;
  readonly now: Treatment;
  /** Names of what differs in auth and settings. */
  readonly changed: readonly string[];
  /** One of the requests. Absent: none was found, so it is not certain that there is one. */
  readonly example?: Example;
}

/** What happens to requests. */
export interface Treatment extends Pick<Outcome, "kind" | "to"> {
  /** What they must pass; empty: nothing. */
  readonly auth: readonly string[];
  readonly source?: SourceRef;
}

/** Hosts whose clients get another certificate. */
export interface CertificateChange extends CertificateFiles {
  readonly doors: readonly Door[];
  readonly hosts: readonly string[];
}

/** Below the run folder, named by content. Absent: there is none. */
interface CertificateFiles {
  readonly before?: string;
  readonly now?: string;
}

export interface Differences {
  readonly changes: readonly Change[];
  readonly certificates: readonly CertificateChange[];
}

export function diff(before: DiffInput, now: DiffInput): Differences {
  forgetLongPatterns();
  const [old, current] = [new Side(before), new Side(now)];
  const changes: Placed<PathChange>[] = [];
  const certificates: Placed<CertificateFiles>[] = [];
  for (const [left, right] of pairs(old.entrances, current.entrances)) {
    const { scheme, port } = left;
    const door: Door = { scheme, port };
    for (const cell of hostCells([...old.hostKeys(left), ...current.hostKeys(right), ""])) {
      const { key: host, host: name } = cell;
      const found = hostChanges(old.entries(left, name), current.entries(right, name), cell);
      for (const value of byTreatment(found, door, cell)) changes.push({ value, door, host });
      const value = {
        ...present("before", old.certificate(left, name)),
        ...present("now", current.certificate(right, name)),
      };
      if (value.before !== value.now) certificates.push({ value, door, host });
    }
  }
  return { changes: together(changes).sort(byImportance), certificates: together(certificates) };
}

type Entrance = Side["entrances"][number];

/** Entrances with the same id, then all others of the same port and scheme. One without a partner is compared with nothing. */
function pairs(
  before: readonly Entrance[],
  now: readonly Entrance[],
): readonly (readonly [Entrance, Entrance])[] {
  const isOf = (entrance: Entrance) => (other: Entrance) =>
    isSameDoor(entrance, other) && entrance.id === other.id;
  const same = before.filter((entrance) => now.some(isOf(entrance)));
  const gone = before.filter((entrance) => !same.includes(entrance));
  const added = now.filter((entrance) => !same.some(isOf(entrance)));
  const across = gone.flatMap((left) =>
    added.filter((right) => isSameDoor(left, right)).map((right) => [left, right] as const),
  );
  const alone = [...gone, ...added].filter((entrance) => !across.flat().includes(entrance));
  return [...[...same, ...alone].map((entrance) => [entrance, entrance] as const), ...across];
}

function isSameDoor(a: Door, b: Door): boolean {
  return a.scheme === b.scheme && a.port === b.port;
}

type PathChange = Omit<Change, "doors" | "hosts">;

/** The changes of one host. A cell is dropped if a wider one says the same; the others are grouped by what happens to them. */
function byTreatment(
  found: readonly CellChange[],
  door: Door,
  host: HostCell,
): readonly PathChange[] {
  const said = new Map<string, Set<string>>();
  const all = found.flatMap((cellChange) => {
    const { cell, when, before, now } = cellChange;
    const effects = effectsOf(before, now);
    if (effects.length === 0) return [];
    const changed = changedNames(before, now);
    const value = { effects, when, before: treatment(before), now: treatment(now), changed };
    const key = textOf(value);
    getOrInsert(said, cell.within[0] ?? "", () => new Set()).add(key);
    return [{ cellChange, value, key }];
  });
  const kept = all.filter(({ cellChange: { cell }, key }) => {
    const around = cell.within.slice(1).find((pattern) => said.has(pattern));
    return around === undefined || said.get(around)?.has(key) !== true;
  });
  return [...groupBy(kept, ({ key }) => key).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const paths = same.map(({ cellChange: { cell } }) => cell.pattern).sort(byValue);
    const example = exampleOf(first.cellChange, door, host);
    return [{ ...first.value, paths, ...(example && { example }) }];
  });
}

const byValue = compareBy<LiteralPath>(
  (a, b) => compareStrings(a[1], b[1]),
  (a, b) => compareStrings(a[0], b[0]),
);

function treatment({ kind, to, protection, source }: Outcome): Treatment {
  return { kind, to, auth: protection.checks, ...(source && { source }) };
}

interface Placed<T> {
  readonly value: T;
  readonly door: Door;
  /** Host key. */
  readonly host: string;
}

/** Merges what is equal at several hosts, and then what is equal at several doors. */
function together<T extends object>(
  placed: readonly Placed<T>[],
): (T & Pick<Change, "doors" | "hosts">)[] {
  const keyed = placed.map((each) => ({ ...each, key: textOf(each.value) }));
  const byDoor = groupBy(keyed, ({ key, door }) => JSON.stringify([key, door]));
  const ofHosts = Array.from(byDoor.values(), (same) => {
    const hosts = [...new Set(same.map(({ host }) => host))].sort(compareStrings);
    return { same, hosts };
  });
  const byHosts = groupBy(ofHosts, ({ same: [first], hosts }) =>
    JSON.stringify([first?.key, hosts]),
  );
  return [...byHosts.values()].flatMap((equal) => {
    const doors = equal.flatMap(({ same: [first] }) => first?.door ?? []);
    return equal
      .slice(0, 1)
      .flatMap(({ same: [first], hosts }) =>
        first === undefined ? [] : [{ ...first.value, doors, hosts }],
      );
  });
}

/** Equal for what differs only in examples, and in fields of the same objects. */
function textOf(value: object): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (name === "example") return undefined;
    return name === "source" && Array.isArray(part) ? part.slice(0, 3) : part;
  });
}

const byImportance = compareBy<Change>(
  (a, b) => rankOf(a) - rankOf(b),
  (a, b) => compareStrings(a.hosts[0] ?? "", b.hosts[0] ?? ""),
  (a, b) => compareStrings(a.paths[0]?.[1] ?? "", b.paths[0]?.[1] ?? ""),
);

function rankOf({ effects: [first] }: Change): number {
  return first === undefined ? EFFECTS.length : EFFECTS.indexOf(first);
}
