/** The methods of auth, and what Auth objects and annotations say of them. */
import type { Auth } from "../../api/auth.js";
import type { FieldPath, ResourceRef } from "../../diagnostics/diagnostic.js";
import { formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { AnnotationLookup, FoundAnnotation } from "../ingress/annotations/annotation-key.js";
import { annotationField } from "../place.js";
import { BASIC } from "./basic-auth.js";
import { FORWARD } from "./forward-auth.js";
import type { AuthMethod, AuthSettings, LabelledField, Setting } from "./settings.js";

/** In the order in which an auth's are translated and checked. To add one: a file, and a line here. */
export const METHODS: readonly AuthMethod[] = [BASIC, FORWARD];

/** The settings of an Auth object that stands at `field`; undefined when it configures nothing (`{}`). */
export function settingsOfObject(auth: Auth, field: FieldPath): AuthSettings | undefined {
  const place = { label: "auth", field };
  if (auth.invalid !== undefined) return { place, methods: {}, malformed: true };
  const methods = settingsBy((method) => method.fromObject(auth, field));
  return Object.keys(methods).length === 0 ? undefined : { place, methods };
}

function settingsBy(
  read: (method: AuthMethod) => AuthSettings["methods"][AuthMethod["field"]],
): AuthSettings["methods"] {
  return Object.fromEntries(
    METHODS.flatMap((method) => {
      const settings = read(method);
      return settings === undefined ? [] : [[method.field, settings]];
    }),
  );
}

interface AnnotationSettings {
  /** Undefined: the annotations configure no auth. */
  readonly auth: AuthSettings | undefined;
  readonly companions: readonly Companion[];
}

/** An annotation that has an effect only with another one, and whether that one is there for this path. */
interface Companion {
  readonly setting: Setting;
  /** The annotation that switches its method of auth on. */
  readonly needs: string;
  readonly used: boolean;
}

/**
 * Reads the auth annotations of one path. Each method has one that switches it on; an empty value counts as absent, so it also
 * takes back what a lower prefix says. Blanks around a value are dropped, as ingress-nginx does.
 */
export function settingsOfAnnotations(lookup: AnnotationLookup): AnnotationSettings {
  const read = (name: string): Setting | undefined => settingOf(name, lookup.get(name));
  const methods = settingsBy((method) => {
    const on = read(method.annotations.switch);
    return on && method.fromAnnotations(on, read);
  });
  const clientCertificates = read("auth-tls-secret");
  const [first] = Object.values(methods);
  const place: LabelledField | undefined = first?.place ?? clientCertificates;
  const auth = place && {
    place,
    methods,
    ...(clientCertificates && { clientCertificates }),
  };
  return { auth, companions: companions(read) };
}

function settingOf(name: string, found: FoundAnnotation | undefined): Setting | undefined {
  if (found === undefined || found.value === "") return undefined;
  return { value: found.value.trim(), label: name, field: annotationField(found.key) };
}

function companions(read: (name: string) => Setting | undefined): readonly Companion[] {
  return METHODS.flatMap(({ annotations: { switch: needs, others } }) => {
    const used = read(needs) !== undefined;
    return others.flatMap((name) => {
      const found = read(name);
      return found === undefined ? [] : [{ setting: found, needs, used }];
    });
  });
}

/**
 * Finds annotations that serve no path of their Ingress. One that has no effect on one path may have it on another, by their
 * index prefixes, so it can be told only when all paths have been seen.
 */
export class CompanionReports {
  readonly #unused = new Map<string, { readonly resource: ResourceRef; readonly it: Companion }>();
  readonly #used = new Set<string>();

  /** Notes what the annotations of a path are good for. */
  add(resource: ResourceRef, companions: readonly Companion[]): void {
    const { kind, namespace, name } = resource;
    for (const it of companions) {
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
