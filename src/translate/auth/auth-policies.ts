import type { Auth } from "../../api/auth.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import type { AuthConfig, CredentialSet } from "../../model/auth.js";
import { compareBy, compareStrings } from "../../support/collections.js";
import type { BuildContext, TranslateContext } from "../context.js";
import type { AnnotationLookup } from "../ingress/annotations/annotation-key.js";
import { annotationField, sourceRef } from "../place.js";
import { CompanionReports, METHODS, settingsOfAnnotations, settingsOfObject } from "./methods.js";
import { AuthProblems } from "./settings.js";
import type { ServicePortRef } from "../backends.js";
import type { AuthOwner, AuthSettings, TranslatedMethod } from "./settings.js";

/** Where an Auth object stands. */
export interface ObjectOwner {
  readonly resource: ResourceRef;
  /** Field of the Auth object, such as `["spec", "config", "auth"]`. */
  readonly field: FieldPath;
  /** ALB2, Frontend and Rule are the operator's: they may name secrets and config maps of any namespace. */
  readonly operator: boolean;
}

/** Whose annotations are read. */
export interface AnnotationOwner {
  readonly resource: ResourceRef;
  /** Names the path within its Ingress: `<rule>-<path>`. */
  readonly pathKey: string;
}

/** What the annotations say for a path: no auth at all, or these policies; undefined when it inherits. */
export type AnnotatedAuth =
  { readonly disabled: true } | { readonly ids: readonly string[] } | undefined;

export interface AuthTranslator {
  /** Ids for `Route.auth`, none for an object that configures nothing. */
  fromObject(auth: Auth, owner: ObjectOwner): readonly string[];
  fromAnnotations(lookup: AnnotationLookup, owner: AnnotationOwner): AnnotatedAuth;
  /** Takes a policy that was made elsewhere; the first of an id stays. The Service of its URL must be added as upstream. */
  add(policy: AuthConfig): void;
  /** Why the paths of a translated policy are closed; undefined when they are not. */
  invalid(id: string): string | undefined;
  /**
   * All that was translated, sorted; to be called last, since it reports annotations that turned out to serve no path.
   * `services` become upstreams named `<namespace>/<name>/<port>`.
   */
  collected(): CollectedAuth;
}

export interface CollectedAuth {
  readonly auths: readonly AuthConfig[];
  readonly credentials: readonly CredentialSet[];
  readonly services: readonly ServicePortRef[];
}

/** What steps with objects that auth can be set on read, and add to. */
export interface AuthContext extends BuildContext {
  readonly auth: AuthTranslator;
}

/**
 * Translates Auth objects and auth annotations. Any problem gives a policy with `invalid`, which closes its paths; nothing is
 * thrown and other paths are not affected.
 */
export function createAuthTranslator(context: TranslateContext): AuthTranslator {
  return new Translator(context);
}

/** A policy, and its methods with what they need. */
interface Translated {
  readonly policy: AuthConfig;
  readonly translated: readonly TranslatedMethod[];
}

class Translator implements AuthTranslator {
  readonly #context: TranslateContext;
  readonly #sets: AuthOwner["sets"] = new Map();
  readonly #companions = new CompanionReports();
  readonly #byId = new Map<string, Translated>();
  /** Ids by Ingress and settings: paths with equal settings share a policy. */
  readonly #annotated = new Map<string, string>();
  /** Most paths of an Ingress share one lookup. */
  readonly #read = new Map<AnnotationLookup, AnnotatedAuth>();

  constructor(context: TranslateContext) {
    this.#context = context;
  }

