import type { Auth, BasicAuthSpec, ForwardAuthSpec } from "../../api/auth.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { Result } from "../../support/result.js";

/** A field of the user's object, and what to call it in a message. */
interface LabelledField {
  /** Such as `auth-url` or `forward.url`. */
  readonly label: string;
  readonly field: FieldPath;
}

/** A value that is written; empty texts count as not written. */
export interface Setting<T = string> extends LabelledField {
  readonly value: T;
}

/** The Auth object in one shape, whether it was written as fields or as annotations. */
export interface AuthSettings {
  /** What made the auth configured. */
  readonly place: LabelledField;
  readonly basic?: BasicSettings;
  readonly forward?: ForwardSettings;
  /** What was written is no Auth object; decoding has reported why. */
  readonly malformed?: boolean;
  /** Client certificates are asked for, which is not supported. */
  readonly clientCertificates?: LabelledField;
}

export interface BasicSettings {
  readonly place: LabelledField;
  readonly type: Setting | undefined;
  readonly realm: Setting | undefined;
  readonly secret: Setting | undefined;
  readonly secretType: Setting | undefined;
  /** A secret's name without namespace means the owner's namespace. */
  readonly bareSecretNames: boolean;
}

export interface ForwardSettings {
  readonly place: LabelledField;
  readonly url: Setting | undefined;
  readonly method: Setting | undefined;
  readonly signin: Setting | undefined;
  readonly signinParameter: Setting | undefined;
  readonly responseHeaders: Setting<readonly string[]> | undefined;
  readonly headersReference: Setting | undefined;
  readonly requestRedirect: Setting | undefined;
  /** Text of a boolean. */
  readonly alwaysSetCookie: Setting | undefined;
}

/** The settings of an Auth object that stands at `field`; undefined when it configures nothing (`{}`). */
export function settingsOfObject(auth: Auth, field: FieldPath): AuthSettings | undefined {
  const place = { label: "auth", field };
  if (auth.invalid !== undefined) return { place, malformed: true };
  if (!auth.basic && !auth.forward) return undefined;
  return {
    place,
    ...(auth.basic && { basic: basicOf(auth.basic, [...field, "basic"]) }),
    ...(auth.forward && { forward: forwardOf(auth.forward, [...field, "forward"]) }),
  };
}

function basicOf(basic: BasicAuthSpec, field: FieldPath): BasicSettings {
  const setting = settingsOf(basic, field, "basic");
  return {
    place: { label: "basic", field },
    type: setting("auth_type"),
    realm: setting("realm"),
    secret: setting("secret"),
    secretType: setting("secret_type"),
    bareSecretNames: false,
  };
}

function forwardOf(forward: ForwardAuthSpec, field: FieldPath): ForwardSettings {
  const setting = settingsOf(forward, field, "forward");
  const headers = forward.upstream_headers;
  return {
    place: { label: "forward", field },
    url: setting("url"),
    method: setting("method"),
    signin: setting("signin"),
    signinParameter: setting("signin_redirect_param"),
    responseHeaders: headers && {
      value: headers,
      label: "forward.upstream_headers",
      field: [...field, "upstream_headers"],
    },
    headersReference: setting("auth_headers_cm_ref"),
    requestRedirect: setting("auth_request_redirect"),
    alwaysSetCookie: setting("always_set_cookie"),
  };
}

/** A reader of the scalar fields of `spec`. */
function settingsOf<T extends object>(
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
