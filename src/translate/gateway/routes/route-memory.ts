/**
 * What became of routes before, for compilations that follow each other: a route is taken from memory when it is the same, and
 * whatever it asked has the same answer. All questions are asked again, those of auth and TLS to the policies of now, which have read
 * their objects anew: a route whose auth is another one is translated anew.
 */
import type { Report } from "../../../diagnostics/sink.js";
import { DiagnosticSink } from "../../../diagnostics/sink.js";
import type { CompileOptions } from "../../../options.js";
import { differInStatusOnly } from "../../../status/status-only.js";
import { AskedQuestions } from "./asked-questions.js";
import type { ListenerState } from "../model.js";
import type { ListenerPlace, Parents } from "./parents.js";
import type { AnyRoute, RouteSurroundings } from "./scope.js";
import type { TranslatedRoute } from "./translate-route.js";
import { translateRoute } from "./translate-route.js";

interface Remembered {
  readonly route: AnyRoute;
  /** See Parents.describe. */
  readonly parents: string;
  readonly questions: AskedQuestions;
  readonly reports: readonly Report[];
  readonly listeners: readonly ListenerPlace[];
  readonly translated: Omit<TranslatedRoute, "listeners">;
}

export class RouteMemory {
  #routes: ReadonlyMap<string, Remembered> = new Map();
  #options: string | undefined;

  /** Each with its reports. */
  translate(
    routes: readonly AnyRoute[],
    surroundings: RouteSurroundings,
  ): readonly TranslatedRoute[] {
    const known = this.#knownWith(surroundings.context.options);
    const now = new Map<string, Remembered>();
    const translated = routes.map((route) => {
      const key = keyOf(route);
      const remembered = recalled(known.get(key), route, surroundings) ?? made(route, surroundings);
      now.set(key, remembered);
      surroundings.context.diagnostics.addAll(remembered.reports);
      return { ...remembered.translated, listeners: listenersOf(remembered, surroundings.parents) };
    });
    this.#routes = now;
    return translated;
  }

  /** Options are the same for all routes, and hardly ever others. */
  #knownWith(options: CompileOptions): ReadonlyMap<string, Remembered> {
    const text = JSON.stringify(options);
    const known = text === this.#options ? this.#routes : new Map<string, Remembered>();
    this.#options = text;
    return known;
  }
}

function recalled(
  remembered: Remembered | undefined,
  route: AnyRoute,
  surroundings: RouteSurroundings,
): Remembered | undefined {
  if (remembered === undefined) return undefined;
  const isSame = remembered.route === route || differInStatusOnly(remembered.route, route);
  if (!isSame || remembered.parents !== surroundings.parents.describe(route)) return undefined;
  if (!remembered.questions.areAnsweredAlike(surroundings, route)) return undefined;
  return remembered.route === route ? remembered : { ...remembered, route };
}

function made(route: AnyRoute, surroundings: RouteSurroundings): Remembered {
  const { parents } = surroundings;
  const questions = new AskedQuestions();
  const sink = new DiagnosticSink();
  const listening = questions.listen(surroundings, route, sink);
  const { listeners, ...translated } = translateRoute(route, listening);
  return {
    route,
    parents: parents.describe(route),
    questions,
    reports: sink.reports,
    listeners: [...listeners].map((listener) => parents.placeOf(listener)),
    translated,
  };
}

function listenersOf({ listeners }: Remembered, parents: Parents): ReadonlySet<ListenerState> {
  return new Set(listeners.map((place) => parents.listenerAt(place)));
}

function keyOf({ kind, metadata: { namespace, name } }: AnyRoute): string {
  return `${kind} ${namespace}/${name}`;
}
