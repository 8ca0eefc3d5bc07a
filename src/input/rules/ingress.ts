/** What an API server checks in an Ingress beyond its schema. */
import type { Ingress, IngressClass } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import type { Reports } from "./reports.js";
import { invalid, missing, shown } from "./reports.js";
import {
  hostProblem,
  labelProblem,
  pathSegmentProblem,
  portNameProblem,
  subdomainProblem,
} from "./names.js";

type Spec = NonNullable<Ingress["spec"]>;
type Backend = NonNullable<Spec["defaultBackend"]>;
type Rule = NonNullable<Spec["rules"]>[number];
type Tls = NonNullable<Spec["tls"]>[number];
type Path = NonNullable<Rule["http"]>["paths"][number];

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const FORBIDDEN_IN_PATH = ["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_AT_END = ["/..", "/."];

export function* checkIngress(ingress: Ingress): Reports {
  const spec = ingress.spec ?? {};
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    yield missing(["spec", "rules"], "an Ingress needs rules or a defaultBackend");
  }
  yield* checkClass(ingress, spec);
  for (const [i, tls] of (spec.tls ?? []).entries()) yield* checkTls(tls, ["spec", "tls", i]);
  for (const [i, rule] of rules.entries()) yield* checkRule(rule, ["spec", "rules", i]);
  if (spec.defaultBackend !== undefined)
    yield* checkBackend(spec.defaultBackend, ["spec", "defaultBackend"]);
}

function* checkTls({ hosts, secretName = "" }: Tls, field: FieldPath): Reports {
  for (const [i, host] of (hosts ?? []).entries()) yield* checkHost(host, [...field, "hosts", i]);
  const problem = secretName === "" ? undefined : subdomainProblem(secretName);
  if (problem !== undefined) {
    yield invalid([...field, "secretName"], `the name ${shown(secretName)} ${problem}`);
  }
}

function* checkClass(ingress: Ingress, spec: Spec): Reports {
  const { ingressClassName } = spec;
  if (ingressClassName === undefined) return;
  const problem = subdomainProblem(ingressClassName);
  if (problem !== undefined) {
    yield invalid(["spec", "ingressClassName"], `the class ${shown(ingressClassName)} ${problem}`);
  }
  const annotation = ingress.metadata.annotations?.[CLASS_ANNOTATION];
  if (annotation !== undefined && annotation !== ingressClassName) {
    yield invalid(
      ["metadata", "annotations", CLASS_ANNOTATION],
      `the annotation names the class ${shown(annotation)}, but spec.ingressClassName is ${shown(ingressClassName)}`,
      `remove the annotation; spec.ingressClassName replaces it`,
    );
  }
}

function* checkHost(host: string, field: FieldPath): Reports {
  const problem = hostProblem(host);
  if (problem !== undefined) yield invalid(field, `the host ${shown(host)} ${problem}`);
}

function* checkRule(rule: Rule, field: FieldPath): Reports {
  if (rule.host !== undefined && rule.host !== "") yield* checkHost(rule.host, [...field, "host"]);
  for (const [i, path] of (rule.http?.paths ?? []).entries()) {
    yield* checkPath(path, [...field, "http", "paths", i]);
    yield* checkBackend(path.backend, [...field, "http", "paths", i, "backend"]);
  }
}

function* checkPath(path: Path, field: FieldPath): Reports {
  const text = path.path ?? "";
  const place = [...field, "path"];
  const whole = path.pathType === "Exact" || path.pathType === "Prefix";
  if (!text.startsWith("/") && (whole || text !== "")) {
    yield invalid(place, `the path ${shown(text)} of type ${path.pathType} must begin with '/'`);
    return;
  }
  if (!whole) return;
  for (const part of FORBIDDEN_IN_PATH) {
    if (text.includes(part))
      yield invalid(place, `the path ${shown(text)} must not hold '${part}'`);
  }
  for (const end of FORBIDDEN_AT_END) {
    if (text.endsWith(end))
      yield invalid(place, `the path ${shown(text)} must not end with '${end}'`);
  }
}

function* checkBackend(backend: Backend, field: FieldPath): Reports {
  const { service, resource } = backend;
  if (service !== undefined && resource !== undefined) {
    yield invalid(field, "a backend may name a service or a resource, not both");
  }
  if (service === undefined && resource === undefined) {
    yield missing([...field, "service"], "a backend needs a service or a resource");
  }
  if (service !== undefined) yield* checkServiceBackend(service, [...field, "service"]);
  if (resource !== undefined) {
    const problem = pathSegmentProblem(resource.name);
    if (problem !== undefined) {
      yield invalid([...field, "resource", "name"], `the name ${shown(resource.name)} ${problem}`);
    }
  }
}

function* checkServiceBackend(service: NonNullable<Backend["service"]>, field: FieldPath): Reports {
  const problem = labelProblem(service.name);
  if (problem !== undefined) {
    yield invalid([...field, "name"], `the Service name ${shown(service.name)} ${problem}`);
  }
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
  const nameProblem = name === "" ? undefined : portNameProblem(name);
  if (nameProblem !== undefined)
    yield invalid([...field, "port", "name"], `the port name ${shown(name)} ${nameProblem}`);
}

/** What an API server checks in an IngressClass beyond its schema. */

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
  if (spec?.parameters !== undefined) yield* checkScope(spec.parameters);
}

function isDomainPath(text: string): boolean {
  const slash = text.indexOf("/");
  const domain = text.slice(0, Math.max(slash, 0)).toLowerCase();
  return subdomainProblem(domain) === undefined && slash < text.length - 1;
}

type Parameters = NonNullable<NonNullable<IngressClass["spec"]>["parameters"]>;

function* checkScope({ scope, namespace }: Parameters): Reports {
  const field = ["spec", "parameters", "namespace"];
  if (scope === "Namespace" && (namespace ?? "") === "") {
    yield missing(field, "parameters with scope Namespace need a namespace");
  }
  if (scope !== "Namespace" && namespace !== undefined) {
    yield invalid(field, "parameters with scope Cluster must not have a namespace");
  }
}
