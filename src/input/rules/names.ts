/**
 * Reports about fields, and the grammars of Kubernetes names.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
import { isIP } from "node:net";
import type { KubernetesObject } from "../../api/wire.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { type Report, withoutUrlSecrets } from "../../diagnostics/sink.js";
import { present } from "../../support/json-object.js";

/** What the checks of an object report, in the order in which they find it. Field paths begin at the object's root. */
export type Reports = Generator<Report, void>;

export function invalid(field: FieldPath, message: string, hint?: string): Report {
  return report("FIELD_INVALID", field, message, hint);
}

export function missing(field: FieldPath, message: string, hint?: string): Report {
  return report("FIELD_MISSING", field, message, hint);
}

export function report(
  code: DiagnosticCode,
  field: FieldPath,
  message: string,
  hint?: string,
): Report {
  return { code, message, field, ...present("hint", hint) };
}

const MAX_SHOWN = 60;

/** A value as a message shows it: as JSON, and only the beginning of a long text. Never use it for a value that may be secret. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (value === null || value === undefined) return "empty";
  const text = withoutUrlSecrets(typeof value === "string" ? value : JSON.stringify(value));
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return typeof value === "string" ? JSON.stringify(cut) : cut;
}

/** Returns what is wrong with a text, as the end of a sentence, or undefined if it is valid. */
export type NameRule = (text: string) => string | undefined;

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PORT_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const DATA_KEY = /^[-._a-zA-Z0-9]+$/;

/** An RFC 1123 label: the name of a Service, a namespace or a port of a Service. */
export function labelProblem(text: string): string | undefined {
  if (text.length > 63) return "must be no more than 63 characters long";
  if (LABEL.test(text)) return undefined;
  return "must consist of lower-case letters, digits and '-', and begin and end with a letter or digit";
}

/** An RFC 1123 subdomain: a host name, or the name of most objects. */
export function subdomainProblem(text: string): string | undefined {
  if (text.length > 253) return "must be no more than 253 characters long";
  if (SUBDOMAIN.test(text)) return undefined;
  return "must consist of lower-case letters, digits, '-' and '.', and begin and end with a letter or digit";
}

/** A host name; its first label may be `*`. */
export function hostProblem(text: string): string | undefined {
  if (isIP(text.replace(/^\[(.*)\]$/, "$1")) !== 0) return "must be a DNS name, not an IP address";
  if (!text.includes("*")) return subdomainProblem(text);
  if (text.length > 253) return "must be no more than 253 characters long";
  if (text.startsWith("*.") && SUBDOMAIN.test(text.slice(2))) return undefined;
  return "may hold '*' only as its whole first label, as in '*.example.com'";
}

/** The key of a label or annotation, or an appProtocol: `name` or `prefix/name`. */
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

/** The name of a port in a backend or targetPort (RFC 6335, section 5.1). */
export function portNameProblem(text: string): string | undefined {
  if (text.length > 15) return "must be no more than 15 characters long";
  if (!PORT_NAME.test(text) || text.includes("--")) {
    return "must consist of lower-case letters, digits and single '-', and begin and end with a letter or digit";
  }
  return /[a-z]/.test(text) ? undefined : "must hold at least one letter";
}

/** A key in the data of a Secret or ConfigMap. */
export function dataKeyProblem(text: string): string | undefined {
  if (text.length > 253) return "must be no more than 253 characters long";
  if (text === "." || text.startsWith("..")) return "must not be '.' or begin with '..'";
  if (DATA_KEY.test(text)) return undefined;
  return "must consist of letters, digits, '-', '_' and '.'";
}

/** The name of an object of any kind: a segment of a URL path. */
export function pathSegmentProblem(text: string): string | undefined {
  if (text === "." || text === "..") return "must not be '.' or '..'";
  return /[/%]/.test(text) ? "must not hold '/' or '%'" : undefined;
}

const FORBIDDEN_IN_PATH = ["//", "/./", "/../", "%2f", "%2F"];

/** What is wrong with a path that requests are compared with. `more`: further parts that it must not contain. */
export function pathProblems(path: string, more: readonly string[] = []): readonly string[] {
  const inside = [...FORBIDDEN_IN_PATH, ...more].filter((part) => path.includes(part));
  const atEnd = ["/..", "/."].filter((part) => path.endsWith(part));
  return [
    ...inside.map((part) => `must not hold '${part}'`),
    ...atEnd.map((part) => `must not end with '${part}'`),
  ];
}

