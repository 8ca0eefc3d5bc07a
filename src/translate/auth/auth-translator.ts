import { createHash } from "node:crypto";
import type { Auth } from "../../api/auth.js";
import { type FieldPath, type ResourceRef, formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/sink.js";
import type { AuthChecks, AuthConfig } from "../../model/auth.js";
import { upstreamId } from "../../model/upstream.js";
import {
  compareBy,
  compareIds,
  compareStrings,
  getOrInsert,
  memoized,
} from "../../support/collections.js";
import type { TranslateContext } from "../context.js";
import type { AnnotationLookup } from "../ingress/annotations/annotation-reader.js";
import { type Place, annotationField, sourceRef } from "../place.js";
import type { AuthTranslator } from "./auth-context.js";
import { AUTH_ENABLE, METHODS, settingsOfAnnotations, settingsOfObject } from "./methods.js";
import {
  type AuthOwner,
  AuthProblems,
  type AuthSettings,
  type TranslatedMethod,
} from "./settings.js";

/**
 * Translates Auth objects and auth annotations. Any problem gives a policy with `invalid`, which closes its paths; nothing is
 * thrown and other paths are not affected.
 */
export function createAuthTranslator(context: TranslateContext): AuthTranslator {
  return new Translator(context);
}

/** Digits of the id of a policy that is named after its content. */
const ID_LENGTH = 32;

interface Translated {
  readonly checks: AuthChecks;
  readonly methods: readonly TranslatedMethod[];
  /** Fields of its object that close its paths. */
  readonly closers: readonly string[];
}

/** Kinds from which no other object inherits auth. */
const OWN_ROUTES: ReadonlySet<string> = new Set(["Ingress", "Rule", "HTTPRoute", "GRPCRoute"]);

class Translator implements AuthTranslator {
  readonly #context: TranslateContext;
  readonly #sets: AuthOwner["sets"] = new Map();
  /** Policies by id, and their methods with what they need. */
  readonly #policies = new Map<
    string,
    { readonly policy: AuthConfig } & Pick<Translated, "methods" | "closers">
  >();
  /** Ids by Ingress and settings: paths with equal settings are translated once. */
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
    if (OWN_ROUTES.has(resource.kind)) return [this.#shared(settings, resource, operator)];
    const id = authId(resource);
    if (!this.#policies.has(id)) {
      const source = sourceRef({ resource, field: settings.place.field });
      const { checks, ...rest } = this.#translate(settings, resource, operator);
      this.#policies.set(id, { policy: { id, source, ...checks }, ...rest });
    }
    return [id];
  }

  fromAnnotations(lookup: AnnotationLookup, resource: ResourceRef): readonly string[] | undefined {
    return getOrInsert(this.#read, lookup, () => ({ ids: this.#idsOf(lookup, resource) })).ids;
  }

  #idsOf(lookup: AnnotationLookup, resource: ResourceRef): readonly string[] | undefined {
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
    const make = (): string => this.#shared(auth, resource, false);
    return [getOrInsert(this.#annotated, `${authId(resource)} ${JSON.stringify(auth)}`, make)];
  }

  #shared(settings: AuthSettings, resource: ResourceRef, operator: boolean): string {
    const translated = this.#translate(settings, resource, operator);
    return this.#add({ resource, field: settings.place.field }, translated);
  }

  share(place: Place, checks: AuthChecks): string {
    const closers = checks.invalid === undefined ? [] : [formatFieldPath(place.field)];
    return this.#add(place, { checks, methods: [], closers });
  }

  #add(place: Place, { checks, ...rest }: Translated): string {
    const isOwn = OWN_ROUTES.has(place.resource.kind);
    const source = isOwn ? formatFieldPath(place.field) : sourceRef(place);
    const content = JSON.stringify([source, checks], withDigests);
    const id = `auth-${createHash("sha256").update(content).digest("hex").slice(0, ID_LENGTH)}`;
    this.#policies.set(id, { policy: { id, source, ...checks }, ...rest });
    return id;
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
    if (!this.#policies.has(policy.id))
      this.#policies.set(policy.id, { policy, methods: [], closers: [] });
  }

  invalid(id: string): string | undefined {
    return this.#policies.get(id)?.policy.invalid;
  }

  closers(id: string): readonly string[] {
    return this.#policies.get(id)?.closers ?? [];
  }

  collected(): ReturnType<AuthTranslator["collected"]> {
    for (const report of this.#unused.values())
      if (report) this.#context.diagnostics.report(report);
    const all = [...this.#policies.values()];
    const methods = all.flatMap((each) => each.methods);
    const credentials = methods.flatMap((method) => method.credentials ?? []);
    const services = methods.flatMap(({ service }) =>
      service ? [[upstreamId(service), service] as const] : [],
    );
    return {
      auths: all.map(({ policy }) => policy).sort(compareIds),
      credentials: sorted(credentials.map((set) => [set.id, set])),
      services: sorted(services),
    };
  }

  #translate(settings: AuthSettings, resource: ResourceRef, operator: boolean): Translated {
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
    const problem = settings.malformed === true ? "auth is malformed" : problems.invalid;
    const checks = methods.reduce<AuthChecks>((all, { policy }) => ({ ...all, ...policy }), {});
    // What is written and gives neither a check nor a problem would open the path.
    const unchecked = METHODS.find(
      ({ field }) => settings.methods[field] !== undefined && checks[field] === undefined,
    );
    const invalid = problem ?? (unchecked && `${unchecked.field} auth can't be checked`);
    if (invalid === undefined) return { checks, methods, closers: [] };
    const closers = [formatFieldPath(settings.place.field), ...problems.fields];
    return { checks: { invalid }, methods: [], closers };
  }
}

/** Thousands of paths may have the headers of one ConfigMap. */
function withDigests(key: string, value: unknown): unknown {
  return key === "headers" && Array.isArray(value) ? digestOf(value) : value;
}

const digestOf = memoized((value: readonly unknown[]) =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex"),
);

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
