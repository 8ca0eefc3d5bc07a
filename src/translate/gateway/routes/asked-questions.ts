import type { ExternalAuthFilter, ObjectReference } from "../../../api/gateway.js";
import type { ResourceRef } from "../../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../../diagnostics/sink.js";
import { isSameJson } from "../../../status/json.js";
import { memoized } from "../../../support/collections.js";
import type { ServicePortRef } from "../../backends.js";
import type { Place } from "../../place.js";
import type { CoreReference } from "../../reference-grants.js";
import type { AlikeGateways, BackendPort } from "../model.js";
import type { GatewayNames, RouteSurroundings } from "./parents.js";
import type { AnyRoute, RouteContext, RoutePolicies } from "../rule-scope.js";

/** Asks the surroundings of now for the route. Does what asking does besides, too: what is used is collected from who asks for it. */
type Ask<Answer> = (now: RouteSurroundings, route: AnyRoute) => Answer;

interface Question {
  readonly ask: Ask<unknown>;
  readonly answer: unknown;
}

/**
 * What the translation of a route asked, in its order, and the answers. A translation is a function of its route and of these, so with
 * the same answers it gives the same; and up to the first other answer it asks the same.
 */
export class AskedQuestions {
  readonly #questions: Question[] = [];

  /** Whether all answers are what they were. */
  areAnsweredAlike(now: RouteSurroundings, route: AnyRoute): boolean {
    return this.#questions.every(({ ask, answer }) => isSameJson(ask(now, route), answer));
  }

  /** The same surroundings, which listen to what is asked for the route; reports go to `diagnostics`. */
  listen(
    surroundings: RouteSurroundings,
    route: AnyRoute,
    diagnostics: DiagnosticSink,
  ): RouteSurroundings {
    const asking = <Answer>(ask: Ask<Answer>): Answer => {
      const answer = ask(surroundings, route);
      this.#questions.push({ ask, answer });
      return answer;
    };
    const { parents, context } = surroundings;
    return {
      parents,
      policies: listeningPolicies(asking),
      context: listeningContext(context, diagnostics, asking),
    };
  }
}

type Asking = <Answer>(ask: Ask<Answer>) => Answer;

function listeningContext(
  { options }: RouteContext,
  diagnostics: DiagnosticSink,
  asking: Asking,
): RouteContext {
  return {
    options,
    diagnostics,
    service: (namespace, name) => asking(ASK.service(namespace, name)),
    isGranted: (from, to) => asking(ASK.isGranted(from, to)),
    addBackend: (ref) => asking(ASK.addBackend(ref)),
  };
}

function listeningPolicies(asking: Asking): RoutePolicies {
  return {
    backendTls: (gateways, backend) => asking(ASK.backendTls(namesOf(gateways), backend)),
    extension: (ref, place) => asking(ASK.extension(ref, place)),
    externalAuth: (filter, place, gateways) =>
      asking(ASK.externalAuth(filter, place, namesOf(gateways))),
    attached: (_route, rule) => asking(ASK.attached(rule)),
  };
}

/** One list for all questions of the same Gateways. */
const namesOf = memoized((gateways: AlikeGateways): GatewayNames =>
  gateways.map(({ metadata: { namespace, name } }) => ({ namespace, name })),
);

/**
 * Here, where they can hold on to nothing but what they are given: questions are kept for long. Gateways are others in each
 * translation, and are found again by name.
 */
const ASK = {
  service:
    (namespace: string, name: string) =>
    ({ context }: RouteSurroundings) =>
      context.service(namespace, name),
  isGranted:
    (from: ResourceRef, to: CoreReference) =>
    ({ context }: RouteSurroundings) =>
      context.isGranted(from, to),
  addBackend:
    (ref: ServicePortRef) =>
    ({ context }: RouteSurroundings) =>
      context.addBackend(ref),
  backendTls:
    (gateways: GatewayNames, backend: BackendPort) =>
    ({ policies, parents }: RouteSurroundings) =>
      policies.backendTls(parents.gateways(gateways), backend),
  extension:
    (ref: ObjectReference, place: Place) =>
    ({ policies }: RouteSurroundings) =>
      policies.extension(ref, place),
  externalAuth:
    (filter: ExternalAuthFilter, place: Place, gateways: GatewayNames) =>
    ({ policies, parents }: RouteSurroundings) =>
      policies.externalAuth(filter, place, parents.gateways(gateways)),
  attached:
    (rule: string | undefined) =>
    ({ policies }: RouteSurroundings, route: AnyRoute) =>
      policies.attached(route, rule),
};
