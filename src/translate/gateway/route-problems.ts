import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import { formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { Place } from "../place.js";

/** Why a rule can't be served as written. */
type RefusedReason = "UnsupportedValue" | "IncompatibleFilters";

/** Why an object that a rule names can't be used. */
export type UnresolvedReason =
  | "BackendNotFound"
  | "InvalidKind"
  | "RefNotPermitted"
  | "UnsupportedProtocol"
  | "UnsupportedValue";

export interface RouteProblem<R extends string> {
  readonly reason: R;
  /** For a condition: starts with the field, if it is not about the whole route. */
  readonly message: string;
  readonly field: string;
}

const REFUSED_CODES: Readonly<Record<RefusedReason, DiagnosticCode>> = {
  UnsupportedValue: "ROUTE_VALUE_UNSUPPORTED",
  IncompatibleFilters: "ROUTE_FILTERS_INCOMPATIBLE",
};

const UNRESOLVED_CODES: Readonly<Record<UnresolvedReason, DiagnosticCode>> = {
  BackendNotFound: "ROUTE_BACKEND_NOT_FOUND",
  InvalidKind: "ROUTE_BACKEND_KIND",
  RefNotPermitted: "ROUTE_BACKEND_NOT_PERMITTED",
  UnsupportedProtocol: "ROUTE_BACKEND_PROTOCOL",
  UnsupportedValue: "ROUTE_BACKEND_EXTERNAL_NAME",
};

/** The problems of a route or of one of its rules: each is reported, and kept for the conditions of the route's status. */
export class RouteProblems {
  readonly #diagnostics: DiagnosticSink;
  readonly #refused = new Map<string, RouteProblem<RefusedReason>>();
  readonly #unresolved = new Map<string, RouteProblem<UnresolvedReason>>();

  constructor(diagnostics: DiagnosticSink) {
    this.#diagnostics = diagnostics;
  }

  /** In the order in which they were found, without repeats. */
  get refused(): readonly RouteProblem<RefusedReason>[] {
    return [...this.#refused.values()];
  }

  get unresolved(): readonly RouteProblem<UnresolvedReason>[] {
    return [...this.#unresolved.values()];
  }

  unsupported(message: string, place: Place): void {
    this.#refuse("UnsupportedValue", message, place);
  }

  incompatible(message: string, place: Place): void {
    this.#refuse("IncompatibleFilters", message, place);
  }

  /** Served, but with less of something than is asked for. */
  lessened(message: string, place: Place): void {
    this.#diagnostics.report({ code: "ROUTE_VALUE_LESSENED", message, ...place });
  }

  /** For a whole route. */
  tooLarge(message: string, place: Place, code: DiagnosticCode = "ROUTE_TOO_LARGE"): void {
    this.#refuse("UnsupportedValue", message, place, code);
  }

  unresolvable(
    reason: UnresolvedReason,
    message: string,
    place: Place,
    code: DiagnosticCode = UNRESOLVED_CODES[reason],
  ): void {
    this.#diagnostics.report({ code, message, ...place });
    this.reported(reason, message, place);
  }

  /** Like `unresolvable`, but without a diagnostic: it is reported elsewhere. */
  reported(reason: UnresolvedReason, message: string, place: Place): void {
    const finding = findingOf(reason, message, place);
    this.#unresolved.set(finding.message, finding);
  }

  /** The value if it is one of `choices`; any other value, perhaps of a later API version, is unsupported. */
  choice<T extends string>(value: string, choices: readonly T[], place: Place): T | undefined {
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) {
      const known = choices.length === 1 ? "not" : "none of";
      this.unsupported(`${JSON.stringify(value)} is ${known} ${choices.join(", ")}`, place);
    }
    return chosen;
  }

  #refuse(
    reason: RefusedReason,
    message: string,
    place: Place,
    code: DiagnosticCode = REFUSED_CODES[reason],
  ): void {
    this.#diagnostics.report({ code, message, ...place });
    const finding = findingOf(reason, message, place);
    this.#refused.set(finding.message, finding);
  }
}

/** The problems of a translated rule. */
export interface RuleOutcome {
  readonly name?: string | undefined;
  readonly index: number;
  readonly problems: RouteProblems;
}

function findingOf<R extends string>(reason: R, message: string, place: Place): RouteProblem<R> {
  const field = formatFieldPath(place.field);
  return { reason, field, message: field === "" ? message : `${field}: ${message}` };
}
