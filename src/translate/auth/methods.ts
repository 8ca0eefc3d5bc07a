/** The list of auth methods, and how their settings are read from Auth objects and annotations. */
import type { Auth, AuthMethodName } from "../../api/auth.js";
import { AUTH_METHODS } from "../../api/auth.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import { formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { Annotation } from "../ingress/annotations/annotation.js";
import type { AnnotationLookup } from "../ingress/annotations/annotation-key.js";
import { own } from "../../support/json-object.js";
import { annotationField } from "../place.js";
import { BASIC } from "./basic-auth.js";
import { FORWARD } from "./forward-auth.js";
import type { AuthMethod, AuthSettings, MethodSettings, Setting } from "./settings.js";

/** To add a method: its file, and a line here; the order is that of AUTH_METHODS. */
const BY_NAME: { readonly [M in AuthMethodName]: AuthMethod<M> } = {
  basic: BASIC,
  forward: FORWARD,
};

/** In the order in which they are translated and checked. */
export const METHODS: readonly AuthMethod[] = Object.keys(AUTH_METHODS).flatMap((name) =>
  Object.values(BY_NAME).filter(({ field }) => field === name),
);

/** Field of the Auth object and row of each annotation of a method, the one that switches it on first. */
export function methodAnnotations(
  method: AuthMethod,
): readonly (readonly [field: string, Annotation<unknown>])[] {
  return Object.entries<Annotation<unknown>>(method.annotations);
}

/** The settings of an Auth object at `field`; undefined if it configures nothing (`{}`). */
export function settingsOfObject(auth: Auth, field: FieldPath): AuthSettings | undefined {
  const place = { label: "auth", field };
  if (auth.invalid !== undefined) return { place, methods: {}, malformed: true };
  const methods = methodsBy((method) => fromObject(method, auth, field));
  return Object.keys(methods).length === 0 ? undefined : { place, methods };
}

function methodsBy(
  read: (method: AuthMethod) => MethodSettings | undefined,
): AuthSettings["methods"] {
  return Object.fromEntries(
    METHODS.flatMap((method) => {
      const settings = read(method);
      return settings === undefined ? [] : [[method.field, settings]];
    }),
  );
}

function fromObject({ field: name }: AuthMethod, auth: Auth, parent: FieldPath) {
  const spec = auth[name];
  if (spec === undefined) return undefined;
  const field = [...parent, name];
  const written = Object.entries(spec).flatMap(([key, given]) => {
    const value = typeof given === "boolean" ? String(given) : given;
    const setting = { value, label: `${name}.${key}`, field: [...field, key] };
    return value === "" ? [] : [[key, setting] as const];
  });
  return { place: { label: name, field }, bareNames: false, written: Object.fromEntries(written) };
}

/**
 * The settings of one path's annotations; undefined if they configure no auth. Each method has one that switches it on. An empty value
 * counts as absent, so it also overrides a lower prefix. Blanks around a value are dropped, as in ingress-nginx.
 */
export function settingsOfAnnotations(lookup: AnnotationLookup): {
  readonly auth: AuthSettings | undefined;
  readonly companions: readonly Companion[];
} {
  const read = (name: string): Setting | undefined => {
    const found = lookup.get(name);
    if (found === undefined || found.value === "") return undefined;
    return { value: found.value.trim(), label: name, field: annotationField(found.key) };
  };
  const methods = methodsBy((method) => fromAnnotations(method, read));
  const clientCertificates = read("auth-tls-secret");
  const [first] = Object.values(methods);
  const place = first?.place ?? clientCertificates;
  const auth = place && { place, methods, ...(clientCertificates && { clientCertificates }) };
  return { auth, companions: companions(read) };
}

function fromAnnotations(method: AuthMethod, read: (name: string) => Setting | undefined) {
  const settings = methodAnnotations(method).map(
    ([field, { name }]) => [field, read(name)] as const,
  );
  const place = settings[0]?.[1];
  if (place === undefined) return undefined;
  const { properties = {} } = AUTH_METHODS[method.field].schema;
  const written = settings.flatMap(([field, setting]) => {
    if (setting === undefined) return [];
    const isList = own(properties, field)?.type === "array";
    return [[field, isList ? { ...setting, value: setting.value.split(",") } : setting] as const];
  });
  return { place, bareNames: true, written: Object.fromEntries(written) };
}

/** An annotation that has an effect only beside another one, and whether this path has that one. */
interface Companion {
  readonly setting: Setting;
  /** The annotation that switches the method on. */
  readonly needs: string;
  readonly used: boolean;
}

function companions(read: (name: string) => Setting | undefined): readonly Companion[] {
  return METHODS.flatMap((method) => {
    const [needs = "", ...others] = methodAnnotations(method).map(([, { name }]) => name);
    const used = others.length > 0 && read(needs) !== undefined;
    return others.flatMap((name) => {
      const setting = read(name);
      return setting === undefined ? [] : [{ setting, needs, used }];
    });
  });
}

/**
 * Finds annotations that serve no path of their Ingress. With index prefixes, an annotation without effect on one path may have an
 * effect on another, so this is known only after all paths.
 */
export class CompanionReports {
  readonly #unused = new Map<string, { readonly resource: ResourceRef; readonly it: Companion }>();
  readonly #used = new Set<string>();

  /** Notes the annotations of a path. */
  add(resource: ResourceRef, all: readonly Companion[]): void {
    const { kind, namespace, name } = resource;
    for (const it of all) {
      const key = `${kind}/${namespace}/${name} ${formatFieldPath(it.setting.field)}`;
      if (it.used) this.#used.add(key);
      else this.#unused.set(key, { resource, it });
    }
  }

  report(diagnostics: DiagnosticSink): void {
    for (const [key, { resource, it }] of this.#unused) {
      if (this.#used.has(key)) continue;
      diagnostics.report({
        code: "AUTH_SETTING_WITHOUT_EFFECT",
        message: `${it.setting.label} has no effect without ${it.needs}`,
        resource,
        field: it.setting.field,
      });
    }
  }
}
