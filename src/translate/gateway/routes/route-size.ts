/** How much one route may become: it is bound once for each listener, hostname and match. */
import type { GrpcRoute, HttpRoute, ValueMatch } from "../../../api/gateway.js";
import type { ListenerState } from "../model.js";
import type { OwnParent } from "./own-parents.js";
import { MOST_BINDINGS, MOST_BINDING_TEXT } from "../../size-limits.js";
import { isGrpcRoute } from "./scope.js";

/** What is bound for each pair of listener and hostname. */
export interface MatchesSize {
  readonly matches: number;
  /** Characters of all paths and conditions. */
  readonly text: number;
}

/** Pairs of a listener that serves and a host that it and the route have in common. */
export function boundHosts(own: readonly OwnParent[]): number {
  const hosts = new Map<ListenerState, number>();
  for (const { attached } of own) {
    for (const attachment of attached.ok ? attached.attachments : []) {
      const { listener } = attachment;
      if (listener.serves !== undefined) hosts.set(listener, attachment.hosts.length);
    }
  }
  return [...hosts.values()].reduce((sum, count) => sum + count, 0);
}

/** Why so much can't be bound to so many pairs; undefined: it can. */
export function sizeProblem({ matches, text }: MatchesSize, pairs: number): string | undefined {
  const advice =
    "; write fewer hostnames or matches, or name single listeners (parentRefs[].sectionName)";
  const of = `${String(matches)} matches on ${String(pairs)} pairs of listener and hostname`;
  if (matches * pairs > MOST_BINDINGS) {
    const made = String(matches * pairs);
    return `${of} make ${made} bindings; a route may have ${String(MOST_BINDINGS)}${advice}`;
  }
  if (text * pairs <= MOST_BINDING_TEXT) return undefined;
  const made = String(text * pairs);
  return `${of} make ${made} characters of paths and conditions; a route may have ${String(MOST_BINDING_TEXT)}${advice}`;
}

/** From the manifest alone: nothing is made yet. */
export function matchesSize(route: HttpRoute | GrpcRoute): MatchesSize {
  return isGrpcRoute(route) ? grpcSize(route) : httpSize(route);
}

function httpSize({ spec: { rules = [{}] } }: HttpRoute): MatchesSize {
  const texts = rules.flatMap(({ matches }) =>
    orOne(matches).map(
      ({ path, method, headers, queryParams }) =>
        length(path?.value) + length(method) + valuesText(headers) + valuesText(queryParams),
    ),
  );
  return { matches: texts.length, text: sum(texts) };
}

function grpcSize({ spec: { rules = [] } }: GrpcRoute): MatchesSize {
  const texts = rules.flatMap(({ matches }) =>
    orOne(matches).map(
      ({ method, headers }) =>
        length(method?.service) + length(method?.method) + valuesText(headers),
    ),
  );
  return { matches: texts.length, text: sum(texts) };
}

/** A rule without matches is for every request. */
function orOne<T extends object>(matches: readonly T[] | undefined): readonly Partial<T>[] {
  return matches === undefined || matches.length === 0 ? [{}] : matches;
}

function valuesText(values: readonly ValueMatch[] = []): number {
  return sum(values.map(({ name, value }) => name.length + value.length));
}

function length(text = ""): number {
  return text.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
