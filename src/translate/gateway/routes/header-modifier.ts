import type { HeaderModifier } from "../../../api/gateway.js";
import type { HeaderChanges } from "../../../ir/filters.js";
import type { HeaderCheck } from "../../http/special-headers.js";
import { isHost, requestHeaderProblem, responseHeaderProblem } from "../../http/special-headers.js";
import type { Place } from "../../place.js";
import type { Findings } from "./findings.js";

/** What a request's header modifier changes; the Host header goes its own way to the backend. */
export interface RequestChanges {
  readonly requestHeaders: HeaderChanges;
  readonly upstreamHost?: string;
}

export function requestChanges(
  modifier: HeaderModifier,
  place: Place,
  findings: Findings,
): RequestChanges {
  const changes = changesOf(modifier);
  reportProblem(changes, requestHeaderProblem, place, findings);
  const host = changes.set.find(({ name }) => isHost(name))?.value;
  const set = changes.set.filter(({ name }) => !isHost(name));
  return {
    requestHeaders: { ...changes, set },
    ...(host !== undefined && { upstreamHost: host }),
  };
}

export function responseChanges(
  modifier: HeaderModifier,
  place: Place,
  findings: Findings,
): HeaderChanges {
  const changes = changesOf(modifier);
  reportProblem(changes, responseHeaderProblem, place, findings);
  return changes;
}

/** Of entries of one list whose names are equivalent the first counts. */
function changesOf({ set = [], add = [], remove = [] }: HeaderModifier): HeaderChanges {
  return {
    set: firstOfEach(set, ({ name }) => name),
    add: firstOfEach(add, ({ name }) => name),
    remove: firstOfEach(
      remove.map((name) => name.toLowerCase()),
      (name) => name,
    ),
  };
}

/** A name in two lists is invalid. */
function reportProblem(
  { set, add, remove }: HeaderChanges,
  check: HeaderCheck,
  place: Place,
  findings: Findings,
): void {
  const names = [...[...set, ...add].map(({ name }) => name.toLowerCase()), ...remove];
  const repeated = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} is in more than one of set, add and remove`);
  const problem = [
    ...set.map(({ name, value }) => check("set", name, value)),
    ...add.map(({ name, value }) => check("add", name, value)),
    ...remove.map((name) => check("remove", name)),
    ...repeated,
  ].find((each) => each !== undefined);
  if (problem !== undefined) findings.unsupported(problem, place);
}

function firstOfEach<T>(entries: readonly T[], nameOf: (entry: T) => string): readonly T[] {
  const byName = new Map<string, T>();
  for (const entry of entries) {
    const name = nameOf(entry).toLowerCase();
    if (!byName.has(name)) byName.set(name, entry);
  }
  return [...byName.values()];
}
