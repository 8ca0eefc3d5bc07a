/** What methods of auth are made from: settings as users write them, their owner, and the report of their problems. */
import type { AuthMethodName, AuthSpec } from "../../api/auth.js";
import type { KindMap } from "../../api/kinds.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import { type FieldPath, type ResourceRef, formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { AuthConfig, CredentialSet } from "../../model/auth.js";
import { isDnsLabel } from "../../support/ip-address.js";
import { present } from "../../support/json-object.js";
import { type Result, problem } from "../../support/result.js";
import type { ServicePortRef } from "../backends.js";
import type { TranslateContext } from "../context.js";
import { inheritedClosing } from "../reasons.js";
import { hintForUnread } from "../unread-secrets.js";
import { type Annotation, rowsOf } from "../ingress/annotations/annotation.js";
import {
  type NamespacedName,
  isReferenceGranted,
  parseNamespacedName,
} from "../reference-grants.js";

/** A field of the user's object, and what messages call it. */
export interface LabelledField {
  /** Such as `auth-url` or `forward.url`. */
  readonly label: string;
  readonly field: FieldPath;
}

/** A value that is written; an empty text counts as absent. Booleans are text. */
export interface Setting<T = string> extends LabelledField {
  readonly value: T;
}

/** The settings of one method, from an Auth object or from annotations. */
export interface MethodSettings<M extends AuthMethodName = AuthMethodName> {
  /** What switched the method on. */
  readonly place: LabelledField;
  /** Whether the name of a Secret without a namespace means the owner's namespace. */
  readonly bareNames: boolean;
  /** What an auth-snippet says, which no field of an Auth object stands for. */
  readonly snippet?: string;
  /** By field of the Auth object. */
  readonly written: {
    readonly [F in keyof AuthSpec<M>]?: Setting<
      NonNullable<AuthSpec<M>[F]> extends readonly string[] ? readonly string[] : string
    >;
  };
}

/** An Auth object, whether it was written as fields or as annotations. */
export interface AuthSettings {
  /** What made the auth configured. */
  readonly place: LabelledField;
  readonly methods: Readonly<Partial<Record<AuthMethodName, MethodSettings>>>;
  /** What was written is not an Auth object; decoding has reported why. */
  readonly malformed?: boolean;
  /** Client certificates are asked for, which is not supported. */
  readonly clientCertificates?: LabelledField;
}

/** A method of auth. methods.ts has the list; src/api/auth.ts declares the fields. */
export interface AuthMethod<M extends AuthMethodName = AuthMethodName> {
  /** Its name in an Auth object and in the policy. */
  readonly field: M;
  /** Annotations by the field that they stand for. The first one switches the method on; the others have no effect without it. */
  readonly annotations: Readonly<Partial<Record<keyof AuthSpec<M>, Annotation<unknown>>>>;
  /** Undefined: a problem, which is reported, closes the paths. */
  translate(settings: MethodSettings<M>, owner: AuthOwner): TranslatedMethod | undefined;
}

/** The row of an annotation of a method. A problem of its value closes the paths. */
export function authAnnotation<T>(
  name: string,
  type: Annotation<T>["type"],
  doc: string,
): Annotation<T> {
  return rowsOf("auth")(name, type, doc, { fallback: "closed" });
}

export interface TranslatedMethod {
  readonly policy: Partial<AuthConfig>;
  readonly credentials?: CredentialSet;
  /** The Service whose endpoints the auth service has. */
  readonly service?: ServicePortRef;
}

/** The object that holds an Auth object, and what its settings may do. */
export interface AuthOwner {
  readonly context: TranslateContext;
  readonly problems: AuthProblems;
  readonly resource: ResourceRef;
  /** ALB2, Frontend and Rule are the operator's: they may name objects of any namespace. */
  readonly operator: boolean;
  /** By id: what was read from Secrets, so that each one is read and reported once, however many paths it protects. */
  readonly sets: Map<string, Result<CredentialSet>>;
}

const SHOWN_KIND = { Secret: "secret", ConfigMap: "config map" } as const;

/**
 * The object that a setting names. A reference that the owner may not use is reported before the object is looked up, so that the
 * report does not reveal what other namespaces hold.
 */
