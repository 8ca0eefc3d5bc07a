import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { Result } from "../../support/result.js";
import type { LabelledField, Setting } from "./settings.js";

/** A problem that closes the paths. */
export interface AuthProblem {
  readonly code: DiagnosticCode;
  /** Short, without secrets, made of ASCII: clients read it in X-ALB-ERR-REASON. */
  readonly what: string;
  readonly place: LabelledField;
  /** Better advice than the catalogue's. */
  readonly hint?: string;
}

/** Reports what is wrong with one Auth object; the first problem is what its paths answer. */
export class AuthProblems {
  readonly #diagnostics: DiagnosticSink;
  readonly #resource: ResourceRef;
  #invalid: string | undefined;

  constructor(diagnostics: DiagnosticSink, resource: ResourceRef) {
    this.#diagnostics = diagnostics;
    this.#resource = resource;
  }

  /** The first problem; undefined while there is none. */
  get invalid(): string | undefined {
    return this.#invalid;
  }

  /** Closes the paths. */
  fail({ code, what, place, hint }: AuthProblem): void {
    this.#invalid ??= what;
    this.#diagnostics.report({
      code,
      message: what,
      resource: this.#resource,
      field: place.field,
      ...(hint === undefined ? {} : { hint }),
    });
  }

  /** Reports what leaves the auth as it is. */
  warn(code: DiagnosticCode, message: string, place: LabelledField): void {
    this.#diagnostics.report({ code, message, resource: this.#resource, field: place.field });
  }

  /** The parsed value; a problem, which completes the sentence "<label> …", closes the paths. */
  valueOf<T>(result: Result<T>, place: LabelledField): T | undefined {
    if (result.ok) return result.value;
    const what = `${place.label} ${result.problem}`;
    this.fail({ code: "AUTH_CONFIG_INVALID", what, place });
    return undefined;
  }

  /** The parsed value of a setting, `absent` without it, undefined after a problem. */
  optional<W, T>(
    setting: Setting<W> | undefined,
    parse: (written: W) => Result<T>,
    absent: T,
  ): T | undefined {
    return setting === undefined ? absent : this.valueOf(parse(setting.value), setting);
  }
}
