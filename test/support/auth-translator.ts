/** An auth translator over manifests, for tests. */
import { DiagnosticSink } from "../../src/diagnostics/sink.js";
import {
  type Diagnostic,
  type ResourceRef,
  formatFieldPath,
} from "../../src/diagnostics/diagnostic.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { AuthConfig } from "../../src/model/auth.js";
import type { AuthTranslator } from "../../src/translate/auth/auth-context.js";
import { createAuthTranslator } from "../../src/translate/auth/auth-translator.js";
import type { PathIndex } from "../../src/translate/ingress/annotations/annotation-key.js";
import { IngressAnnotations } from "../../src/translate/ingress/annotations/annotation-reader.js";

export const HASH = "$apr1$lZL6V/ci$PR6QJXkRFUzdUuaYcwrI//";

export const ALB: ResourceRef = ref("crd.alauda.io/v2", "ALB2", "cpaas-system", "alb");
export const INGRESS: ResourceRef = ref("networking.k8s.io/v1", "Ingress", "default", "web");

export interface Harness {
  readonly translator: AuthTranslator;
  /** `[code, object, field, message]` of every report. */
  reports(): readonly (readonly string[])[];
  diagnostics(): readonly Diagnostic[];
  /** The policy of an id. */
  policy(id: string | undefined): AuthConfig;
  /** What the annotations of INGRESS say for a path. */
  annotated(
    annotations: Readonly<Record<string, string>>,
    index?: PathIndex,
  ): ReturnType<AuthTranslator["fromAnnotations"]>;
  /** The one policy that the annotations give. */
  policyOf(annotations: Readonly<Record<string, string>>): AuthConfig;
}

export function harness(yaml = "", options: Partial<CompileOptions> = {}): Harness {
  const loaded = resourcesFromYaml(yaml);
  if (loaded.diagnostics.length > 0) throw new Error(JSON.stringify(loaded.diagnostics));
  const sink = new DiagnosticSink();
  const context = {
    resources: loaded.resources,
    options: { ...DEFAULT_OPTIONS, ...options },
    diagnostics: sink,
  };
  const translator = createAuthTranslator(context);
  const self: Harness = {
    translator,
    diagnostics: () => sink.sorted(),
    reports: () => {
      translator.collected();
      return sink
        .sorted()
        .map(({ code, resource, field, message }) => [
          code,
          `${String(resource?.kind)} ${String(resource?.namespace)}/${String(resource?.name)}`,
          formatFieldPath(field ?? []),
          message,
        ]);
    },
    policy: (id) => {
      const found = translator.collected().auths.find((auth) => auth.id === id);
      if (found === undefined) throw new Error(`no policy ${String(id)}`);
      return found;
    },
    annotated: (annotations, index = { rule: 0, path: 0 }) =>
      translator.fromAnnotations(
        new IngressAnnotations(annotations, DEFAULT_OPTIONS.domains).at(index),
        INGRESS,
      ),
    policyOf: (annotations) => {
      const [id] = self.annotated(annotations) ?? [];
      return self.policy(id);
    },
  };
  return self;
}

/** `auth-url` under the compatible domain, and so on. */
export function compat(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return prefixed(names, "nginx.ingress.kubernetes.io");
}

export function own(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return prefixed(names, "alb.ingress.cpaas.io");
}

function prefixed(names: Readonly<Record<string, string>>, prefix: string) {
  return Object.fromEntries(Object.entries(names).map(([name, v]) => [`${prefix}/${name}`, v]));
}

function ref(apiVersion: string, kind: string, namespace: string, name: string): ResourceRef {
  return { apiVersion, kind, namespace, name };
}

export function secret(name: string, data: Readonly<Record<string, string>>): string {
  return object("Secret", name, { stringData: data });
}

export function configMap(name: string, data: Readonly<Record<string, string>>): string {
  return object("ConfigMap", name, { data });
}

/** A core object `<namespace>/<name>`; JSON is YAML. */
export function object(kind: string, path: string, rest: object): string {
  const [namespace, name] = path.split("/");
  return `---\n${JSON.stringify({ apiVersion: "v1", kind, metadata: { namespace, name }, ...rest })}\n`;
}

export function grant(namespace: string, spec: object): string {
  const metadata = { namespace, name: "grant" };
  const apiVersion = "gateway.networking.k8s.io/v1beta1";
  return `---\n${JSON.stringify({ apiVersion, kind: "ReferenceGrant", metadata, spec })}\n`;
}