export function referencedObject<K extends keyof typeof SHOWN_KIND>(
  owner: AuthOwner,
  kind: K,
  setting: Setting,
  bareNames: boolean,
): { readonly shown: string; readonly object: KindMap[K] } | undefined {
  const { problems, resource, context } = owner;
  const reference = parseAuthReference(setting.value, bareNames ? resource.namespace : undefined);
  const name = problems.valueOf(reference, setting);
  if (name === undefined) return undefined;
  const shown = `${SHOWN_KIND[kind]} ${name.namespace}/${name.name}`;
  if (!mayName(owner, kind, name)) {
    const what = `${shown} is in another namespace`;
    problems.fail("AUTH_REFERENCE_FORBIDDEN", what, setting);
    return undefined;
  }
  const object = context.resources.get(kind, name.namespace, name.name);
  if (object === undefined) {
    const hint = kind === "Secret" ? hintForUnread(name, context) : undefined;
    const what = `${shown} ${hint === undefined ? "not found" : "is not read"}`;
    problems.fail("AUTH_REFERENCE_NOT_FOUND", what, setting, hint);
    return undefined;
  }
  return { shown, object };
}

function mayName(owner: AuthOwner, kind: keyof typeof SHOWN_KIND, name: NamespacedName): boolean {
  const { resources, options } = owner.context;
  return (
    owner.operator ||
    name.namespace === owner.resource.namespace ||
    options.allowCrossNamespaceAuth ||
    isReferenceGranted(resources, owner.resource, { kind, ...name })
  );
}

/** RFC 1123: the name of a Secret or ConfigMap is a subdomain. */
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * Parses `<namespace>/<name>`, or a bare `<name>` if `ownNamespace` is given. The result is a valid name, so it may be shown to
 * clients; a problem does not contain the text.
 */
export function parseAuthReference(text: string, ownNamespace?: string): Result<NamespacedName> {
  const parsed = parseNamespacedName(text, ownNamespace);
  if (parsed.ok && isDnsLabel(parsed.value.namespace) && NAME.test(parsed.value.name)) {
    return parsed;
  }
  return problem("must be <namespace>/<name>" + (ownNamespace === undefined ? "" : " or <name>"));
}

/** Reports the problems of one Auth object; its paths answer with the first one. */
export class AuthProblems {
  readonly #diagnostics: DiagnosticSink;
  readonly #resource: ResourceRef;
  #invalid: string | undefined;
  /** Of its problems that close. */
  readonly fields: string[] = [];

  constructor(diagnostics: DiagnosticSink, resource: ResourceRef) {
    this.#diagnostics = diagnostics;
    this.#resource = resource;
  }

  /** The first problem; undefined while there is none. */
  get invalid(): string | undefined {
    return this.#invalid;
  }

  /**
   * Closes the paths. `what` is short and without secrets, because clients read it in X-ALB-ERR-REASON (other characters than ASCII's
   * as "?"); `hint` replaces the catalogue's.
   */
  fail(code: DiagnosticCode, what: string, place: LabelledField, hint?: string): void {
    this.#invalid ??= what.replace(/[^ -~]/gu, "?");
    this.fields.push(formatFieldPath(place.field));
    const message = inheritedClosing(what, this.#resource);
    const report = { code, message, resource: this.#resource, field: place.field };
    this.#diagnostics.report({ ...report, ...present("hint", hint) });
  }

  /** Reports a problem that leaves the auth as it is. */
  warn(code: DiagnosticCode, message: string, place: LabelledField): void {
    this.#diagnostics.report({ code, message, resource: this.#resource, field: place.field });
  }

  /** The parsed value. A problem completes the sentence "<label> …"; it closes the paths unless the result has a value, too. */
  valueOf<T>(result: Result<T>, place: LabelledField, hint?: string): T | undefined {
    if (result.ok) {
      const { problem: partial } = result;
      if (partial !== undefined) {
        this.warn("AUTH_SETTING_WITHOUT_EFFECT", `${place.label} ${partial}`, place);
      }
      return result.value;
    }
    const what = `${place.label} ${result.problem}`;
    this.fail("AUTH_CONFIG_INVALID", what, place, hint);
    return undefined;
  }

  /** The parsed value of a setting, `absent` without it, undefined after a problem. */
  optional<W, T>(
    setting: Setting<W> | undefined,
    parse: (written: W) => Result<T>,
    absent: T,
    hint?: string,
  ): T | undefined {
    return setting === undefined ? absent : this.valueOf(parse(setting.value), setting, hint);
  }
}