  fromObject(auth: Auth, { resource, field, operator }: ObjectOwner): readonly string[] {
    const settings = settingsOfObject(auth, field);
    if (settings === undefined) return [];
    const id = objectId(resource);
    if (!this.#byId.has(id)) this.#byId.set(id, this.#translate(id, settings, resource, operator));
    return [id];
  }

  fromAnnotations(lookup: AnnotationLookup, owner: AnnotationOwner): AnnotatedAuth {
    if (this.#read.has(lookup)) return this.#read.get(lookup);
    const auth = this.#fromNew(lookup, owner);
    this.#read.set(lookup, auth);
    return auth;
  }

  #fromNew(lookup: AnnotationLookup, { resource, pathKey }: AnnotationOwner): AnnotatedAuth {
    const problems = new AuthProblems(this.#context.diagnostics, resource);
    if (isDisabled(lookup, problems)) return { disabled: true };
    const { auth, companions } = settingsOfAnnotations(lookup);
    this.#companions.add(resource, companions);
    if (auth === undefined) return undefined;
    const key = `${objectId(resource)} ${JSON.stringify(auth)}`;
    const known = this.#annotated.get(key);
    if (known !== undefined) return { ids: [known] };
    const id = `${objectId(resource)}/${pathKey}`;
    this.#annotated.set(key, id);
    this.#byId.set(id, this.#translate(id, auth, resource, false));
    return { ids: [id] };
  }

  add(policy: AuthConfig): void {
    if (!this.#byId.has(policy.id)) this.#byId.set(policy.id, { policy, translated: [] });
  }

  invalid(id: string): string | undefined {
    return this.#byId.get(id)?.policy.invalid;
  }

  collected(): CollectedAuth {
    this.#companions.report(this.#context.diagnostics);
    const all = [...this.#byId.values()];
    const methods = all.flatMap(({ translated }) => translated);
    return {
      auths: sortedBy(
        all.map(({ policy }) => policy),
        ({ id }) => id,
      ),
      credentials: sortedBy(
        methods.flatMap(({ credentials }) => credentials ?? []),
        ({ id }) => id,
      ),
      services: sortedBy(
        methods.flatMap(({ service }) => service ?? []),
        serviceKey,
      ),
    };
  }

  #translate(
    id: string,
    settings: AuthSettings,
    resource: ResourceRef,
    operator: boolean,
  ): Translated {
    const source = sourceRef({ resource, field: settings.place.field });
    // Not the reason that decoding gave: it quotes the user's text, and this goes into a response header.
    if (settings.malformed === true)
      return { policy: { id, source, invalid: "auth is malformed" }, translated: [] };
    const problems = new AuthProblems(this.#context.diagnostics, resource);
    const sets = this.#sets;
    const owner: AuthOwner = { context: this.#context, problems, resource, operator, sets };
    if (settings.clientCertificates) {
      const place = settings.clientCertificates;
      problems.fail({ code: "AUTH_UNSUPPORTED", what: `${place.label} is unsupported`, place });
    }
    const translated = METHODS.flatMap((method) => {
      const written = settings.methods[method.field];
      return (written && method.translate(written, owner)) ?? [];
    });
    if (problems.invalid !== undefined) {
      return { policy: { id, source, invalid: problems.invalid }, translated: [] };
    }
    const policy = translated.reduce<AuthConfig>(
      (whole, method) => ({ ...whole, ...method.policy }),
      { id, source },
    );
    return { policy, translated };
  }
}

/** Exactly `false`, and not under the compatible domain: anything else leaves auth on. */
function isDisabled(lookup: AnnotationLookup, problems: AuthProblems): boolean {
  const enable = lookup.get("auth-enable", ["index", "own"]);
  if (enable !== undefined && enable.value !== "false" && enable.value !== "true") {
    problems.warn(
      "AUTH_SETTING_WITHOUT_EFFECT",
      "auth-enable is neither true nor false; auth stays on",
      {
        label: "auth-enable",
        field: annotationField(enable.key),
      },
    );
  }
  return enable?.value === "false";
}

function objectId({ kind, namespace, name }: ResourceRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

function serviceKey({ namespace, name, port }: ServicePortRef): string {
  return `${namespace}/${name}/${String(port)}`;
}

/** Sorted by key, each key once. */
function sortedBy<T>(values: readonly T[], key: (value: T) => string): readonly T[] {
  const byKey = new Map(values.map((value) => [key(value), value]));
  return [...byKey].sort(compareBy(([a], [b]) => compareStrings(a, b))).map(([, value]) => value);
}