/** `what`: the subject of the message, such as `the host`. */
export function* checkText(text: string, rule: NameRule, field: FieldPath, what: string): Reports {
  const problem = rule(text);
  if (problem === undefined) return;
  yield invalid(field, `${what} ${shown(text)} ${problem}`, hostHint(text, rule));
}

/** Advice for a text that is no name: the host in it, if there is one. */
export function hostHint(text: string, rule: NameRule): string | undefined {
  if (text === "*" && rule === hostProblem) return "leave it out: without it, every host is meant";
  const meant = hostIn(text);
  const isMeant = meant !== text && rule(meant) === undefined;
  return isMeant ? `did you mean ${JSON.stringify(meant)}?` : undefined;
}

const HOST = /^(?:[a-z]+:\/\/([^/:@]+)(?::\d+)?(?:\/.*)?|([^/:@]+):\d+)$/i;

/** The host of a URL, or of a host with a port or with a dot or slash at its end, in lower case, with the `-` that names have instead of `_`. */
function hostIn(text: string): string {
  const [, ofUrl, ofPort] = HOST.exec(text) ?? [];
  const host = ofUrl ?? ofPort ?? text.replace(/[./]$/, "");
  return host.toLowerCase().replaceAll("_", "-");
}

/** In bytes, keys and values of all annotations together. */
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

/** Labels of an object, or a selector of labels. */
export function* checkLabels(labels: Readonly<Record<string, string>>, field: FieldPath): Reports {
  for (const [key, value] of Object.entries(labels)) {
    yield* checkText(key, qualifiedNameProblem, [...field, key], "the key");
    yield* checkText(value, labelValueProblem, [...field, key], "the value");
  }
}

/** API servers ignore the case of the prefix of an annotation's key. */
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

/** Reports values that a list has twice. `field`: of the list; `step`: from an item to its value; `what`: a noun for the value. */
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

/** Names an object as a whole, or a part of it. */
interface PartReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly sectionName?: string;
  readonly port?: number;
}

/** How messages about references name the object and the fields that select a part of it. */
interface ReferenceWords {
  readonly noun: string;
  readonly part: string;
  readonly needs: string;
  readonly hint: string;
}

/** Reports references to one object that name the same part of it, or of which only some name a part. */
export function* checkParts(
  references: readonly PartReference[],
  field: FieldPath,
  { noun, part, needs, hint }: ReferenceWords,
): Reports {
  for (const [i, reference] of references.entries()) {
    const { name, sectionName, port } = reference;
    const before = references.slice(0, i).filter((other) => isSameObject(reference, other));
    if (before.some((other) => other.sectionName === sectionName && other.port === port)) {
      yield invalid([...field, i], `the ${noun} ${name} stands twice with the same ${part}`, hint);
    } else if (before.some((other) => !isEquallyPrecise(reference, other))) {
      const message = `of several references to the ${noun} ${name} either all or none need ${needs}`;
      yield invalid([...field, i], message);
    }
  }
}

function isSameObject(a: PartReference, b: PartReference): boolean {
  return (
    a.group === b.group && a.kind === b.kind && a.name === b.name && a.namespace === b.namespace
  );
}

function isEquallyPrecise(a: PartReference, b: PartReference): boolean {
  return (
    (a.sectionName === undefined) === (b.sectionName === undefined) &&
    (a.port === undefined) === (b.port === undefined)
  );
}

/** Reports fields that do not fit an object's type. `fields`: by type, the field that it needs and no other type may have; `what`: the subject. */
export function* checkFieldsOfType<Field extends string>(
  object: { readonly type: string } & Readonly<Partial<Record<Field, unknown>>>,
  fields: Readonly<Record<string, Field>>,
  place: FieldPath,
  what: string,
): Reports {
  if (!Object.hasOwn(fields, object.type)) return;
  for (const [type, name] of Object.entries(fields)) {
    const isGiven = object[name] !== undefined;
    if (type === object.type && !isGiven)
      yield missing([...place, name], `${what} of type ${object.type} needs the field ${name}`);
    if (type !== object.type && isGiven)
      yield invalid(
        [...place, name],
        `${what} of type ${object.type} must not have the field ${name}`,
      );
  }
}
