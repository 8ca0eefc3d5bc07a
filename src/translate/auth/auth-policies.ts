import type { Auth } from "../../api/auth.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import { formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/sink.js";
import type { AuthConfig } from "../../model/auth.js";
import { compareBy, compareIds, compareStrings, getOrInsert } from "../../support/collections.js";
import type { TranslateContext } from "../context.js";
import type { AnnotationLookup } from "../ingress/annotations/annotation-reader.js";
import { annotationField, sourceRef } from "../place.js";
import type { AuthTranslator } from "./auth-context.js";
import { AUTH_ENABLE, METHODS, settingsOfAnnotations, settingsOfObject } from "./methods.js";
import type { AuthOwner, AuthSettings, TranslatedMethod } from "./settings.js";
import { AuthProblems } from "./settings.js";

/**
 * Translates Auth objects and auth annotations. Any problem gives a policy with `invalid`, which closes its paths; nothing is
 * thrown and other paths are not affected.
 */
export function createAuthTranslator(context: TranslateContext): AuthTranslator {
  return new Translator(context);
}

class Translator implements AuthTranslator {
  readonly #context: TranslateContext;
  readonly #sets: AuthOwner["sets"] = new Map();
  /** Policies by id, and their methods with what they need. */
  readonly #policies = new Map<
    string,
    { readonly policy: AuthConfig; readonly methods: readonly TranslatedMethod[] }
  >();
  /** Ids by Ingress and settings: paths with equal settings share a policy. */
  readonly #annotated = new Map<string, string>();
  /** Most paths of an Ingress share one lookup. */
  readonly #read = new Map<AnnotationLookup, { readonly ids: readonly string[] | undefined }>();
  /** By annotation: why it has no effect on the paths so far; undefined: it has one. With index prefixes another path may show that. */
  readonly #unused = new Map<string, Report | undefined>();

  constructor(context: TranslateContext) {
    this.#context = context;
  }

  fromObject(
    auth: Auth,
    { resource, field, operator }: Parameters<AuthTranslator["fromObject"]>[1],
  ): readonly string[] {
    const settings = settingsOfObject(auth, field);
    if (settings === undefined) return [];
    const id = authId(resource);
    if (!this.#policies.has(id)) this.#translate(id, settings, resource, operator);
    return [id];
  }

  fromAnnotations(
    lookup: AnnotationLookup,
    owner: Parameters<AuthTranslator["fromAnnotations"]>[1],
  ): readonly string[] | undefined {
    return getOrInsert(this.#read, lookup, () => ({ ids: this.#idsOf(lookup, owner) })).ids;
  }

  #idsOf(
    lookup: AnnotationLookup,
    { resource, pathKey }: Parameters<AuthTranslator["fromAnnotations"]>[1],
  ): readonly string[] | undefined {
    if (this.#isDisabled(lookup, resource)) return [];
    const { auth, companions } = settingsOfAnnotations(lookup);
    for (const { setting, needs, used } of companions) {
      const { label, field } = setting;
      const message = `${label} has no effect without ${needs}`;
      const key = `${authId(resource)} ${formatFieldPath(field)}`;
      if (used) this.#unused.set(key, undefined);
      else if (!this.#unused.has(key)) {
        this.#unused.set(key, { code: "AUTH_SETTING_WITHOUT_EFFECT", message, resource, field });
      }
    }
    if (auth === undefined) return undefined;
    const id = getOrInsert(this.#annotated, `${authId(resource)} ${JSON.stringify(auth)}`, () => {
      const made = `${authId(resource)}/${pathKey}`;
      this.#translate(made, auth, resource, false);
      return made;
    });
    return [id];
  }

  /** Exactly `false`, and not under the compatible domain: anything else leaves auth on. */
  #isDisabled(lookup: AnnotationLookup, resource: ResourceRef): boolean {
    const enable = lookup.find(AUTH_ENABLE);
    if (enable !== undefined && enable.value !== "false" && enable.value !== "true") {
      const message = "auth-enable is neither true nor false; auth stays on";
      const field: FieldPath = annotationField(enable.key);
      const code = "AUTH_SETTING_WITHOUT_EFFECT";
      this.#context.diagnostics.report({ code, message, resource, field });
    }
    return enable?.value === "false";
  }

  add(policy: AuthConfig): void {
    if (!this.#policies.has(policy.id)) this.#policies.set(policy.id, { policy, methods: [] });
  }

  invalid(id: string): string | undefined {
    return this.#policies.get(id)?.policy.invalid;
  }

  collected(): ReturnType<AuthTranslator["collected"]> {
    for (const report of this.#unused.values())
      if (report) this.#context.diagnostics.report(report);
    const all = [...this.#policies.values()];
    const methods = all.flatMap((each) => each.methods);
    const credentials = methods.flatMap((method) => method.credentials ?? []);
    const services = methods.flatMap(({ service }) =>
      service
        ? [[`${service.namespace}/${service.name}/${String(service.port)}`, service] as const]
        : [],
    );
    return {
      auths: all.map(({ policy }) => policy).sort(compareIds),
      credentials: sorted(credentials.map((set) => [set.id, set])),
      services: sorted(services),
    };
  }

  #translate(id: string, settings: AuthSettings, resource: ResourceRef, operator: boolean): void {
    const source = sourceRef({ resource, field: settings.place.field });
    const problems = new AuthProblems(this.#context.diagnostics, resource);
    const sets = this.#sets;
    const owner: AuthOwner = { context: this.#context, problems, resource, operator, sets };
    if (settings.clientCertificates) {
      const place = settings.clientCertificates;
      problems.fail("AUTH_UNSUPPORTED", `${place.label} is unsupported`, place);
    }
    const methods = METHODS.flatMap((method) => {
      const written = settings.methods[method.field];
      return (written && method.translate(written, owner)) ?? [];
    });
    // Not the reason that decoding gave: it quotes the user's text, and this goes into a response header.
    const invalid = settings.malformed === true ? "auth is malformed" : problems.invalid;
    const policy: AuthConfig =
      invalid === undefined
        ? methods.reduce((whole, method) => ({ ...whole, ...method.policy }), { id, source })
        : { id, source, invalid };
    this.#policies.set(id, { policy, methods: invalid === undefined ? methods : [] });
  }
}

/** Of the policy that an Auth object becomes. */
export function authId({ kind, namespace, name }: ResourceRef): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

/** The values by ascending key, each key once. */
function sorted<T>(entries: readonly (readonly [key: string, value: T])[]): readonly T[] {
  return [...new Map(entries)]
    .sort(compareBy(([a], [b]) => compareStrings(a, b)))
    .map(([, value]) => value);
}
