/**
 * What became of routes before, for compilations that follow each other: a route is taken from memory when it is the same, and
 * whatever it asked has the same answer. All questions are asked again, those of auth and TLS to the policies of now, which have read
 * their objects anew: a route whose auth is another one is translated anew.
 */
import type { Report } from "../../../diagnostics/sink.js";
import { DiagnosticSink } from "../../../diagnostics/sink.js";
import type { CompileOptions } from "../../../model/options.js";
import { differInStatusOnly } from "../../../status/json.js";
import { compareBy, compareStrings } from "../../../support/collections.js";
import { AskedQuestions } from "./asked-questions.js";
import type { ListenerPlace, RouteSurroundings } from "./parents.js";
import type { AnyRoute } from "../rule-scope.js";
import { isGrpcRoute } from "../rule-scope.js";
import type { TranslatedRoute } from "./translate-route.js";
import { translateRoute } from "./translate-route.js";

/** What became of a route. */
export interface Remembered extends Omit<TranslatedRoute, "listeners"> {
  readonly route: AnyRoute;
  /** See Parents.describe. */
  readonly parents: string;
  readonly questions: AskedQuestions;
  readonly reports: readonly Report[];
  /** Those that it is attached to and accepted for. */
  readonly listeners: readonly ListenerPlace[];
}

export class RouteMemory {
  #last: readonly Remembered[] = [];
  #options: string | undefined;

  /** Each kind's routes sorted by namespace and name. Reports what is wrong with them, too. */
  translate(routes: readonly AnyRoute[], surroundings: RouteSurroundings): readonly Remembered[] {
    const before = new Before(this.#lastWith(surroundings.context.options));
    this.#last = routes.map((route) => {
      const remembered =
        recalled(before.ofSameName(route), route, surroundings) ?? made(route, surroundings);
      surroundings.context.diagnostics.addAll(remembered.reports);
      return remembered;
    });
    return this.#last;
  }

  /** Options are the same for all routes, and hardly ever others. */
  #lastWith(options: CompileOptions): readonly Remembered[] {
    const text = JSON.stringify(options);
    const last = text === this.#options ? this.#last : [];
    this.#options = text;
    return last;
  }
}

/** Two sorted lists side by side: no table of thousands of routes has to be made for one that changed. */
class Before {
  readonly #last: readonly Remembered[];
  #at = 0;

  constructor(last: readonly Remembered[]) {
    this.#last = last;
  }

  /** To be asked in the order of the routes. */
  ofSameName(route: AnyRoute): Remembered | undefined {
    for (;;) {
      const here = this.#last[this.#at];
      const order = here === undefined ? 1 : here.route === route ? 0 : inOrder(here.route, route);
      if (order <= 0) this.#at += 1;
      if (order >= 0) return order === 0 ? here : undefined;
    }
  }
}

const inOrder = compareBy<AnyRoute>(
  (a, b) => Number(isGrpcRoute(a)) - Number(isGrpcRoute(b)),
  (a, b) => compareStrings(a.metadata.namespace, b.metadata.namespace),
  (a, b) => compareStrings(a.metadata.name, b.metadata.name),
);

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
  const { listeners, status, routes, bindings } = translateRoute(
    route,
    questions.listen(surroundings, route, sink),
  );
  return {
    route,
    parents: parents.describe(route),
    questions,
    reports: sink.reports,
    listeners: [...listeners].map((listener) => parents.placeOf(listener)),
    status,
    routes,
    bindings,
  };
}
