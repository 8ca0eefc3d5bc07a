import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import { formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { AnnotationLookup, FoundAnnotation } from "../ingress/annotations/annotation-key.js";
import { annotationField } from "../place.js";
import type { AuthSettings, BasicSettings, ForwardSettings, Setting } from "./settings.js";

/** The annotations that only serve the method of auth that another one switches on. */
const COMPANIONS: readonly { readonly switch: string; readonly names: readonly string[] }[] = [
  { switch: "auth-type", names: ["auth-secret", "auth-secret-type", "auth-realm"] },
  {
    switch: "auth-url",
    names: [
      "auth-method",
      "auth-signin",
      "auth-signin-redirect-param",
      "auth-response-headers",
      "auth-proxy-set-headers",
      "auth-request-redirect",
      "auth-always-set-cookie",
    ],
  },
];

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
 * Reads the auth annotations of one path. `auth-type` switches basic auth on, `auth-url` forward auth; an empty value
 * counts as absent, so it also takes back what a lower prefix says. Blanks around a value are dropped, as ingress-nginx does.
 */
export function settingsOfAnnotations(lookup: AnnotationLookup): AnnotationSettings {
  const read = (name: string): Setting | undefined => setting(name, lookup.get(name));
  const type = read("auth-type");
  const url = read("auth-url");
  const clientCertificates = read("auth-tls-secret");
  const place = type ?? url ?? clientCertificates;
  const auth = place && {
    place,
    ...(type && { basic: basicOf(type, read) }),
    ...(url && { forward: forwardOf(url, read) }),
    ...(clientCertificates && { clientCertificates }),
  };
  return { auth, companions: companions(read) };
}

function setting(name: string, found: FoundAnnotation | undefined): Setting | undefined {
  if (found === undefined || found.value === "") return undefined;
  return { value: found.value.trim(), label: name, field: annotationField(found.key) };
}

function basicOf(type: Setting, read: (name: string) => Setting | undefined): BasicSettings {
  return {
    place: type,
    type,
    realm: read("auth-realm"),
    secret: read("auth-secret"),
    secretType: read("auth-secret-type"),
    bareSecretNames: true,
  };
}

function forwardOf(url: Setting, read: (name: string) => Setting | undefined): ForwardSettings {
  const headers = read("auth-response-headers");
  return {
    place: url,
    url,
    method: read("auth-method"),
    signin: read("auth-signin"),
    signinParameter: read("auth-signin-redirect-param"),
    responseHeaders: headers && { ...headers, value: headers.value.split(",") },
    headersReference: read("auth-proxy-set-headers"),
    requestRedirect: read("auth-request-redirect"),
    alwaysSetCookie: read("auth-always-set-cookie"),
  };
}

function companions(read: (name: string) => Setting | undefined): readonly Companion[] {
  return COMPANIONS.flatMap(({ switch: needs, names }) => {
    const used = read(needs) !== undefined;
    return names.flatMap((name) => {
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
