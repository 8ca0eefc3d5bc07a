import type { HeaderModifier } from "../../../api/gateway.js";
import type { HeaderChanges } from "../../../ir/filters.js";
import { isAuthority, isHeaderName, isHeaderValue } from "../../http/header-text.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { Findings } from "./findings.js";
import { removalProblem, tellingProblem } from "./told-headers.js";

type NamedValue = HeaderChanges["set"][number];

/** They describe one connection or the framing of one message (RFC 9110, 7.6.1), which is the data plane's. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What a request's header modifier changes; the Host header goes its own way to the backend. */
export interface RequestChanges {
  readonly requestHeaders: HeaderChanges;
  readonly upstreamHost?: string;
}

/** Of entries of one list whose names are equivalent the first counts; a name in two lists is invalid. */
export function headerChanges(
  modifier: HeaderModifier,
  place: Place,
  findings: Findings,
): HeaderChanges {
  const changes = {
    set: firstOfEach(modifier.set ?? [], ({ name }) => name),
    add: firstOfEach(modifier.add ?? [], ({ name }) => name),
    remove: firstOfEach(
      (modifier.remove ?? []).map((name) => name.toLowerCase()),
      (name) => name,
    ),
  };
  const problem = changesProblem(changes);
  if (problem !== undefined) findings.unsupported(problem, place);
  return changes;
}

export function requestChanges(
  modifier: HeaderModifier,
  place: Place,
  findings: Findings,
): RequestChanges {
  const changes = headerChanges(modifier, place, findings);
  const host = changes.set.find(({ name }) => isHost(name))?.value;
  if (host !== undefined && !isAuthority(host)) {
    findings.unsupported(`${JSON.stringify(host)} can't be a Host header`, within(place, "set"));
  }
  if (changes.remove.some(isHost) || changes.add.some(({ name }) => isHost(name))) {
    findings.unsupported("a request has exactly one Host header: it can only be set", place);
  }
  const told = [
    ...[...changes.set, ...changes.add].map(({ name }) => tellingProblem(name)),
    ...changes.remove.map(removalProblem),
  ].find((problem) => problem !== undefined);
  if (told !== undefined) findings.unsupported(told, place);
  const set = changes.set.filter(({ name }) => !isHost(name));
  return {
    requestHeaders: { ...changes, set },
    ...(host !== undefined && { upstreamHost: host }),
  };
}

function changesProblem({ set, add, remove }: HeaderChanges): string | undefined {
  const named: readonly NamedValue[] = [...set, ...add];
  const names = [...named.map(({ name }) => name.toLowerCase()), ...remove];
  const wrong = names.find((name) => !isHeaderName(name));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not the name of a header`;
  const own = names.find((name) => OF_CONNECTION.has(name));
  if (own !== undefined) return `${own} belongs to the connection and can't be changed`;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return `${repeated} is in more than one of set, add and remove`;
  const invalid = named.find(({ value }) => !isHeaderValue(value));
  return invalid && `the value of ${invalid.name} can't stand in a header`;
}

function firstOfEach<T>(entries: readonly T[], nameOf: (entry: T) => string): readonly T[] {
  const byName = new Map<string, T>();
  for (const entry of entries) {
    const name = nameOf(entry).toLowerCase();
    if (!byName.has(name)) byName.set(name, entry);
  }
  return [...byName.values()];
}

function isHost(name: string): boolean {
  return name.toLowerCase() === "host";
}
