/**
 * Grammars of Kubernetes names. Each function gives what is wrong with a text, or undefined.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
import { isIP } from "node:net";
import type { BackendReference } from "../../api/gateway.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import type { Reports } from "./reports.js";
import { invalid, missing, shown } from "./reports.js";

/** A grammar of names: what is wrong with a text. */
export type NameRule = (text: string) => string | undefined;

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PORT_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const DATA_KEY = /^[-._a-zA-Z0-9]+$/;

/** RFC 1123 label: Services, namespaces, ports of Services. */
export function labelProblem(text: string): string | undefined {
  if (text.length > 63) return "must be no more than 63 characters long";
  if (LABEL.test(text)) return undefined;
  return "must consist of lower-case letters, digits and '-', and begin and end with a letter or digit";
}

/** RFC 1123 subdomain: names of most objects, host names. */
export function subdomainProblem(text: string): string | undefined {
  if (text.length > 253) return "must be no more than 253 characters long";
  if (SUBDOMAIN.test(text)) return undefined;
  return "must consist of lower-case letters, digits, '-' and '.', and begin and end with a letter or digit";
}

/** A host name, `*.` allowed as its first label. */
export function hostProblem(text: string): string | undefined {
  if (isIP(text.replace(/^\[(.*)\]$/, "$1")) !== 0) return "must be a DNS name, not an IP address";
  if (!text.includes("*")) return subdomainProblem(text);
  if (text.length > 253) return "must be no more than 253 characters long";
  if (text.startsWith("*.") && SUBDOMAIN.test(text.slice(2))) return undefined;
  return "may hold '*' only as its whole first label, as in '*.example.com'";
}

/** Key of a label, annotation or protocol: `name` or `prefix/name`. */
export function qualifiedNameProblem(text: string): string | undefined {
  const slash = text.indexOf("/");
  const prefix = text.slice(0, Math.max(slash, 0));
  const name = text.slice(slash + 1);
  if (slash >= 0) {
    const problem = subdomainProblem(prefix);
    if (prefix === "") return "must have something before the '/'";
    if (problem !== undefined) return `has a prefix before the '/' that ${problem}`;
  }
  if (name === "") return "must not have an empty name";
  if (name.length > 63) return "must have a name of no more than 63 characters";
  if (QUALIFIED.test(name)) return undefined;
  return "must have a name of letters, digits, '-', '_' and '.' that begins and ends with a letter or digit";
}

export function labelValueProblem(text: string): string | undefined {
  if (text === "") return undefined;
  if (text.length > 63) return "must be no more than 63 characters long";
  if (QUALIFIED.test(text)) return undefined;
  return "must be empty, or consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit";
}

/** Port name as a backend or targetPort gives it (RFC 6335, section 5.1). */
export function portNameProblem(text: string): string | undefined {
  if (text.length > 15) return "must be no more than 15 characters long";
  if (!PORT_NAME.test(text) || text.includes("--")) {
    return "must consist of lower-case letters, digits and single '-', and begin and end with a letter or digit";
  }
  return /[a-z]/.test(text) ? undefined : "must hold at least one letter";
}

/** Key in the data of a Secret or ConfigMap. */
export function dataKeyProblem(text: string): string | undefined {
  if (text.length > 253) return "must be no more than 253 characters long";
  if (text === "." || text.startsWith("..")) return "must not be '.' or begin with '..'";
  if (DATA_KEY.test(text)) return undefined;
  return "must consist of letters, digits, '-', '_' and '.'";
}

/** One element of a path, as the name of an object of any kind. */
export function pathSegmentProblem(text: string): string | undefined {
  if (text === "." || text === "..") return "must not be '.' or '..'";
  return /[/%]/.test(text) ? "must not hold '/' or '%'" : undefined;
}

/** `what`: how a sentence calls the text, such as `the host`. */
export function* checkText(text: string, rule: NameRule, field: FieldPath, what: string): Reports {
  const problem = rule(text);
  if (problem !== undefined) yield invalid(field, `${what} ${shown(text)} ${problem}`);
}

/** Keys and values of all annotations together, in bytes. */
const MAX_ANNOTATIONS = 256 * 1024;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

export function* checkMetadata(object: KubernetesObject, nameRule: NameRule): Reports {
  const { name, namespace, creationTimestamp } = object.metadata;
  if (name === "") yield missing(["metadata", "name"], "metadata.name must not be empty");
  else yield* checkText(name, nameRule, ["metadata", "name"], "the name");
  if (namespace !== "") {
    yield* checkText(namespace, labelProblem, ["metadata", "namespace"], "the namespace");
  }
  if (creationTimestamp !== undefined && !TIMESTAMP.test(creationTimestamp)) {
    yield invalid(
      ["metadata", "creationTimestamp"],
      `${shown(creationTimestamp)} is not a time`,
      'write it as in "2026-01-31T08:00:00Z", or leave it out',
    );
  }
  yield* checkLabels(object.metadata.labels ?? {}, ["metadata", "labels"]);
  yield* checkAnnotations(object.metadata.annotations ?? {});
}

/** Labels of an object, or a selector of them. */
export function* checkLabels(labels: Readonly<Record<string, string>>, field: FieldPath): Reports {
  for (const [key, value] of Object.entries(labels)) {
    yield* checkText(key, qualifiedNameProblem, [...field, key], "the key");
    yield* checkText(value, labelValueProblem, [...field, key], "the value");
  }
}

/** API servers ignore the case of these keys' prefixes. */
function annotationKeyProblem(key: string): string | undefined {
  return qualifiedNameProblem(key.toLowerCase());
}

function* checkAnnotations(annotations: Readonly<Record<string, string>>): Reports {
  const field = ["metadata", "annotations"];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    yield* checkText(key, annotationKeyProblem, [...field, key], "the key");
  }
  if (size > MAX_ANNOTATIONS) {
    yield invalid(
      field,
      `the annotations take ${size} bytes; all of an object's together may take ${MAX_ANNOTATIONS}`,
    );
  }
}

export function* checkBackendReference(backend: BackendReference, field: FieldPath): Reports {
  const { group = "", kind = "Service", port } = backend;
  if (group === "" && kind === "Service" && port === undefined) {
    yield missing(
      [...field, "port"],
      "a backend that is a Service needs a port",
      "add port: with a port of the Service, not of its pods",
    );
  }
  if (group === "gateway.networking.x-k8s.io" && kind === "XBackend" && port !== undefined) {
    yield invalid([...field, "port"], "a backend that is an XBackend must not have a port");
  }
}

/**
 * Values of which none may stand twice. `field` is the list; `step` leads from an item to the value, `what` is what a
 * sentence calls it.
 */
export function* checkUnique(
  values: readonly (string | number | undefined)[],
  field: FieldPath,
  what: string,
  step: FieldPath = [],
): Reports {
  const seen = new Set<string | number>();
  for (const [i, value] of values.entries()) {
    if (value === undefined) continue;
    if (seen.has(value)) {
      yield invalid([...field, i, ...step], `the ${what} ${shown(value)} stands twice`);
    }
    seen.add(value);
  }
}
