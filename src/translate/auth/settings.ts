import type { Auth } from "../../api/auth.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { AuthConfig, CredentialSet } from "../../model/auth.js";
import type { Result } from "../../support/result.js";
import type { TranslateContext } from "../context.js";
import type { CredentialSets } from "./credentials.js";
import type { ServicePortRef } from "../backends.js";

/** A field of the user's object, and what to call it in a message. */
export interface LabelledField {
  /** Such as `auth-url` or `forward.url`. */
  readonly label: string;
  readonly field: FieldPath;
}

/** A value that is written; empty texts count as not written. */
export interface Setting<T = string> extends LabelledField {
  readonly value: T;
}

/** What is written of one method. */
export interface MethodSettings {
  /** What switched the method on. */
  readonly place: LabelledField;
}

/** The Auth object in one shape, whether it was written as fields or as annotations. */
export interface AuthSettings {
  /** What made the auth configured. */
  readonly place: LabelledField;
  readonly methods: Readonly<Partial<Record<AuthMethod["field"], MethodSettings>>>;
  /** What was written is no Auth object; decoding has reported why. */
  readonly malformed?: boolean;
  /** Client certificates are asked for, which is not supported. */
  readonly clientCertificates?: LabelledField;
}

/** A method of auth as users write it. methods.ts has the list. */
export interface AuthMethod<S extends MethodSettings = MethodSettings> {
  /** Its field in an Auth object and in the policy. */
  readonly field: "basic" | "forward";
  /** The annotation that switches it on, and those that have an effect with it alone. */
  readonly annotations: { readonly switch: string; readonly others: readonly string[] };
  /** Undefined: the Auth object at `field` does not have the method. */
  fromObject(auth: Auth, field: FieldPath): S | undefined;
  /** `on`: the annotation that switches it on. */
  fromAnnotations(on: Setting, read: (name: string) => Setting | undefined): S;
  /** Undefined: a problem, which is reported, closes the paths. */
  translate(settings: S, owner: AuthOwner): TranslatedMethod | undefined;
}

export interface TranslatedMethod {
  readonly policy: Pick<AuthConfig, AuthMethod["field"]>;
  readonly credentials?: CredentialSet;
  /** The Service whose endpoints the auth service has. */
  readonly service?: ServicePortRef;
}

/** The object that an Auth object stands in, and what its settings may do. */
export interface AuthOwner {
  readonly context: TranslateContext;
  readonly problems: AuthProblems;
  readonly resource: ResourceRef;
  /** ALB2, Frontend and Rule are the operator's: they may name objects of any namespace. */
  readonly operator: boolean;
  readonly sets: CredentialSets;
}

/** A reader of the scalar fields of `spec`, which stands at `field`. */
export function fieldReader<T extends object>(
  spec: T,
  field: FieldPath,
  label: string,
): (name: keyof T & string) => Setting | undefined {
  return (name) => {
    const value = spec[name];
    const text = typeof value === "boolean" ? String(value) : value;
    return typeof text === "string" && text !== ""
      ? { value: text, label: `${label}.${name}`, field: [...field, name] }
      : undefined;
  };
}

/** A problem that closes the paths. */
interface AuthProblem {
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

  /** The parsed value. A problem completes the sentence "<label> …"; it closes the paths, unless there is a value all the same. */
  valueOf<T>(result: Result<T>, place: LabelledField): T | undefined {
    if (result.ok) {
      const { problem } = result;
      if (problem !== undefined) {
        this.warn("AUTH_SETTING_WITHOUT_EFFECT", `${place.label} ${problem}`, place);
      }
      return result.value;
    }
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
