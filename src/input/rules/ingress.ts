/** What an API server checks in an Ingress or IngressClass beyond its schema. */
import type { Ingress, IngressClass } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import {
  type Reports,
  checkText,
  hostProblem,
  invalid,
  labelProblem,
  missing,
  pathProblems,
  pathSegmentProblem,
  portNameProblem,
  shown,
  subdomainProblem,
} from "./names.js";

type IngressSpec = NonNullable<Ingress["spec"]>;
type Backend = NonNullable<IngressSpec["defaultBackend"]>;

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";

export function* checkIngress(ingress: Ingress): Reports {
  const spec = ingress.spec ?? {};
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    yield missing(["spec", "rules"], "an Ingress needs rules or a defaultBackend");
  }
  yield* checkClass(ingress);
  yield* checkTls(spec.tls ?? []);
  yield* checkRules(rules);
  if (spec.defaultBackend !== undefined)
    yield* checkBackend(spec.defaultBackend, ["spec", "defaultBackend"]);
}

function* checkTls(entries: NonNullable<IngressSpec["tls"]>): Reports {
  for (const [i, { hosts = [], secretName = "" }] of entries.entries()) {
    const field = ["spec", "tls", i];
    for (const [k, host] of hosts.entries()) yield* checkHost(host, [...field, "hosts", k]);
    if (secretName !== "") {
      yield* checkText(secretName, subdomainProblem, [...field, "secretName"], "the name");
    }
  }
}

function* checkRules(rules: NonNullable<IngressSpec["rules"]>): Reports {
  for (const [i, { host = "", http }] of rules.entries()) {
    const field = ["spec", "rules", i];
    if (host !== "") yield* checkHost(host, [...field, "host"]);
    for (const [k, path] of (http?.paths ?? []).entries()) {
      const place = [...field, "http", "paths", k];
      yield* checkIngressPath(path, [...place, "path"]);
      yield* checkBackend(path.backend, [...place, "backend"]);
    }
  }
}

function* checkClass({ metadata, spec }: Ingress): Reports {
  const ingressClassName = spec?.ingressClassName;
  if (ingressClassName === undefined) return;
  const field = ["spec", "ingressClassName"];
  yield* checkText(ingressClassName, subdomainProblem, field, "the class");
  const annotation = metadata.annotations?.[CLASS_ANNOTATION];
  if (annotation !== undefined && annotation !== ingressClassName) {
    yield invalid(
      ["metadata", "annotations", CLASS_ANNOTATION],
      `the annotation names the class ${shown(annotation)}, but spec.ingressClassName is ${shown(ingressClassName)}`,
      `remove the annotation; spec.ingressClassName replaces it`,
    );
  }
}

function checkHost(host: string, field: FieldPath): Reports {
  return checkText(host, hostProblem, field, "the host");
}

export function* checkIngressPath(
  { path: text = "", pathType }: { readonly path?: string; readonly pathType: string },
  place: FieldPath,
): Reports {
  const whole = pathType === "Exact" || pathType === "Prefix";
  if (!text.startsWith("/") && (whole || text !== "")) {
    yield invalid(place, `the path ${shown(text)} of type ${pathType} must begin with '/'`);
    return;
  }
  if (!whole) return;
  for (const problem of pathProblems(text))
    yield invalid(place, `the path ${shown(text)} ${problem}`);
}

function* checkBackend(backend: Backend, field: FieldPath): Reports {
  const { service, resource } = backend;
  if (service !== undefined && resource !== undefined) {
    yield invalid(field, "a backend may name a service or a resource, not both");
  }
  if (service === undefined && resource === undefined) {
    yield missing(
      [...field, "service"],
      "a backend needs a service or a resource",
      "add service: {name: …, port: {number: …}}; serviceName and servicePort are no longer read",
    );
  }
  if (service !== undefined) yield* checkServiceBackend(service, [...field, "service"]);
  if (resource !== undefined) {
    yield* checkText(resource.name, pathSegmentProblem, [...field, "resource", "name"], "the name");
  }
}

function* checkServiceBackend(service: NonNullable<Backend["service"]>, field: FieldPath): Reports {
  yield* checkText(service.name, labelProblem, [...field, "name"], "the Service name");
  const { name = "", number } = service.port ?? {};
  if (name !== "" && number !== undefined) {
    yield invalid([...field, "port"], "a backend's port has a name or a number, not both");
  }
  if (name === "" && number === undefined) {
    yield missing(
      [...field, "port"],
      "a backend's port needs a name or a number",
      "add port: {number: 80} or port: {name: http}",
    );
  }
  if (name !== "") {
    yield* checkText(name, portNameProblem, [...field, "port", "name"], "the port name");
  }
}

export function* checkIngressClass({ spec }: IngressClass): Reports {
  const controller = spec?.controller ?? "";
  if (controller === "") {
    yield missing(["spec", "controller"], "an IngressClass needs spec.controller");
  } else if (!isDomainPath(controller)) {
    yield invalid(
      ["spec", "controller"],
      `the controller ${shown(controller)} must be a domain, '/' and a path, as in 'k8s.io/ingress-nginx'`,
    );
  }
  if (spec?.parameters === undefined) return;
  const { scope, namespace } = spec.parameters;
  const field = ["spec", "parameters", "namespace"];
  if (scope === "Namespace" && (namespace ?? "") === "") {
    yield missing(field, "parameters with scope Namespace need a namespace");
  }
  if (scope !== "Namespace" && namespace !== undefined) {
    yield invalid(field, "parameters with scope Cluster must not have a namespace");
  }
}

function isDomainPath(text: string): boolean {
  const slash = text.indexOf("/");
  const domain = text.slice(0, Math.max(slash, 0)).toLowerCase();
  return subdomainProblem(domain) === undefined && slash < text.length - 1;
}
